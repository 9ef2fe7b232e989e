//! The header of an npy file: a Python dict as text, in front of the elements.

use super::{super::file::io_error, LOAD};
use mlx_core::{Dtype, Error, ErrorKind, Result};
use std::io::Read;

/// Of this machine, in whose byte order MLX's values are.
pub(super) const BIG_ENDIAN: bool = cfg!(target_endian = "big");

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// The longest header that is read, in bytes; one of so many means 100 000 axes.
const MAX_HEADER: u32 = 1 << 20;

/// What an npy file says of its array; it can be, and its bytes can be counted.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header {
    dtype: Dtype,
    big_endian: bool,
    column_major: bool,
    shape: Vec<i32>,
}

impl Header {
    /// Reads and checks a header; how many bytes it took.
    pub(super) fn read(reader: &mut impl Read) -> Result<(Header, u64)> {
        let mut start = [0; 8];
        fill(reader, &mut start)?;
        if start[..6] != *MAGIC {
            return Err(bad("it does not start with \\x93NUMPY"));
        }
        let width = match start[6..] {
            [1, 0] => 2,
            [2, 0] => 4,
            [major, minor] => {
                let message = format!("npy version {major}.{minor} is not supported; 1.0 and 2.0 are");
                return Err(Error::new(ErrorKind::Io, LOAD, message));
            }
            _ => unreachable!("two bytes are left"),
        };
        let mut length = [0; 4];
        fill(reader, &mut length[..width])?;
        let length = u32::from_le_bytes(length);
        if length > MAX_HEADER {
            return Err(bad(&format!("a header of {length} bytes is longer than {MAX_HEADER}")));
        }
        let mut text = vec![0; length as usize];
        fill(reader, &mut text)?;
        let text = std::str::from_utf8(&text)
            .ok()
            .filter(|text| text.is_ascii())
            .ok_or_else(|| bad("its header is not ASCII"))?;
        let header = Parser { rest: text }.header().map_err(|what| bad(&what))?;
        Ok((header, 8 + width as u64 + u64::from(length)))
    }

    pub(super) fn is_column_major(&self) -> bool {
        self.column_major
    }

    /// The bytes of the elements; that they fit was checked.
    pub(super) fn bytes(&self) -> u64 {
        bytes(self.dtype, &self.shape).unwrap_or(u64::MAX)
    }

    /// The header that MLX is shown: the same array in row-major order, its axes turned around where they were not.
    pub(super) fn for_mlx(&self) -> Vec<u8> {
        let mut shape = self.shape.clone();
        if self.column_major {
            shape.reverse();
        }
        text(self.dtype, self.big_endian, false, &shape)
    }

    pub(super) fn cut_off(&self, found: u64) -> Error {
        let (shape, dtype, bytes) = (&self.shape, self.dtype, self.bytes());
        bad(&format!("cut off: shape {shape:?} of {dtype} takes {bytes} bytes and there are {found}"))
    }
}

/// numpy's name of a dtype, without the byte order.
fn kind(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::Bool => "b1",
        Dtype::Uint8 => "u1",
        Dtype::Uint16 => "u2",
        Dtype::Uint32 => "u4",
        Dtype::Uint64 => "u8",
        Dtype::Int8 => "i1",
        Dtype::Int16 => "i2",
        Dtype::Int32 => "i4",
        Dtype::Int64 => "i8",
        Dtype::Float16 => "f2",
        Dtype::Float32 => "f4",
        Dtype::Float64 => "f8",
        Dtype::Bfloat16 => "V2",
        Dtype::Complex64 => "c8",
        other => unreachable!("{other} is among MLX's 14 dtypes"),
    }
}

/// A whole header as `mx.save` writes it, down to the spaces.
pub(super) fn text(dtype: Dtype, big_endian: bool, column_major: bool, shape: &[i32]) -> Vec<u8> {
    let endian = match dtype.size() {
        1 => '|',
        _ if big_endian => '>',
        _ => '<',
    };
    let (kind, order) = (kind(dtype), if column_major { "True" } else { "False" });
    let mut dict = format!("{{'descr': '{endian}{kind}', 'fortran_order': {order}, 'shape': (");
    for size in shape {
        dict.push_str(&size.to_string());
        dict.push_str(", ");
    }
    dict.push_str(")}");
    let short = dict.len() + 15 < usize::from(u16::MAX);
    // As many spaces as the unpadded header is beyond a multiple of 16; more would have aligned the elements. The width
    // of the length counts as 4 in short headers, and as 2 in long ones.
    let spaces = (MAGIC.len() + 2 + if short { 4 } else { 2 } + dict.len() + 1) % 16;
    let length = dict.len() + spaces + 1;
    let mut bytes = MAGIC.to_vec();
    if short {
        bytes.extend_from_slice(&[1, 0]);
        bytes.extend_from_slice(&(length as u16).to_le_bytes());
    } else {
        bytes.extend_from_slice(&[2, 0]);
        bytes.extend_from_slice(&(length as u32).to_le_bytes());
    }
    bytes.extend_from_slice(dict.as_bytes());
    bytes.resize(bytes.len() + spaces, b' ');
    bytes.push(b'\n');
    bytes
}

