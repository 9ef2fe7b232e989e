"""nn functions, which Python compiles: dtypes, specials, many values, all halves, shapes, views, chains."""

from .base import DTYPES, HALVES, SHORT, case, error, normal, sample, step, tensor

NAMES = ["gelu", "gelu_approx", "relu", "silu", "softplus"]


def every_dtype():
    for name in NAMES:
        for dtype in DTYPES:
            inputs = {"x": tensor(dtype, [2, 3], sample(dtype))}
            made = step("y", f"nn.{name}", "$x")
            refuses = dtype == "complex64" and name in ("gelu", "silu")
            if refuses:
                yield error(f"{name}_{SHORT[dtype]}", inputs, made)
            else:
                yield case(f"{name}_{SHORT[dtype]}", inputs, [made])


def many_values():
    for name in NAMES:
        for dtype in HALVES + ["float32"]:
            for key, low, high in ((1, -4.0, 4.0), (2, -100.0, 100.0)):
                inputs = {
                    "x": {
                        "dtype": dtype,
                        "shape": [5000],
                        "uniform": {"key": key, "low": low, "high": high},
                    }
                }
                yield case(
                    f"{name}_many_{key}_{SHORT[dtype]}", inputs, [step("y", f"nn.{name}", "$x")]
                )


def whole_models():
    """Every half, and as many float32 as a layer has."""
    for name in NAMES:
        for dtype in HALVES:
            steps = [
                step("i", "mx.arange", 0, 65536, 1, {"dtype": "uint16"}),
                step("x", "mx.view", "$i", {"dtype": dtype}),
                step("y", f"nn.{name}", "$x"),
            ]
            yield case(f"{name}_all_{SHORT[dtype]}", {}, steps)
    for name in ("gelu", "gelu_approx"):
        drawn = {"dtype": "float32", "shape": [1000000], "uniform": {"key": 9, "low": -8.0, "high": 8.0}}
        yield case(f"{name}_million_f32", {"x": drawn}, [step("y", f"nn.{name}", "$x")])


def shapes():
    for name in NAMES:
        for shape in ([], [1], [0], [2, 0], [1, 1, 1], [3, 1, 4]):
            tag = "x".join(map(str, shape)) or "0d"
            inputs = {
                "x": tensor("float32", shape, []) if 0 in shape else normal("float32", shape, 3)
            }
            yield case(f"{name}_shape_{tag}", inputs, [step("y", f"nn.{name}", "$x")])
        inputs = {"x": normal("float32", [6, 4], 4)}
        steps = [
            step("t", "mx.transpose", "$x"),
            step("u", f"nn.{name}", "$t"),
            step("s", "index", "$x", [{"slice": [None, None, 2]}]),
            step("v", f"nn.{name}", "$s"),
        ]
        yield case(f"{name}_views", inputs, steps, ["u", "v"])


def chains():
    for dtype in HALVES + ["float32"]:
        inputs = {"x": normal(dtype, [4, 8], 5), "y": normal(dtype, [3], 6)}
        # One trace serves all shapes of a dtype and number of dimensions, and a second one another number.
        steps = [
            step("a", "nn.gelu", "$x"),
            step("b", "nn.gelu", "$a"),
            step("c", "nn.gelu", "$y"),
            step("d", "nn.silu", "$b"),
            step("e", "*", "$d", 0.5),
            step("f", "nn.relu", "$e"),
            step("g", "nn.softplus", "$f"),
            step("h", "nn.gelu_approx", "$g"),
        ]
        yield case(f"activation_chain_{SHORT[dtype]}", inputs, steps, ["c", "h"])


def cases():
    parts = (every_dtype, many_values, whole_models, shapes, chains)
    return [made for part in parts for made in part()]
