//! A folder of a test's own.

use std::{env, fs, path::PathBuf};

/// Goes with the test; its name is one that C's formats and shells trip over.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Folder {
        let folder = env::temp_dir().join(format!("mlx %s größe {}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    #[allow(dead_code, reason = "tests that leave nothing behind")]
    pub(crate) fn files(&self) -> usize {
        fs::read_dir(&self.0).unwrap().count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
