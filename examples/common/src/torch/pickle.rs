//! The part of Python's pickle that a file of weights needs. Nothing is run: what is not in the tables here is an error that names it.
//!
//! Not here: the file around it, and where the numbers lie (`torch`).

use super::opcodes::NAMES;
use std::{collections::HashMap, rc::Rc};

/// Containers in containers, at most: they are dropped by recursion.
const MAX_DEPTH: u8 = 16;

/// What a pickle can hold here.
#[derive(Clone, Debug)]
pub(super) enum Value {
    None,
    Bool(bool),
    Int(i128),
    Text(Rc<str>),
    /// `module name`, of a class or a function.
    Global(&'static Known),
    Tuple(u8, Rc<[Value]>),
    List(u8, Vec<Value>),
    Dict(u8, Vec<(Value, Value)>),
    Storage(Rc<Storage>),
    View(Rc<View>),
    /// Where a list or a dict was remembered: it changes afterwards, so that it cannot be asked for.
    Remembered,
}

/// Numbers in a row, elsewhere in the file.
#[derive(Debug)]
pub(super) struct Storage {
    pub(super) dtype: mlx::Dtype,
    pub(super) key: Rc<str>,
    pub(super) elements: u64,
}

/// A tensor: how it lies in a storage.
#[derive(Debug)]
pub(super) struct View {
    pub(super) storage: Rc<Storage>,
    pub(super) offset: usize,
    pub(super) shape: Vec<i32>,
    pub(super) strides: Vec<i64>,
}

/// A class or a function that may be named.
#[derive(Debug)]
pub(super) struct Known {
    name: &'static str,
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Dict,
    Tensor,
    Storage(mlx::Dtype),
}

macro_rules! known {
    ($($name:literal $what:expr,)*) => { &[$(Known { name: $name, what: $what },)*] };
}

static KNOWN: &[Known] = known! {
    "collections OrderedDict" What::Dict,
    "torch._utils _rebuild_tensor_v2" What::Tensor,
    "torch FloatStorage" What::Storage(mlx::Dtype::Float32),
    "torch DoubleStorage" What::Storage(mlx::Dtype::Float64),
    "torch HalfStorage" What::Storage(mlx::Dtype::Float16),
    "torch BFloat16Storage" What::Storage(mlx::Dtype::Bfloat16),
    "torch LongStorage" What::Storage(mlx::Dtype::Int64),
    "torch IntStorage" What::Storage(mlx::Dtype::Int32),
    "torch ShortStorage" What::Storage(mlx::Dtype::Int16),
    "torch CharStorage" What::Storage(mlx::Dtype::Int8),
    "torch ByteStorage" What::Storage(mlx::Dtype::Uint8),
};

/// Reads one pickle from the front of `bytes`, which goes on behind it.
pub(super) fn read(bytes: &mut &[u8]) -> Result<Value, String> {
    let whole = *bytes;
    let mut machine = Machine { bytes: whole, stack: Vec::new(), marks: Vec::new(), memo: HashMap::new() };
    loop {
        let at = whole.len() - machine.bytes.len();
        let told = |code: u8, why: String| {
            let name =
                NAMES.iter().find(|(known, _)| *known == code).map_or("an unknown opcode", |(_, name)| name);
            format!("pickle: {name} ({code:#04x}) at byte {at}: {why}")
        };
        let Some(code) = machine.bytes.split_off_first().copied() else {
            return Err(format!("pickle: it ends at byte {at}, without STOP"));
        };
        if code == b'.' {
            *bytes = machine.bytes;
            return machine.pop().map_err(|why| told(code, why));
        }
        machine.step(code).map_err(|why| told(code, why))?;
    }
}

/// pickle's stack machine.
struct Machine<'a> {
    bytes: &'a [u8],
    stack: Vec<Value>,
    marks: Vec<usize>,
    memo: HashMap<u32, Value>,
}

type Done<T = ()> = Result<T, String>;

