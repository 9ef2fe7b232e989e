"""Values of a case under Python MLX: what arguments, index specs and inputs mean, how outputs are
written down, and the two exceptions every part of the worker shares.

Not here: ops, steps and transforms (case_steps.py) and the line protocol (worker.py).
"""

import os
import struct

import mlx.core as mx
import mlx.nn as nn
import numpy as np

DTYPES = {
    name: getattr(mx, name)
    for name in (
        "bool_ uint8 uint16 uint32 uint64 int8 int16 int32 int64 "
        "float16 bfloat16 float32 float64 complex64"
    ).split()
}
CATEGORIES = {
    name: getattr(mx, name)
    for name in (
        "generic number integer signedinteger unsignedinteger inexact floating complexfloating"
    ).split()
}
DTYPE_NAMES = {str(dtype): name for name, dtype in DTYPES.items()}


class IllFormed(Exception):
    """The case is not a valid case; says nothing about MLX."""


class EvalFailed(Exception):
    """Wraps an exception that came out of an evaluation."""


def require(condition, why):
    if not condition:
        raise IllFormed(why)


def evaluate(*trees):
    """Evaluates everything, and brings errors that MLX would deliver late to the surface now."""
    try:
        mx.eval(*trees)
        mx.synchronize()
        # MLX hands the error of one eval to whichever eval checks next, even an innocent one.
        mx.eval(mx.zeros((1,)) + 1)
    except Exception as error:
        raise EvalFailed from error


def real(value):
    """A float as the format writes it: a number, or one of three strings."""
    if isinstance(value, str):
        require(value in ("nan", "inf", "-inf"), f"not a number: {value!r}")
        return float(value)
    require(type(value) in (int, float), f"not a number: {value!r}")
    return value


def dtype_of(name):
    require(isinstance(name, str) and name in DTYPES, f"unknown dtype {name!r}")
    return DTYPES[name]


def complex_of(pair):
    require(isinstance(pair, list) and len(pair) == 2, "a complex is [re, im]")
    return complex(real(pair[0]), real(pair[1]))


def lookup(name, env):
    require(name in env, f"unknown name ${name}")
    return env[name]


def argument(arg, env):
    if isinstance(arg, str):
        return lookup(arg[1:], env) if arg.startswith("$") else arg
    if isinstance(arg, list):
        return [argument(item, env) for item in arg]
    if not isinstance(arg, dict):
        return arg
    require(len(arg) == 1, f"an object argument has one key: {arg}")
    (kind, value), = arg.items()
    if kind == "complex":
        return complex_of(value)
    if kind == "float":
        return float(real(value))
    if kind == "function":
        require(isinstance(value, str) and callable(getattr(nn, value, None)), f"unknown function {value!r}")
        return getattr(nn, value)
    require(kind == "dtype", f"unknown argument form {kind!r}")
    # A category of dtypes stands where a dtype does, for issubdtype.
    return CATEGORIES[value] if value in CATEGORIES else dtype_of(value)


def index_item(item, env):
    if item == "...":
        return Ellipsis
    if item == "newaxis":
        return None
    if isinstance(item, str):
        require(item.startswith("$"), f"unknown index item {item!r}")
        return lookup(item[1:], env)
    if isinstance(item, dict):
        bounds = item.get("slice")
        form = set(item) == {"slice"} and isinstance(bounds, list) and len(bounds) == 3
        require(form, "a slice item is {\"slice\": [start, stop, step]}")
        require(all(b is None or type(b) is int for b in bounds), "slice bounds are ints or null")
        return slice(*bounds)
    require(type(item) is int, f"unknown index item {item!r}")
    return item


def index_spec(spec, env):
    require(isinstance(spec, list), "an index is a list of items")
    items = tuple(index_item(item, env) for item in spec)
    # Python's a[i] and a[(i,)] issue different graphs; one item means the first, which is what
    # people write.
    return items[0] if len(items) == 1 else items


def input_value(value):
    if isinstance(value, list):
        return complex_of(value)
    return value if isinstance(value, bool) else real(value)


