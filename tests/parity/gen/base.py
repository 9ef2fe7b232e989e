"""What every family needs: the dtypes, sample values for each, and the building of one case.

Not here: any case. Sample values are chosen so that no case depends on undefined behaviour, and so
that integer divisors are never zero unless a case says so.
"""

UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
SIGNED = ["int8", "int16", "int32", "int64"]
INTS = UNSIGNED + SIGNED
FLOATS = ["float16", "bfloat16", "float32", "float64"]
REALS = ["bool_"] + INTS + FLOATS
DTYPES = REALS + ["complex64"]
HALVES = ["float16", "bfloat16"]

SHORT = {
    "bool_": "b", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "int8": "i8",
    "int16": "i16", "int32": "i32", "int64": "i64", "float16": "f16", "bfloat16": "bf16",
    "float32": "f32", "float64": "f64", "complex64": "c64",
}
BITS = {name: int(name.lstrip("uint")) for name in INTS}

SCALARS = {"bool": True, "int": 3, "float": 2.5, "complex": {"complex": [1.0, 2.0]}}
# Python's json can't write these number forms, which a reader must still tell apart: the integer
# -0, and a float with an exponent but no point. generate.py puts the right-hand side into the file.
LITERALS = {"literal:-0": "-0", "literal:1e1": "1e1"}

OP_NAMES = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "//": "floordiv", "%": "mod", "**": "pow",
    "@": "matmul", "&": "and", "|": "or", "^": "xor", "<<": "shl", ">>": "shr", "<": "lt",
    "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne", "+=": "iadd", "-=": "isub",
    "*=": "imul", "/=": "idiv", "//=": "ifloordiv", "%=": "imod",
}


def bounds(dtype):
    """The least and the greatest value of an integer dtype."""
    bits = BITS[dtype]
    return (0, 2**bits - 1) if dtype in UNSIGNED else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def sample(dtype):
    """Six values with the dtype's special ones among them."""
    if dtype == "bool_":
        return [1, 0, 1, 1, 0, 0]
    if dtype in INTS:
        low, high = bounds(dtype)
        return [0, 1, 2, 7, high - 56, high] if low == 0 else [low, -1, 0, 1, 7, high]
    if dtype in FLOATS:
        return [-2.5, -0.0, 0.75, "nan", "inf", 7.0]
    return [[1.0, 2.0], [-0.5, 0.0], [0.0, -1.5], [3.0, -4.0], ["nan", 1.0], ["inf", -2.0]]


def nonzero(dtype):
    """Six values fit to divide by: no zero, and no -1, which traps under the least integer."""
    if dtype == "bool_":
        return [1, 1, 1, 1, 1, 1]
    if dtype in UNSIGNED:
        return [1, 2, 3, 5, 7, 101]
    if dtype in SIGNED:
        return [-7, -3, 2, 5, 1, 101]
    if dtype in FLOATS:
        return [-2.5, 0.5, 3.0, "inf", 1000.0, -7.25]
    return [[1.0, 1.0], [2.0, 0.0], [0.0, -0.5], [-3.0, 4.0], [1.5, 2.0], [-1.0, -1.0]]


def tame(dtype):
    """Six small values without specials, for functions that would only say nan."""
    if dtype == "bool_":
        return [1, 0, 1, 1, 0, 0]
    if dtype in UNSIGNED:
        return [3, 0, 1, 5, 2, 4]
    if dtype in SIGNED:
        return [3, 0, -1, 5, -2, 4]
    if dtype in FLOATS:
        return [0.5, -1.25, 2.0, 0.0, 3.5, -0.75]
    return [[0.5, 1.0], [-1.25, 0.0], [2.0, -1.0], [0.0, 0.5], [3.5, 2.0], [-0.75, -0.25]]


def tensor(dtype, shape, values):
    return {"dtype": dtype, "shape": list(shape), "values": list(values)}


def grid(dtype, values=sample):
    return tensor(dtype, [2, 3], values(dtype))


def normal(dtype, shape, key):
    return {"dtype": dtype, "shape": list(shape), "normal": {"key": key}}


def drawn(dtype, shape, key):
    """Like normal, also of no elements."""
    return tensor(dtype, shape, []) if 0 in shape else normal(dtype, shape, key)


def dims(shape):
    """A shape in a case's name."""
    return "x".join(map(str, shape)) or "0d"


def step(out, op, *args, **kw):
    made = {"out": out, "op": op, "args": list(args)}
    if kw:
        made["kw"] = kw
    return made


def case(name, inputs, steps, outputs=("y",), graph=True):
    """A case whose value, and unless told otherwise graph, must agree."""
    compare = ["value", "graph"] if graph else ["value"]
    return {
        "name": name, "inputs": inputs, "steps": steps, "outputs": list(outputs),
        "compare": compare,
    }


def error(name, inputs, *steps, message=True):
    """A case on which both sides must raise, with the same words unless told otherwise."""
    made = {"name": name, "inputs": inputs, "steps": list(steps), "outputs": ["y"]}
    if message:
        made["compare"] = ["message"]
    made["expect"] = "error"
    return made


def killer(name, inputs, *steps):
    """A case that would kill Python or read foreign memory there: Rust alone must refuse it."""
    made = error(name, inputs, *steps, message=False)
    made["python"] = "skip"
    return made
