//! Files as all formats have them: opened when they are regular, replaced whole, named in every error.
//!
//! Hidden: for the crates of this workspace only.

use crate::{Error, ErrorKind, Result};
use std::{
    fs::{self, File, Permissions},
    io::{self, Read, Seek, SeekFrom, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};
use tempfile::NamedTempFile;

/// An error about a file's contents or the call, before the file's name is put in front.
#[must_use]
pub fn error(op: &'static str, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Io, op, message)
}

/// An error of the system's as one of ours.
pub fn io_error(op: &'static str) -> impl Fn(io::Error) -> Error {
    move |error| Error::new(ErrorKind::Io, op, error.to_string()).with_source(error)
}

/// `error` with the file it is about.
#[must_use]
pub fn in_file(error: Error, op: &'static str, path: &Path) -> Error {
    let message = format!("{}: {}", path.display(), error.message());
    Error::new(error.kind(), op, message).with_source(error)
}

/// A regular file and its length.
///
/// # Errors
/// What the system refuses.
pub fn open(op: &'static str, path: &Path) -> Result<(File, u64)> {
    // Before it is opened: opening a pipe waits for somebody to write into it.
    if !fs::metadata(path).map_err(io_error(op))?.is_file() {
        return Err(error(op, "not a regular file"));
    }
    let file = File::open(path).map_err(io_error(op))?;
    let length = file.metadata().map_err(io_error(op))?.len();
    Ok((file, length))
}

/// Where a reader stands, and how many bytes it has from there on.
///
/// # Errors
/// What the system refuses.
pub fn extent(op: &'static str, reader: &mut impl Seek) -> Result<(u64, u64)> {
    let start = reader.stream_position().map_err(io_error(op))?;
    let end = reader.seek(SeekFrom::End(0)).map_err(io_error(op))?;
    reader.seek(SeekFrom::Start(start)).map_err(io_error(op))?;
    Ok((start, end.saturating_sub(start)))
}

/// The most memory that is taken before a byte was read.
const AT_FIRST: u64 = 16 << 20;

/// Exactly `count` bytes; memory grows with what is there, since a file may say anything of itself.
///
/// # Errors
/// What the system refuses.
pub fn exactly(op: &'static str, reader: &mut impl Read, count: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(count.min(AT_FIRST) as usize);
    reader.take(count).read_to_end(&mut bytes).map_err(io_error(op))?;
    if (bytes.len() as u64) < count {
        return Err(error(op, format!("cut off: {count} bytes should follow and there are {}", bytes.len())));
    }
    Ok(bytes)
}

/// Replaces the file by what `write` writes: the file is the old or the new one whole, also after a loss of power.
///
/// # Errors
/// What the system refuses, and what `write` returns.
pub fn replace(op: &'static str, path: &Path, write: impl FnOnce(&mut File) -> Result<()>) -> Result<()> {
    let mut new = Replacement::begin(op, path)?;
    write(new.file.as_file_mut()).map_err(|error| in_file(error, op, path))?;
    new.commit()
}

/// What will replace a file, and lies beside it until then; dropped, it goes and leaves the file as it was.
pub struct Replacement {
    op: &'static str,
    path: PathBuf,
    /// The file that a link leads to is replaced, not the link.
    target: PathBuf,
    file: NamedTempFile,
}

impl Replacement {
    /// An empty file.
    ///
    /// # Errors
    /// What the system refuses; a target that is no regular file.
    pub fn begin(op: &'static str, path: &Path) -> Result<Replacement> {
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let file = beside(op, &target).map_err(|error| in_file(error, op, path))?;
        Ok(Replacement { op, path: path.to_owned(), target, file })
    }

    /// What was asked to be replaced.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the new contents are written.
    #[must_use]
    pub fn written_at(&self) -> &Path {
        self.file.path()
    }

    /// Puts the new contents in the file's place.
    ///
    /// # Errors
    /// What the system refuses.
    pub fn commit(self) -> Result<()> {
        let (op, path) = (self.op, self.path.clone());
        self.committed().map_err(|error| in_file(error, op, &path))
    }

    fn committed(self) -> Result<()> {
        let op = self.op;
        self.file.as_file().sync_all().map_err(io_error(op))?;
        self.file.persist(&self.target).map_err(|error| io_error(op)(error.error))?;
        // The new name, too, must last; a folder that cannot be opened was still written to.
        if let Ok(folder) = File::open(folder(&self.target)) {
            folder.sync_all().map_err(io_error(op))?;
        }
        Ok(())
    }
}

fn folder(target: &Path) -> &Path {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A new file in the folder of `target`.
fn beside(op: &'static str, target: &Path) -> Result<NamedTempFile> {
    let found = fs::metadata(target);
    if found.as_ref().is_ok_and(|found| !found.is_file()) {
        return Err(error(op, "not a regular file"));
    }
    // What any new file gets, less the process's mask.
    let permissions = found.map_or_else(|_| Permissions::from_mode(0o666), |found| found.permissions());
    tempfile::Builder::new()
        .prefix(".mlx-")
        .permissions(permissions)
        .tempfile_in(folder(target))
        .map_err(io_error(op))
}

/// Writes pieces through a buffer.
///
/// # Errors
/// What the system refuses.
pub fn write_all(op: &'static str, writer: &mut impl Write, pieces: &[&[u8]]) -> Result<()> {
    pieces.iter().try_for_each(|piece| writer.write_all(piece)).map_err(io_error(op))
}
