//! Arguments bound to parameters as Python binds them, and read as the types the library takes.

use super::{
    failure::{Failure, Result, ill_formed, unsupported},
    value::{self, Value},
};
use mlx_core::{Axes, Dtype, OperandRef, Scalar, Tensor, axes};

/// The arguments of a call as the case writes them.
pub(crate) struct Call {
    pub(crate) op: String,
    pub(crate) args: Vec<Value>,
    pub(crate) kw: Vec<(String, Value)>,
}

/// Arguments by parameter; `None` where the default holds.
pub(crate) struct Bound {
    op: String,
    names: Vec<String>,
    values: Vec<Option<Value>>,
}

impl Call {
    /// Binds to a signature in Python's writing: `"a, /, axis=, *, precise="`, with `=` after what has a default.
    pub(crate) fn bind(&self, signature: &str) -> Result<Bound> {
        let (mut names, mut optional) = (Vec::new(), Vec::new());
        let (mut first_named, mut last_positional) = (0, None);
        for parameter in signature.split(", ").filter(|parameter| !parameter.is_empty()) {
            match parameter {
                "/" => first_named = names.len(),
                "*" => last_positional = Some(names.len()),
                _ => {
                    names.push(parameter.trim_end_matches('=').to_owned());
                    optional.push(parameter.ends_with('='));
                }
            }
        }
        if self.args.len() > last_positional.unwrap_or(names.len()) {
            return ill_formed(format!("{} takes fewer arguments", self.op));
        }
        let mut values: Vec<Option<Value>> = self.args.iter().cloned().map(Some).collect();
        values.resize(names.len(), None);
        for (name, value) in &self.kw {
            match names.iter().position(|known| known == name) {
                Some(i) if i >= first_named && values[i].is_none() => values[i] = Some(value.clone()),
                Some(_) => return ill_formed(format!("{} takes no keyword {name} here", self.op)),
                None => return unsupported(format!("keyword {name} of {}", self.op)),
            }
        }
        match (0..names.len()).find(|&i| values[i].is_none() && !optional[i]) {
            Some(missing) => ill_formed(format!("{} needs {}", self.op, names[missing])),
            None => Ok(Bound { op: self.op.clone(), names, values }),
        }
    }
}

impl Bound {
    /// The argument as it is.
    pub(crate) fn value(&self, i: usize) -> &Value {
        self.get(i)
    }

    fn get(&self, i: usize) -> &Value {
        self.values[i].as_ref().unwrap_or(&Value::None)
    }

    fn wrong<T>(&self, i: usize, wanted: &str) -> Result<T> {
        ill_formed(format!("{}: {} is no {wanted}", self.op, self.names[i]))
    }

    /// Whether the parameter was given, and as other than None.
    pub(crate) fn has(&self, i: usize) -> bool {
        !matches!(self.get(i), Value::None)
    }

    /// Whether the parameter was given at all.
    pub(crate) fn is_given(&self, i: usize) -> bool {
        self.values[i].is_some()
    }

    pub(crate) fn is_list(&self, i: usize) -> bool {
        matches!(self.get(i), Value::List(_))
    }

    /// A list of pairs of ints, if it is one; an empty list is.
    pub(crate) fn pairs(&self, i: usize) -> Option<Vec<(i32, i32)>> {
        let Value::List(items) = self.get(i) else { return None };
        let pair = |item: &Value| match item {
            Value::List(pair) => match &pair[..] {
                [low, high] => Some((small(low)?, small(high)?)),
                _ => None,
            },
            _ => None,
        };
        items.iter().map(pair).collect()
    }

    /// A list of ints of 64 bits.
    pub(crate) fn wide_list(&self, i: usize) -> Result<Vec<i64>> {
        let Value::List(items) = self.get(i) else { return self.wrong(i, "list of ints") };
        let list: Option<Vec<i64>> = items.iter().map(wide).collect();
        list.map_or_else(|| self.wrong(i, "list of ints"), Ok)
    }

    /// An int of 64 bits.
    pub(crate) fn wide(&self, i: usize, default: i64) -> Result<i64> {
        match self.get(i) {
            Value::None if self.values[i].is_none() => Ok(default),
            given => wide(given).map_or_else(|| self.wrong(i, "int"), Ok),
        }
    }

    pub(crate) fn tensor(&self, i: usize) -> Result<&Tensor> {
        match self.get(i) {
            Value::Tensor(tensor) => Ok(tensor),
            _ => self.wrong(i, "tensor"),
        }
    }