def from_values(values, dtype, shape):
    require(isinstance(values, list), "values is a flat list")
    values = [input_value(value) for value in values]
    size = int(np.prod(shape, dtype=np.int64))
    require(len(values) == size, f"{len(values)} values for shape {shape}")
    # mx.array refuses ints above i64, so large uint64 values have to come in through numpy.
    if dtype == mx.uint64 and any(type(v) is int and v >= 2**63 for v in values):
        require(all(type(v) is int and 0 <= v < 2**64 for v in values), "uint64 out of range")
        return mx.array(np.array(values, dtype=np.uint64)).reshape(shape)
    return mx.array(values, dtype=dtype).reshape(shape)


def drawn(kind, how, dtype, shape):
    require(isinstance(how, dict) and type(how.get("key")) is int, f"{kind} needs a key")
    key = mx.random.key(how["key"])
    if kind == "normal":
        sample = mx.random.normal(shape, key=key)
    elif kind == "uniform":
        sample = mx.random.uniform(how.get("low", 0), how.get("high", 1), shape, key=key)
    else:
        require("low" in how and "high" in how, "randint needs low and high")
        sample = mx.random.randint(how["low"], how["high"], shape, key=key)
    return sample.astype(dtype)


def from_file(spec, folder):
    tensors = mx.load(os.path.join(folder, spec["file"]))
    name = spec.get("tensor")
    require(name in tensors, f"{spec['file']} has no tensor {name!r}")
    tensor = tensors[name]
    stated = spec.get("dtype", DTYPE_NAMES[str(tensor.dtype)])
    require(dtype_of(stated) == tensor.dtype, f"{name} is {tensor.dtype}, not {stated}")
    require(spec.get("shape", list(tensor.shape)) == list(tensor.shape), f"{name}: other shape")
    return tensor


def make_input(spec, folder):
    require(isinstance(spec, dict), "an input is an object")
    if "file" in spec:
        return from_file(spec, folder)
    dtype, shape = dtype_of(spec.get("dtype")), spec.get("shape")
    good = isinstance(shape, list) and all(type(d) is int and d >= 0 for d in shape)
    require(good, "shape is a list of sizes")
    if "values" in spec:
        return from_values(spec["values"], dtype, shape)
    for kind in ("normal", "uniform", "randint"):
        if kind in spec:
            return drawn(kind, spec[kind], dtype, shape)
    raise IllFormed("an input needs values, normal, uniform, randint or file")


def tensors_in(value):
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in tensors_in(item)]
    return [value] if isinstance(value, mx.array) else []


def encode_tensor(tensor):
    # Viewing as bytes is the one reading that no dtype's conversion can touch. Not on a GPU, which refuses float64; and
    # of a tensor without elements MLX's CUDA build has no memory to show.
    data = b""
    if tensor.size > 0:
        flat = mx.reshape(tensor, [-1], stream=mx.cpu)
        data = bytes(memoryview(mx.view(flat, mx.uint8, stream=mx.cpu)))
    dtype = DTYPE_NAMES[str(tensor.dtype)]
    return {"dtype": dtype, "shape": list(tensor.shape), "hex": data.hex()}


def f64_hex(value):
    return struct.pack(">d", value).hex()


def encode_json(value):
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return {"f64": f64_hex(value)}
    if isinstance(value, complex):
        return {"c128": [f64_hex(value.real), f64_hex(value.imag)]}
    if isinstance(value, mx.Dtype):
        return {"dtype": DTYPE_NAMES[str(value)]}
    if isinstance(value, mx.array):
        return {"tensor": encode_tensor(value)}
    if isinstance(value, (list, tuple)):
        return [encode_json(item) for item in value]
    if type(value) in (mx.finfo, mx.iinfo):
        fields = [name for name in dir(value) if not name.startswith("_")]
        return {"fields": {name: encode_json(getattr(value, name)) for name in fields}}
    raise IllFormed(f"an output of type {type(value).__name__} has no encoding")


def encode(value):
    return encode_tensor(value) if isinstance(value, mx.array) else {"json": encode_json(value)}
