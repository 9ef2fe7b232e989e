//! Files as all formats have them: opened when they are regular, replaced whole, named in every error.

use mlx_core::{Error, ErrorKind, Result};
use std::{
    fs::{self, File, Permissions},
    io::{self, Read, Seek, SeekFrom, Write},
    os::unix::fs::PermissionsExt,
    path::Path,
};

/// An error about a file's contents or the call, before the file's name is put in front.
pub(super) fn error(op: &'static str, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Io, op, message)
}

pub(super) fn io_error(op: &'static str) -> impl Fn(io::Error) -> Error {
    move |error| Error::new(ErrorKind::Io, op, error.to_string()).with_source(error)
}

/// `error` with the file it is about.
pub(super) fn in_file(error: Error, op: &'static str, path: &Path) -> Error {
    let message = format!("{}: {}", path.display(), error.message());
    Error::new(error.kind(), op, message).with_source(error)
}

/// A regular file and its length.
pub(super) fn open(op: &'static str, path: &Path) -> Result<(File, u64)> {
    // Before it is opened: opening a pipe waits for somebody to write into it.
    if !fs::metadata(path).map_err(io_error(op))?.is_file() {
        return Err(error(op, "not a regular file"));
    }
    let file = File::open(path).map_err(io_error(op))?;
    let length = file.metadata().map_err(io_error(op))?.len();
    Ok((file, length))
}

/// Where a reader stands, and how many bytes it has from there on.
pub(super) fn extent(op: &'static str, reader: &mut impl Seek) -> Result<(u64, u64)> {
    let start = reader.stream_position().map_err(io_error(op))?;
    let end = reader.seek(SeekFrom::End(0)).map_err(io_error(op))?;
    reader.seek(SeekFrom::Start(start)).map_err(io_error(op))?;
    Ok((start, end.saturating_sub(start)))
}

/// The most memory that is taken before a byte was read.
const AT_FIRST: u64 = 16 << 20;

/// Exactly `count` bytes; memory grows with what is there, since a file may say anything of itself.
pub(super) fn exactly(op: &'static str, reader: &mut impl Read, count: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(count.min(AT_FIRST) as usize);
    reader.take(count).read_to_end(&mut bytes).map_err(io_error(op))?;
    if (bytes.len() as u64) < count {
        return Err(error(op, format!("cut off: {count} bytes should follow and there are {}", bytes.len())));
    }
    Ok(bytes)
}

/// Replaces the file by what `write` writes: the file is the old or the new one whole, also after a loss of power.
pub(super) fn replace(
    op: &'static str,
    path: &Path,
    write: impl FnOnce(&mut File) -> Result<()>,
) -> Result<()> {
    replaced(op, path, write).map_err(|error| in_file(error, op, path))
}

fn replaced(op: &'static str, path: &Path, write: impl FnOnce(&mut File) -> Result<()>) -> Result<()> {
    // The file that a link leads to is replaced, not the link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&target).is_ok_and(|found| !found.is_file()) {
        return Err(error(op, "not a regular file"));
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // What any new file gets, less the process's mask.
    let permissions =
        fs::metadata(&target).map_or_else(|_| Permissions::from_mode(0o666), |found| found.permissions());
    let mut file = tempfile::Builder::new()
        .prefix(".mlx-")
        .permissions(permissions)
        .tempfile_in(folder)
        .map_err(io_error(op))?;
    write(file.as_file_mut())?;
    file.as_file().sync_all().map_err(io_error(op))?;
    file.persist(&target).map_err(|error| io_error(op)(error.error))?;
    // The new name, too, must last; a folder that cannot be opened was still written to.
    if let Ok(folder) = File::open(folder) {
        folder.sync_all().map_err(io_error(op))?;
    }
    Ok(())
}

/// Writes pieces through a buffer.
pub(super) fn write_all(op: &'static str, writer: &mut impl Write, pieces: &[&[u8]]) -> Result<()> {
    pieces.iter().try_for_each(|piece| writer.write_all(piece)).map_err(io_error(op))
}
