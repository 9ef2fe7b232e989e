//! What a bundle holds, found from the program itself: it names its libmlxc.so, which names MLX's folder.
//!
//! ```text
//! OUT/PROGRAM
//! OUT/lib/mlx/lib/{libmlxc.so, libmlx.so}     MLX's own files are not changed: they find each other by their places,
//! OUT/lib/mlx_cpu.libs/, lib/nvidia/…         which are those of the wheel
//! OUT/lib/mlx/openblas-…/                     where libmlxc.so looks for it: beside the folder that it lies in
//! OUT/licences/
//! ```

use super::elf::Elf;
use object::elf::{DT_NEEDED, DT_RPATH, DT_RUNPATH, DT_SONAME};
use std::{
    fs,
    path::{Component, Path, PathBuf},
};

const LIBRARY: &str = "libmlxc.so";
/// Where libmlxc.so and libmlx.so lie below the bundle.
const PLACE: &str = "lib/mlx/lib";
const NETLIB_AND_GCC: &str = include_str!("netlib-and-gcc.txt");
const OURS: [(&str, &str); 2] = [
    ("LICENSE-MIT", include_str!("../../../LICENSE-MIT")),
    ("LICENSE-APACHE", include_str!("../../../LICENSE-APACHE")),
];

/// A program, its libraries and where they lie now.
pub(crate) struct Contents {
    name: String,
    program: Elf,
    permissions: fs::Permissions,
    /// libmlxc.so as the program names it.
    mlxc: PathBuf,
    library: Elf,
    /// The folder of libmlx.so as libmlxc.so names it.
    mlx: PathBuf,
}

impl Contents {
    /// Reads `binary` and finds what it was linked to.
    pub(crate) fn of(binary: &Path) -> Result<Contents, String> {
        let program = Elf::read(binary)?;
        let at = binary.display();
        let mlxc = program
            .texts(DT_NEEDED)
            .into_iter()
            .map(PathBuf::from)
            .find(|needed| needed.ends_with(LIBRARY))
            .ok_or_else(|| format!("{at} does not use MLX: no {LIBRARY} is among the libraries it needs."))?;
        if !mlxc.is_absolute() {
            return Err(format!("{at} is bundled already: it needs {}.", mlxc.display()));
        }
        let gone = |what: &Path| format!("{at} needs {}, which is gone: build it again.", what.display());
        let library = mlxc.exists().then(|| Elf::read(&mlxc)).ok_or_else(|| gone(&mlxc))??;
        let mlx = library.texts(DT_RUNPATH).into_iter().map(PathBuf::from).next();
        let mlx = mlx.ok_or_else(|| format!("{} names no folder of MLX.", mlxc.display()))?;
        if !mlx.join("libmlx.so").exists() {
            return Err(gone(&mlx.join("libmlx.so")));
        }
        let name = binary.file_name().and_then(|name| name.to_str());
        let name = name.filter(|name| !["lib", "licences"].contains(name));
        let name =
            name.ok_or_else(|| format!("{at}: a bundle has a folder of that name, or it is no UTF-8."))?;
        let permissions = fs::metadata(binary).map_err(|e| format!("{at}: {e}."))?.permissions();
        Ok(Contents { name: name.to_owned(), program, permissions, mlxc, library, mlx })
    }

    /// Fills the folder `out`; the program's name in it.
    pub(crate) fn write(mut self, out: &Path) -> Result<String, String> {
        let failed = |e: std::io::Error| format!("cannot write {}: {e}.", out.display());
        let place = out.join(PLACE);
        fs::create_dir_all(&place).map_err(failed)?;
        let mlxc = self.mlxc.to_string_lossy().into_owned();
        self.program.replace(DT_NEEDED, &mlxc, &format!("$ORIGIN/{PLACE}/{LIBRARY}"))?;
        self.library.replace(DT_SONAME, &mlxc, LIBRARY)?;
        self.library.replace(DT_RUNPATH, &self.mlx.to_string_lossy(), "$ORIGIN")?;
        fs::write(out.join(&self.name), self.program.bytes()).map_err(failed)?;
        fs::set_permissions(out.join(&self.name), self.permissions.clone()).map_err(failed)?;
        fs::write(place.join(LIBRARY), self.library.bytes()).map_err(failed)?;
        copy(&self.mlx.join("libmlx.so"), &place.join("libmlx.so"))?;
        for folder in self.folders_of_mlx()? {
            copy(&self.mlx.join(&folder), &normal(&place.join(&folder)))?;
        }
        let blas = self.blas();
        for entry in &blas {
            let to = out.join("lib/mlx").join(entry.file_name().unwrap_or_default());
            copy_where(entry, &to, &|path| path.to_string_lossy().contains(".so"))?;
        }
        self.write_licences(&out.join("licences"), &blas)?;
        Ok(self.name)
    }