impl Machine<'_> {
    fn step(&mut self, code: u8) -> Done {
        match code {
            0x80 => return self.number::<1>().map(|_| ()),
            b'(' => self.marks.push(self.stack.len()),
            b'q' | b'r' => return self.remember(code),
            b'a' | b'e' => return self.append(code),
            b's' | b'u' => return self.set(code),
            b'b' => return self.build(),
            _ => {
                let value = self.value(code)?;
                self.stack.push(value);
            }
        }
        Ok(())
    }

    /// What an opcode puts on the stack.
    fn value(&mut self, code: u8) -> Done<Value> {
        Ok(match code {
            b'N' => Value::None,
            0x88 => Value::Bool(true),
            0x89 => Value::Bool(false),
            b'K' => Value::Int(self.number::<1>()?.into()),
            b'M' => Value::Int(self.number::<2>()?.into()),
            b'J' => Value::Int((self.number::<4>()? as i32).into()),
            0x8a => self.long()?,
            b'X' => {
                let count = self.number::<4>()?;
                Value::Text(text(self.take(count as usize)?)?.into())
            }
            b'}' => Value::Dict(1, Vec::new()),
            b']' => Value::List(1, Vec::new()),
            b')' => Value::Tuple(1, Rc::new([])),
            b't' => tuple(self.marked()?)?,
            0x85..=0x87 => {
                let from = self.stack.len().checked_sub(usize::from(code - 0x84)).ok_or(SHORT)?;
                self.above_mark(from)?;
                tuple(self.stack.split_off(from))?
            }
            b'h' | b'j' => {
                let key = if code == b'h' { self.number::<1>()? } else { self.number::<4>()? };
                match self.memo.get(&key) {
                    Some(Value::Remembered) => {
                        return Err(format!("number {key} is a list or a dict, met again"));
                    }
                    Some(value) => value.clone(),
                    None => return Err(format!("nothing was remembered as number {key}")),
                }
            }
            b'c' => {
                let name = format!("{} {}", self.line()?, self.line()?);
                let known = KNOWN.iter().find(|known| known.name == name);
                Value::Global(known.ok_or_else(|| format!("{name:?} is not what weights need"))?)
            }
            b'Q' => storage(&self.pop()?)?,
            b'R' => {
                let arguments = self.pop()?;
                call(&self.pop()?, &arguments)?
            }
            _ => return Err("files of weights need no such opcode".into()),
        })
    }

    fn take(&mut self, count: usize) -> Done<&[u8]> {
        self.bytes.split_off(..count).ok_or_else(|| "the file ends in it".into())
    }

    /// A little-endian number.
    fn number<const N: usize>(&mut self) -> Done<u32> {
        Ok(self.take(N)?.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte)))
    }

    /// A little-endian number of a length that it says itself, two's complement.
    fn long(&mut self) -> Done<Value> {
        let count = self.number::<1>()? as usize;
        let digits = self.take(count)?;
        if count > 15 {
            return Err(format!("a number of {count} bytes"));
        }
        let sign = if digits.last().is_some_and(|&byte| byte >= 0x80) { -1 } else { 0 };
        Ok(Value::Int(digits.iter().rev().fold(sign, |number, &byte| number << 8 | i128::from(byte))))
    }

    fn line(&mut self) -> Done<String> {
        let length = self.bytes.iter().position(|&byte| byte == b'\n').ok_or("its line does not end")?;
        let line = text(self.take(length)?)?.to_owned();
        self.take(1)?;
        Ok(line)
    }

    /// What lies below the last mark stays, whatever is taken.
    fn above_mark(&self, from: usize) -> Done {
        if self.marks.last().is_some_and(|&mark| from < mark) { Err(SHORT.into()) } else { Ok(()) }
    }

    fn pop(&mut self) -> Done<Value> {
        self.above_mark(self.stack.len().saturating_sub(1))?;
        self.stack.pop().ok_or_else(|| SHORT.into())
    }

    /// All above the last mark, which goes.
    fn marked(&mut self) -> Done<Vec<Value>> {
        let mark = self.marks.pop().ok_or("there is no mark")?;
        Ok(self.stack.split_off(mark))
    }

    fn remember(&mut self, code: u8) -> Done {
        let key = if code == b'q' { self.number::<1>()? } else { self.number::<4>()? };
        let value = match self.stack.last().ok_or(SHORT)? {
            Value::List(..) | Value::Dict(..) => Value::Remembered,
            value => value.clone(),
        };
        self.memo.insert(key, value);
        Ok(())
    }

    /// What an opcode with many items takes, or one with `count` of them.
    fn items(&mut self, many: bool, count: usize) -> Done<Vec<Value>> {
        if many {
            return self.marked();
        }
        let from = self.stack.len().checked_sub(count).ok_or(SHORT)?;
        self.above_mark(from)?;
        Ok(self.stack.split_off(from))
    }

    fn append(&mut self, code: u8) -> Done {
        let items = self.items(code == b'e', 1)?;
        let inner = deepest(&items)?;
        let Some(Value::List(depth, list)) = self.stack.last_mut() else {
            return Err("no list to append to".into());
        };
        *depth = inner.max(*depth);
        list.extend(items);
        Ok(())
    }

    fn set(&mut self, code: u8) -> Done {
        let items = self.items(code == b'u', 2)?;
        let inner = deepest(&items)?;
        let Some(Value::Dict(depth, dict)) = self.stack.last_mut() else {
            return Err("no dict to set in".into());
        };
        if items.len() % 2 != 0 {
            return Err("a key without a value".into());
        }
        *depth = inner.max(*depth);
        let mut items = items.into_iter();
        while let (Some(key), Some(value)) = (items.next(), items.next()) {
            dict.push((key, value));
        }
        Ok(())
    }

    /// An `OrderedDict` of weights has attributes, versions of modules, which say nothing here.
    fn build(&mut self) -> Done {
        match (self.pop()?, self.stack.last()) {
            (Value::Dict(..), Some(Value::Dict(..))) => Ok(()),
            _ => Err("attributes of what is no dict".into()),
        }
    }
}