fn bytes(dtype: Dtype, shape: &[i32]) -> Option<u64> {
    if shape.contains(&0) {
        return Some(0);
    }
    let bytes = shape.iter().try_fold(dtype.size() as u64, |bytes, &size| bytes.checked_mul(size as u64))?;
    (i64::try_from(bytes).is_ok()).then_some(bytes)
}

fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> Result<()> {
    reader.read_exact(buffer).map_err(|error| match error.kind() {
        std::io::ErrorKind::UnexpectedEof => bad("it ends within its header"),
        _ => io_error(LOAD)(error),
    })
}

fn bad(what: &str) -> Error {
    Error::new(ErrorKind::Io, LOAD, format!("not an npy file that MLX can take: {what}"))
}

/// What is left of a header's text.
struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn header(mut self) -> Result<Header, String> {
        let (mut descr, mut order, mut shape) = (None, None, None);
        self.expect('{')?;
        while !self.take('}') {
            let key = self.string()?;
            self.expect(':')?;
            let twice = match key {
                "descr" => descr.replace(self.descr()?).is_some(),
                "fortran_order" => order.replace(self.truth()?).is_some(),
                "shape" => shape.replace(self.sizes()?).is_some(),
                other => return Err(format!("its header has the unknown key {other:?}")),
            };
            if twice {
                return Err(format!("its header says {key:?} twice"));
            }
            if !self.take(',') {
                self.expect('}')?;
                break;
            }
        }
        if !self.rest.trim_ascii_start().is_empty() {
            return Err("its header goes on behind the dict".into());
        }
        let missing = |key: &str| format!("its header has no {key:?}");
        let (dtype, big_endian) = descr.ok_or_else(|| missing("descr"))?;
        let column_major = order.ok_or_else(|| missing("fortran_order"))?;
        let shape = shape.ok_or_else(|| missing("shape"))?;
        if bytes(dtype, &shape).is_none() {
            return Err(format!("shape {shape:?} of {dtype} takes more bytes than an address"));
        }
        Ok(Header { dtype, big_endian, column_major, shape })
    }

    /// The dtype, and whether its bytes come the largest first.
    fn descr(&mut self) -> Result<(Dtype, bool), String> {
        if self.rest.trim_ascii_start().starts_with('[') {
            return Err("it holds structures, for which MLX has no dtype".into());
        }
        let descr = self.string()?;
        let none = || {
            let what = if descr.ends_with('O') { " (Python objects)" } else { "" };
            format!("MLX has no dtype for {descr:?}{what}")
        };
        let (order, kind) = descr.split_at_checked(1).ok_or_else(none)?;
        let big_endian = match order {
            ">" => true,
            "<" => false,
            "|" | "=" => BIG_ENDIAN,
            _ => return Err(none()),
        };
        let same_kind = |dtype: &Dtype| self::kind(*dtype) == kind;
        let dtype = Dtype::ALL.into_iter().find(same_kind).ok_or_else(none)?;
        if dtype == Dtype::Complex64 && big_endian != BIG_ENDIAN {
            return Err(format!(
                "complex numbers in the byte order {order:?}, of which MLX exchanges the parts"
            ));
        }
        Ok((dtype, big_endian))
    }

    fn sizes(&mut self) -> Result<Vec<i32>, String> {
        self.expect('(').map_err(|_| self.unexpected("its shape is no tuple"))?;
        let mut sizes = Vec::new();
        while !self.take(')') {
            let text = self.word(|c| c.is_ascii_digit() || c == '-' || c == '+');
            let size = text.parse::<i32>().ok().filter(|&size| size >= 0);
            sizes.push(size.ok_or_else(|| match text {
                "" => self.unexpected("its shape is no tuple of sizes"),
                _ => format!("its shape has the size {text}, and sizes are from 0 to {}", i32::MAX),
            })?);
            if !self.take(',') {
                self.expect(')')?;
                if sizes.len() == 1 {
                    return Err("its shape is no tuple but a number in parentheses".into());
                }
                break;
            }
        }
        Ok(sizes)
    }

    fn truth(&mut self) -> Result<bool, String> {
        match self.word(|c| c.is_ascii_alphanumeric() || c == '_') {
            "True" => Ok(true),
            "False" => Ok(false),
            other => Err(format!("its fortran_order is {other:?}, neither True nor False")),
        }
    }

    /// A text in quotes of either kind; none of those that are understood needs an escape.
    fn string(&mut self) -> Result<&'a str, String> {
        let rest = self.rest.trim_ascii_start();
        let quote = rest.chars().next().filter(|quote| "'\"".contains(*quote));
        let found = quote.and_then(|quote| rest[1..].split_once(quote));
        let (text, rest) = found.ok_or_else(|| self.unexpected("its header lacks a text in quotes"))?;
        self.rest = rest;
        Ok(text)
    }

    fn word(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest.trim_ascii_start();
        let (word, rest) = rest.split_at(rest.find(|c| !belongs(c)).unwrap_or(rest.len()));
        self.rest = rest;
        word
    }

    fn take(&mut self, wanted: char) -> bool {
        let rest = self.rest.trim_ascii_start().strip_prefix(wanted);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        if self.take(wanted) {
            Ok(())
        } else {
            Err(self.unexpected(&format!("its header lacks a {wanted:?}")))
        }
    }

    fn unexpected(&self, what: &str) -> String {
        let near: String = self.rest.trim_ascii_start().chars().take(20).collect();
        format!("{what} at {near:?}")
    }
}
