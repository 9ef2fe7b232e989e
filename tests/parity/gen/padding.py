"""pad in each of its forms.

Not here: the padding of convolutions (convolution).
"""

from .base import DTYPES, SCALARS, SHORT, case, error, grid, killer, step, tensor
from .arrange import written
from .shapes import counted, tag

LEAST, MOST = -(2**31), 2**31 - 1
MODES = ("edge", "reflect", "symmetric")
GOOD = [[1], [[1]], [[1, 2]], [[[1, 2]]], [[[1, 2], [0, 3]]], [0], [[[0, 0], [0, 0]]], [[[0, 1], [2, 0]]], [True]]


def widths():
    inputs = {"a": counted([2, 3])}
    for args in GOOD:
        yield case(f"pad_by_{written(args)}", inputs, [step("y", "mx.pad", "$a", *args)])
        for mode in MODES:
            made = step("y", "mx.pad", "$a", *args, mode)
            yield case(f"pad_{mode}_by_{written(args)}", inputs, [made])
    bad = [
        [[[1, 2], [0, 3], [1, 1]]], [[]], [-1], [[[-1, 0], [0, 0]]], [[[0, 0], [0, -5]]], [-3], [LEAST],
        [[MOST, LEAST]], [MOST], [[[MOST, 1], [0, 0]]],
    ]
    for args in bad:
        yield error(f"pad_by_{written(args)}_refused", inputs, step("y", "mx.pad", "$a", *args))
        yield error(f"pad_edge_by_{written(args)}_refused", inputs, step("y", "mx.pad", "$a", *args, "edge"))
    yield error("pad_mode_refused", inputs, step("y", "mx.pad", "$a", 1, "wrap"))
    made = step("y", "mx.pad", "$a", pad_width=[1, 2], mode="constant", constant_values=4)
    yield case("pad_keywords", inputs, [made])


def shapes():
    for shape in ([], [0], [0, 3], [1], [3], [2, 0], [1, 2, 2]):
        name, inputs = tag(shape) if shape else "0d", {"a": counted(shape)}
        yield case(f"pad_shape_{name}", inputs, [step("y", "mx.pad", "$a", [2, 1])])
        yield case(f"pad_edge_shape_{name}", inputs, [step("y", "mx.pad", "$a", [2, 1], "edge")])
        for mode in MODES[1:]:
            made = step("y", "mx.pad", "$a", [2, 1], mode)
            kind = error if 0 in shape else case
            yield kind(f"pad_{mode}_shape_{name}", inputs, *([made] if kind is error else [[made]]))
            yield case(f"pad_{mode}_nothing_{name}", inputs, [step("y", "mx.pad", "$a", 0, mode)])
    inputs = {"a": counted([3])}
    for mode in MODES:
        for low, high in ((2, 0), (3, 3), (9, 0), (0, 9), (4, 5)):
            made = step("y", "mx.pad", "$a", [[low, high]], mode)
            yield case(f"pad_{mode}_far_{low}_{high}", inputs, [made])
    yield case("pad_none_of_0d", {"a": counted([])}, [step("y", "mx.pad", "$a", [])])


def values():
    for dtype in DTYPES:
        inputs = {"a": grid(dtype)}
        for kind, scalar in SCALARS.items():
            made = step("y", "mx.pad", "$a", 1, "constant", scalar)
            yield case(f"pad_{SHORT[dtype]}_with_{kind}", inputs, [made])
        steps = [step("y", "mx.pad", "$a", 1)] + [step(mode, "mx.pad", "$a", 1, mode) for mode in MODES]
        yield case(f"pad_{SHORT[dtype]}", inputs, steps, ["y", *MODES])
    inputs = {
        "a": counted([2, 3], "int32"), "u": counted([2], "uint8"), "s": tensor("float32", [], [2.5]),
        "v": tensor("float32", [2], [7.5, 8.5]), "i": tensor("int8", [], [-3]), "e": tensor("float32", [0], []),
    }
    for name in "svi":
        made = step("y", "mx.pad", "$a", 1, constant_values=f"${name}")
        yield case(f"pad_with_tensor_{name}", inputs, [made])
    for name, value in {"nan": {"float": "nan"}, "minus_inf": {"float": "-inf"}, "minus_zero": -0.0}.items():
        made = step("y", "mx.pad", "$s1", 1, "constant", value)
        yield case(f"pad_with_{name}", {"s1": counted([2], "float16")}, [made])
    yield error("pad_with_beyond_uint8", inputs, step("y", "mx.pad", "$u", 1, constant_values=300))
    yield killer("pad_with_nothing", inputs, step("y", "mx.pad", "$a", 1, constant_values="$e"))
    steps = [step("t", "mx.transpose", "$a"), step("y", "mx.pad", "$t", 1)]
    yield case("pad_of_transpose", inputs, steps)


def cases():
    return [made for part in (widths, shapes, values) for made in part()]