const SHORT: &str = "the stack has too few values";

fn text(bytes: &[u8]) -> Done<&str> {
    std::str::from_utf8(bytes).map_err(|error| error.to_string())
}

/// How deep a container of `items` is.
fn deepest(items: &[Value]) -> Done<u8> {
    let depths = items.iter().map(|item| match item {
        Value::Tuple(depth, _) | Value::List(depth, _) | Value::Dict(depth, _) => *depth,
        _ => 0,
    });
    let depth = 1 + depths.max().unwrap_or(0);
    if depth > MAX_DEPTH { Err(format!("more than {MAX_DEPTH} containers in each other")) } else { Ok(depth) }
}

fn tuple(items: Vec<Value>) -> Done<Value> {
    Ok(Value::Tuple(deepest(&items)?, items.into()))
}

/// `('storage', FloatStorage, key, device, elements)`; the legacy form has one more, which is `None`.
fn storage(id: &Value) -> Done<Value> {
    let Value::Tuple(_, id) = id else { return Err("no tuple".into()) };
    let (Some(id), [] | [Value::None]) = (id.first_chunk::<5>(), id.get(5..).unwrap_or_default()) else {
        return Err("not the five parts of a storage".into());
    };
    match id {
        [
            Value::Text(kind),
            Value::Global(Known { what: What::Storage(dtype), .. }),
            Value::Text(key),
            Value::Text(_),
            Value::Int(elements),
        ] if &**kind == "storage" => {
            let elements = u64::try_from(*elements).map_err(|_| format!("{elements} elements"))?;
            Ok(Value::Storage(Rc::new(Storage { dtype: *dtype, key: key.clone(), elements })))
        }
        _ => Err("not the five parts of a storage".into()),
    }
}

fn call(function: &Value, arguments: &Value) -> Done<Value> {
    match (function, arguments) {
        (Value::Global(Known { what: What::Dict, .. }), Value::Tuple(_, items)) if items.is_empty() => {
            Ok(Value::Dict(1, Vec::new()))
        }
        (Value::Global(Known { what: What::Tensor, .. }), Value::Tuple(_, items)) => view(items),
        (Value::Global(known), _) => Err(format!("{} is not called so", known.name)),
        _ => Err("what is called is no function".into()),
    }
}

/// `_rebuild_tensor_v2(storage, offset, shape, strides, requires_grad, hooks)`, whose last two say nothing here.
fn view(arguments: &[Value]) -> Done<Value> {
    let [Value::Storage(storage), Value::Int(offset), Value::Tuple(_, shape), Value::Tuple(_, strides), _, _] =
        arguments
    else {
        return Err("not the arguments of a tensor".into());
    };
    Ok(Value::View(Rc::new(View {
        storage: storage.clone(),
        offset: usize::try_from(*offset).map_err(|_| format!("offset {offset}"))?,
        shape: numbers(shape)?,
        strides: numbers(strides)?,
    })))
}

fn numbers<T: TryFrom<i128>>(values: &[Value]) -> Done<Vec<T>> {
    let number = |value: &Value| match value {
        Value::Int(number) => T::try_from(*number).map_err(|_| format!("{number} is no size")),
        _ => Err("a size that is no number".into()),
    };
    values.iter().map(number).collect()
}