    /// The folders that libmlx.so looks into, relative to its own; and the headers for a CUDA build's run-time compiler.
    fn folders_of_mlx(&self) -> Result<Vec<PathBuf>, String> {
        let library = Elf::read(&self.mlx.join("libmlx.so"))?;
        let cuda = library.texts(DT_NEEDED).iter().any(|name| name == "libcuda.so.1");
        let paths = [library.texts(DT_RPATH), library.texts(DT_RUNPATH)].concat();
        let beside =
            paths.iter().flat_map(|path| path.split(':')).filter_map(|path| path.strip_prefix("$ORIGIN/"));
        let mut folders: Vec<PathBuf> = beside.map(PathBuf::from).collect();
        if cuda {
            let headers: Vec<PathBuf> = folders.iter().map(|lib| lib.join("../include")).collect();
            folders.extend(headers);
            folders.push("../include".into());
        }
        // Two above libmlx.so is where a wheel is unpacked; what lies elsewhere is the system's.
        folders.retain(|folder| {
            self.mlx.join(folder).is_dir() && normal(&Path::new(PLACE).join(folder)).starts_with("lib")
        });
        folders.sort_by_key(|folder| normal(&Path::new(PLACE).join(folder)));
        folders.dedup_by_key(|folder| normal(&Path::new(PLACE).join(&*folder)));
        Ok(folders)
    }

    /// The cache entries with the BLAS that libmlxc.so loads when it is first used: it holds their names.
    fn blas(&self) -> Vec<PathBuf> {
        let cache = self.mlxc.parent().and_then(Path::parent);
        let entries = cache.and_then(|cache| fs::read_dir(cache).ok()).into_iter().flatten().flatten();
        let named = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().as_encoded_bytes();
            name.starts_with(b"openblas") && self.library.bytes().windows(name.len()).any(|part| part == name)
        };
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).filter(named).collect()
    }

    fn write_licences(&self, to: &Path, blas: &[PathBuf]) -> Result<(), String> {
        let failed = |e: std::io::Error| format!("cannot write {}: {e}.", to.display());
        for (name, text) in OURS {
            fs::create_dir_all(to.join("mlx for Rust")).map_err(failed)?;
            fs::write(to.join("mlx for Rust").join(name), text).map_err(failed)?;
        }
        copy(&self.mlxc.with_file_name("LICENSE"), &to.join("mlx-c/LICENSE"))?;
        fs::write(to.join("netlib-and-gcc.txt"), NETLIB_AND_GCC).map_err(failed)?;
        let site = self.mlx.ancestors().nth(2).map(Path::to_owned);
        for folder in blas.iter().chain(&site) {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                if let Some(package) = entry.file_name().to_string_lossy().strip_suffix(".dist-info") {
                    let is_licence = |path: &Path| {
                        let path = path.to_string_lossy().to_lowercase();
                        path.contains("license") || path.contains("notice") || path.contains("sboms")
                    };
                    copy_where(&entry.path(), &to.join(package), &is_licence)?;
                }
            }
        }
        Ok(())
    }
}

/// `path` without `..`, by its text alone.
fn normal(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut path, part| {
        match part {
            Component::ParentDir if path.file_name().is_some() => {
                path.pop();
            }
            part => path.push(part),
        }
        path
    })
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    copy_where(from, to, &|_| true)
}

/// Copies a file, or the files of a folder and of those below it that `wanted` takes; a link becomes what it leads to.
fn copy_where(from: &Path, to: &Path, wanted: &dyn Fn(&Path) -> bool) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("cannot copy {} to {}: {e}.", from.display(), to.display());
    if from.is_dir() {
        for entry in fs::read_dir(from).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            copy_where(&entry.path(), &to.join(entry.file_name()), wanted)?;
        }
        return Ok(());
    }
    if wanted(from) {
        fs::create_dir_all(to.parent().expect("below the bundle")).map_err(failed)?;
        fs::copy(from, to).map_err(failed)?;
    }
    Ok(())
}