    pub(crate) fn tensors(&self, i: usize) -> Result<Vec<&Tensor>> {
        let Value::List(items) = self.get(i) else { return self.wrong(i, "list of tensors") };
        let tensors = items.iter().map(|item| match item {
            Value::Tensor(tensor) => Ok(tensor),
            _ => self.wrong(i, "list of tensors"),
        });
        tensors.collect()
    }

    pub(crate) fn operand(&self, i: usize) -> Result<OperandRef<'_>> {
        value::operand(self.get(i), &self.op)
    }

    /// A number; the default is a bool, which has no say in the dtype of the others.
    pub(crate) fn scalar(&self, i: usize, default: bool) -> Result<Scalar> {
        match self.get(i) {
            Value::None => Ok(Scalar::Bool(default)),
            given => value::scalar(given).map_or_else(|| self.wrong(i, "number"), Ok),
        }
    }

    pub(crate) fn float(&self, i: usize, default: f32) -> Result<f32> {
        Ok(self.double(i, default.into())? as f32)
    }

    pub(crate) fn double(&self, i: usize, default: f64) -> Result<f64> {
        match *self.get(i) {
            Value::None => Ok(default),
            Value::Float(value) => Ok(value),
            Value::Int(value) => Ok(value as f64),
            Value::Bool(value) => Ok(u8::from(value).into()),
            _ => self.wrong(i, "number"),
        }
    }

    pub(crate) fn seed(&self, i: usize) -> Result<u64> {
        match *self.get(i) {
            Value::Int(value) => u64::try_from(value).or_else(|_| self.wrong(i, "int of 64 bits")),
            _ => self.wrong(i, "int of 64 bits"),
        }
    }

    pub(crate) fn flag(&self, i: usize) -> Result<bool> {
        self.flag_or(i, false)
    }

    pub(crate) fn flag_or(&self, i: usize, default: bool) -> Result<bool> {
        match *self.get(i) {
            Value::None if self.values[i].is_none() => Ok(default),
            Value::Bool(value) => Ok(value),
            _ => self.wrong(i, "bool"),
        }
    }

    pub(crate) fn dtype(&self, i: usize) -> Result<Option<Dtype>> {
        match *self.get(i) {
            Value::None => Ok(None),
            Value::Dtype(dtype) => Ok(Some(dtype)),
            _ => self.wrong(i, "dtype"),
        }
    }

    pub(crate) fn int(&self, i: usize, default: i32) -> Result<i32> {
        match self.get(i) {
            Value::None if self.values[i].is_none() => Ok(default),
            given => small(given).map_or_else(|| self.wrong(i, "int"), Ok),
        }
    }

    /// An int for all axes, or a list of one for each.
    pub(crate) fn int_each<const N: usize>(&self, i: usize, default: i32) -> Result<[i32; N]> {
        match self.get(i) {
            Value::List(items) if N > 1 => match ints(items).and_then(|list| list.try_into().ok()) {
                Some(each) => Ok(each),
                None => self.wrong(i, "list of one int for each axis"),
            },
            _ => self.int(i, default).map(|all| [all; N]),
        }
    }

    /// An int, or a list of any length.
    pub(crate) fn int_list(&self, i: usize, default: i32) -> Result<Vec<i32>> {
        match self.get(i) {
            Value::List(items) => ints(items).map_or_else(|| self.wrong(i, "list of ints"), Ok),
            _ => self.int(i, default).map(|one| vec![one]),
        }
    }

    /// Two lists of ints, if that is what it is.
    pub(crate) fn list_pair(&self, i: usize) -> Result<Option<[Vec<i32>; 2]>> {
        let Value::List(items) = self.get(i) else { return Ok(None) };
        let [Value::List(first), Value::List(second)] = &items[..] else { return Ok(None) };
        match (ints(first), ints(second)) {
            (Some(first), Some(second)) => Ok(Some([first, second])),
            _ => self.wrong(i, "pair of lists of ints"),
        }
    }
    pub(crate) fn optional_tensor(&self, i: usize) -> Result<Option<&Tensor>> {
        if self.has(i) { self.tensor(i).map(Some) } else { Ok(None) }
    }

    pub(crate) fn text<'a>(&'a self, i: usize, default: &'a str) -> Result<&'a str> {
        match self.get(i) {
            Value::None if self.values[i].is_none() => Ok(default),
            Value::Text(text) => Ok(text),
            _ => self.wrong(i, "string"),
        }
    }

    /// An int, or None for all elements in a row; the default where the parameter was not given.
    pub(crate) fn axis(&self, i: usize, default: Option<i32>) -> Result<Option<i32>> {
        match self.get(i) {
            Value::None if self.values[i].is_none() => Ok(default),
            Value::None => Ok(None),
            given => small(given).map_or_else(|| self.wrong(i, "axis"), |axis| Ok(Some(axis))),
        }
    }

    pub(crate) fn given(&self, i: usize) -> &Value {
        self.get(i)
    }

    /// None is all axes, an int one, a list several.
    pub(crate) fn axes(&self, i: usize) -> Result<Axes> {
        match self.get(i) {
            Value::None => Ok(axes(..)),
            Value::List(items) => {
                let list: Option<Vec<i32>> = items.iter().map(small).collect();
                list.map_or_else(|| self.wrong(i, "list of axes"), |list| Ok(axes(&list[..])))
            }
            one => small(one).map_or_else(|| self.wrong(i, "axis"), |axis| Ok(axes(axis))),
        }
    }

    /// [`axes`](Bound::axes), and in the parameter after it whether they stay.
    pub(crate) fn kept_axes(&self, i: usize) -> Result<Axes> {
        let axes = self.axes(i)?;
        Ok(if self.flag(i + 1)? { axes.keep() } else { axes })
    }

    /// A list of sizes, or where the op takes it one size alone.
    pub(crate) fn shape(&self, i: usize, one_alone: bool) -> Result<Vec<i32>> {
        match self.get(i) {
            Value::List(sizes) => self::shape(sizes).unwrap_or_else(|| self.wrong(i, "shape")),
            Value::Int(_) if one_alone => {
                self::shape(std::slice::from_ref(self.get(i))).unwrap_or_else(|| self.wrong(i, "shape"))
            }
            _ => self.wrong(i, "shape"),
        }
    }
}

