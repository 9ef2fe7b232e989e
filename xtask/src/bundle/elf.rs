//! The texts in an ELF file's dynamic section: the libraries it needs, its own name, where it looks; read and replaced.
//!
//! A new text is written over the old one, so nothing in the file moves and no tool has to be installed.

use object::{
    LittleEndian,
    elf::{DT_STRTAB, Dyn64, DynamicTag, FileHeader64, PT_LOAD, ProgramHeader64},
    read::elf::{Dyn as _, FileHeader as _, ProgramHeader as _},
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A program or shared library, 64-bit and little-endian as all that MLX runs on.
pub(crate) struct Elf {
    path: PathBuf,
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    /// Where the texts begin in the file.
    texts: usize,
}

/// An entry of the dynamic section.
struct Entry {
    tag: DynamicTag,
    value: usize,
    /// Where the value stands in the file.
    at: usize,
}

impl Elf {
    pub(crate) fn read(path: &Path) -> Result<Elf, String> {
        let bytes = fs::read(path).map_err(|e| format!("cannot read {}: {e}.", path.display()))?;
        let (entries, texts) = dynamic(&bytes).map_err(|why| {
            format!("{} is no 64-bit Linux program or library with a dynamic section: {why}.", path.display())
        })?;
        Ok(Elf { path: path.to_owned(), bytes, entries, texts })
    }

    /// All bytes of the file, as changed so far.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The texts of the entries with this tag.
    pub(crate) fn texts(&self, tag: DynamicTag) -> Vec<String> {
        let text = |entry: &Entry| {
            let text = self.bytes.get(self.texts + entry.value..).unwrap_or_default();
            let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
            String::from_utf8_lossy(&text[..end]).into_owned()
        };
        self.entries.iter().filter(|entry| entry.tag == tag).map(text).collect()
    }

    /// Puts `new` in the place of the path `old` in the entries with this tag.
    ///
    /// The end of a text may also serve as another one (a linker stores `so` inside `libmlxc.so`), so the last component
    /// of the old path stays as it is: `new` either ends with it too, or is over before it.
    pub(crate) fn replace(&mut self, tag: DynamicTag, old: &str, new: &str) -> Result<(), String> {
        let last = old.rfind('/').map_or(0, |slash| slash + 1);
        let from = if new.ends_with(&old[last..]) {
            old.len().checked_sub(new.len())
        } else {
            (new.len() < last).then_some(0)
        };
        let from = from
            .ok_or_else(|| format!("{}: the path {old} is too short to hold {new}.", self.path.display()))?;
        for index in 0..self.entries.len() {
            let start = self.texts + self.entries[index].value;
            let there = self.bytes.get(start..).is_some_and(|text| {
                text.strip_prefix(old.as_bytes()).is_some_and(|rest| rest.first() == Some(&0))
            });
            if self.entries[index].tag == tag && there {
                self.bytes[start + from..][..new.len()].copy_from_slice(new.as_bytes());
                self.bytes[start + from + new.len()] = 0;
                let entry = &mut self.entries[index];
                entry.value += from;
                self.bytes[entry.at..][..8].copy_from_slice(&(entry.value as u64).to_le_bytes());
            }
        }
        Ok(())
    }
}

/// The entries of the dynamic section, and where the texts that they name begin.
fn dynamic(bytes: &[u8]) -> Result<(Vec<Entry>, usize), String> {
    let said = |e: object::read::Error| e.to_string();
    let endian = LittleEndian;
    let header = FileHeader64::<LittleEndian>::parse(bytes).map_err(said)?;
    header.endian().map_err(said)?;
    let segments = header.program_headers(endian, bytes).map_err(said)?;
    let mut entries = Vec::new();
    for segment in segments {
        let start = segment.p_offset(endian) as usize;
        for (index, entry) in
            segment.dynamic(endian, bytes).map_err(said)?.unwrap_or_default().iter().enumerate()
        {
            let at = start + index * size_of::<Dyn64<LittleEndian>>() + 8;
            entries.push(Entry { tag: entry.d_tag(endian), value: entry.d_val(endian) as usize, at });
        }
    }
    let texts = entries.iter().find(|entry| entry.tag == DT_STRTAB).ok_or("it is linked statically")?.value;
    let in_file = |segment: &ProgramHeader64<LittleEndian>| {
        let (first, size) = (segment.p_vaddr(endian) as usize, segment.p_filesz(endian) as usize);
        let inside = segment.p_type(endian) == PT_LOAD && texts >= first && texts - first < size;
        inside.then(|| texts - first + segment.p_offset(endian) as usize)
    };
    let texts = segments.iter().find_map(in_file).ok_or("its texts are in no segment")?;
    Ok((entries, texts))
}
