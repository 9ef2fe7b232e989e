//! Methods and properties of Python's array.

use super::{
    failure::{Failure, Result, ill_formed, unsupported},
    functions,
    signature::{self, Call},
    value::{Item, Value, with_element},
};
use mlx_core::{Tensor, axes};

/// What `args[0].NAME(…)` gives.
pub(crate) fn call(name: &str, call: &Call) -> Result<Value> {
    let Some(Value::Tensor(x)) = call.args.first() else {
        return ill_formed("a method needs a tensor in args[0]");
    };
    let size = |size: usize| Ok(Value::Int(size as i128));
    match name {
        "shape" => Ok(Value::List(x.shape().iter().map(|&size| Value::Int(size.into())).collect())),
        "dtype" => Ok(Value::Dtype(x.dtype())),
        "ndim" => size(x.ndim()),
        "size" => size(x.size()),
        "nbytes" => size(x.nbytes()),
        "itemsize" => size(x.dtype().size()),
        "T" => Ok(Value::Tensor(mlx_ops::transpose(x, ..)?)),
        "item" => with_element!(x.dtype(), item(x)),
        "tolist" => with_element!(x.dtype(), list(x)),
        "astype" => match call.bind("self, dtype")?.dtype(1)? {
            Some(dtype) => Ok(Value::Tensor(mlx_ops::astype(x, dtype)?)),
            None => ill_formed("astype needs a dtype"),
        },
        "reshape" => Ok(Value::Tensor(mlx_ops::reshape(x, variadic(call)?)?)),
        "transpose" => {
            let list = variadic(call)?;
            let order = if list.is_empty() { axes(..) } else { axes(&list[..]) };
            Ok(Value::Tensor(mlx_ops::transpose(x, order)?))
        }
        // The others take the parameters of the function of their name.
        _ => functions::method(name, call),
    }
}

/// Sizes or axes as `*args`, or in one list.
fn variadic(call: &Call) -> Result<Vec<i32>> {
    if !call.kw.is_empty() {
        return unsupported(format!("keywords of {}", call.op));
    }
    let items = match &call.args[1..] {
        [Value::List(items)] => items,
        items => items,
    };
    signature::shape(items).unwrap_or_else(|| ill_formed(format!("{} takes ints", call.op)))
}

fn item<T: Item>(x: &Tensor) -> Result<Value> {
    Ok(x.item::<T>()?.value())
}

const MOST_LISTS: usize = 1 << 24;

/// Lists within lists, or for a 0-d tensor its value.
fn list<T: Item>(x: &Tensor) -> Result<Value> {
    // Empty lists take memory too, in Python all there is.
    let lists =
        x.shape().iter().try_fold(1_usize, |product, &size| product.checked_mul(size.max(1) as usize));
    if lists.is_none_or(|lists| lists > MOST_LISTS) {
        return unsupported("tolist of so many lists");
    }
    let values: Vec<Value> = x.to_vec::<T>()?.into_iter().map(Item::value).collect();
    nested(x.shape(), &values)
}

fn nested(shape: &[i32], values: &[Value]) -> Result<Value> {
    let Some((&size, inner)) = shape.split_first() else {
        let lost = || Failure::IllFormed("a tensor without its element".into());
        return values.first().cloned().ok_or_else(lost);
    };
    let length: usize = inner.iter().map(|&size| size as usize).product();
    let rows = (0..size as usize).map(|row| nested(inner, &values[row * length..(row + 1) * length]));
    Ok(Value::List(rows.collect::<Result<_>>()?))
}