/// The sizes of a shape; no shape when one is no int.
pub(crate) fn shape(sizes: &[Value]) -> Option<Result<Vec<i32>>> {
    let sizes: Option<Vec<i128>> = sizes
        .iter()
        .map(|size| match *size {
            Value::Int(value) => Some(value),
            Value::Bool(value) => Some(value.into()),
            _ => None,
        })
        .collect();
    // Beyond i32 Python raises, and in Rust no such size can be written.
    let narrow = |&size: &i128| {
        i32::try_from(size).map_err(|_| {
            let range = format!("[{}, {}]", i32::MIN, i32::MAX);
            let message = format!("Integer value {size} is outside the supported range {range}.");
            Failure::raised("OverflowError", message)
        })
    };
    sizes.map(|sizes| sizes.iter().map(narrow).collect())
}

fn ints(items: &[Value]) -> Option<Vec<i32>> {
    items.iter().map(small).collect()
}

fn wide(value: &Value) -> Option<i64> {
    match *value {
        Value::Int(value) => i64::try_from(value).ok(),
        Value::Bool(value) => Some(value.into()),
        _ => None,
    }
}

fn small(value: &Value) -> Option<i32> {
    match *value {
        Value::Int(value) => i32::try_from(value).ok(),
        Value::Bool(value) => Some(value.into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(args: &[i128], kw: &[(&str, i128)]) -> Call {
        Call {
            op: "op".into(),
            args: args.iter().copied().map(Value::Int).collect(),
            kw: kw.iter().map(|(name, value)| ((*name).into(), Value::Int(*value))).collect(),
        }
    }

    fn ints(bound: Result<Bound>) -> Option<Vec<i32>> {
        let bound = bound.ok()?;
        (0..bound.names.len()).map(|i| bound.int(i, -1).ok()).collect()
    }

    #[test]
    fn arguments_bind_as_in_python() {
        let signature = "a, /, axis=, *, keep=";
        let bound = |args: &[i128], kw: &[(&str, i128)]| ints(call(args, kw).bind(signature));
        assert_eq!(bound(&[1], &[]), Some(vec![1, -1, -1]));
        assert_eq!(bound(&[1, 2], &[("keep", 3)]), Some(vec![1, 2, 3]));
        assert_eq!(bound(&[1], &[("keep", 3), ("axis", 2)]), Some(vec![1, 2, 3]));
        assert_eq!(bound(&[], &[]), None, "a is missing");
        assert_eq!(bound(&[1, 2, 3], &[]), None, "keep is by keyword only");
        assert_eq!(bound(&[], &[("a", 1)]), None, "a is by position only");
        assert_eq!(bound(&[1, 2], &[("axis", 2)]), None, "axis is given twice");
        assert!(matches!(call(&[1], &[("other", 2)]).bind(signature), Err(Failure::Unsupported(_))));
    }
}
