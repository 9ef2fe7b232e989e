"""Methods of a tensor, reading back as Python values, and results with several outputs.

Not here: the same functions called as `mx.NAME` (their own families).
"""

from .base import DTYPES, SHORT, case, error, grid, nonzero, sample, step, tame, tensor

SHARED = ["abs", "exp", "log", "sqrt", "rsqrt", "square", "sin", "cos"]


def elementwise():
    for name in SHARED:
        for dtype in ("float32", "bfloat16", "int32"):
            made = step("y", f"method.{name}", "$a")
            yield case(f"method_{name}_{SHORT[dtype]}", {"a": grid(dtype, tame)}, [made])


def reductions():
    for name in ("sum", "mean", "max", "min", "var"):
        op = f"method.{name}"
        for dtype in ("float32", "float16", "uint8"):
            steps = [
                step("y", op, "$a"), step("z", op, "$a", -1), step("k", op, "$a", 0, True),
                step("w", op, "$a", axis=[0, 1], keepdims=True),
            ]
            outputs = [made["out"] for made in steps]
            yield case(f"method_{name}_{SHORT[dtype]}", {"a": grid(dtype, nonzero)}, steps, outputs)
        made = step("y", op, "$a", 7)
        yield error(f"method_{name}_axis_refused", {"a": grid("float32")}, made)
    made = step("y", "method.var", "$a", None, False, 1)
    yield case("method_var_positional_ddof", {"a": grid("float32", tame)}, [made])


def shaping():
    inputs = {"a": grid("bfloat16"), "b": tensor("float32", [1, 3, 1], [1.0, 2.0, 3.0])}
    forms = {
        "reshape_ints": ["reshape", "$a", 3, 2], "reshape_list": ["reshape", "$a", [3, 2]],
        "reshape_infer": ["reshape", "$a", -1], "reshape_infer_two": ["reshape", "$a", 2, -1],
        "transpose": ["transpose", "$a"], "transpose_ints": ["transpose", "$a", 1, 0],
        "transpose_list": ["transpose", "$a", [1, 0]], "squeeze": ["squeeze", "$b"],
        "squeeze_axis": ["squeeze", "$b", 0], "squeeze_axes": ["squeeze", "$b", [0, 2]],
    }
    for name, (method, *args) in forms.items():
        yield case(f"method_{name}", inputs, [step("y", f"method.{method}", *args)])
    yield error("method_reshape_refused", inputs, step("y", "method.reshape", "$a", 4, 2))
    yield error("method_squeeze_refused", inputs, step("y", "method.squeeze", "$b", 1))
    yield error("method_transpose_refused", inputs, step("y", "method.transpose", "$a", 0))


def astype():
    for dtype in DTYPES:
        made = step("y", "method.astype", "$a", dtype={"dtype": dtype})
        yield case(f"method_astype_{SHORT[dtype]}", {"a": grid("int16")}, [made])


def reading():
    for dtype in DTYPES:
        one = {"a": tensor(dtype, [], sample(dtype)[-1:]), "b": tensor(dtype, [1, 1], tame(dtype)[:1])}
        steps = [step("x", "method.item", "$a"), step("y", "method.item", "$b")]
        yield case(f"item_{SHORT[dtype]}", one, steps, ["x", "y"], graph=False)
        steps = [step("y", "method.tolist", "$a"), step("z", "method.tolist", "$e")]
        inputs = {"a": grid(dtype), "e": tensor(dtype, [0], [])}
        yield case(f"tolist_{SHORT[dtype]}", inputs, steps, ["y", "z"], graph=False)
    steps = [step("b", "*", "$a", 2), step("y", "method.tolist", "$b")]
    yield case("tolist_of_lazy", {"a": grid("int32")}, steps, graph=False)
    made = step("y", "method.tolist", "$a")
    yield case("tolist_0d", {"a": tensor("float16", [], [0.1])}, [made], graph=False)
    yield error("item_refused", {"a": grid("float32")}, step("y", "method.item", "$a"))
    yield error("item_empty_refused", {"a": tensor("int32", [0], [])}, step("y", "method.item", "$a"))


def unpacking():
    inputs = {"a": grid("float32"), "v": tensor("int32", [3], [5, 6, 7])}
    made = step(["p", "q"], "mx.square", "$a")
    yield case("unpack_rows", inputs, [made], ["p", "q"])
    made = step(["p", "q", "r"], "*", "$v", 2)
    yield case("unpack_vector", inputs, [made, step("y", "-", "$r", "$p")], ["q", "y"])
    made = step(["y"], "mx.reshape", "$a", [1, 6])
    yield case("unpack_one", inputs, [made])
    yield error("unpack_too_few", inputs, step(["y", "q", "r"], "mx.square", "$a"), message=False)
    yield error("unpack_too_many", inputs, step(["y", "q"], "neg", "$v"), message=False)
    zero = {"a": tensor("float32", [], [1.0])}
    yield error("unpack_0d", zero, step(["y", "q"], "neg", "$a"), message=False)


def outputs():
    inputs = {"a": grid("float32")}
    yield case("output_is_input", inputs, [], ["a"])
    yield case("output_twice", inputs, [step("y", "neg", "$a")], ["y", "y", "a"])
    steps = [step("a", "+", "$a", 1), step("a", "*", "$a", 2), step("y", "neg", "$a")]
    yield case("names_rebound", inputs, steps, ["y", "a"])


def cases():
    parts = (elementwise, reductions, shaping, astype, reading, unpacking, outputs)
    return [made for part in parts for made in part()]
