"""zeros, ones, empty, full, those like another tensor, and arange with Python's dtype rules.

Not here: tensors from data, which every case's inputs exercise.
"""

from .base import DTYPES, FLOATS, INTS, SCALARS, SHORT, case, error, grid, step, tensor


def zeros_and_ones():
    for function in ("zeros", "ones", "empty"):
        for dtype in DTYPES:
            steps = [
                step("y", f"mx.{function}", [2, 3], {"dtype": dtype}),
                step("z", f"mx.{function}", [], dtype={"dtype": dtype}),
                step("e", f"mx.{function}", [0, 2], {"dtype": dtype}),
            ]
            yield case(f"{function}_{SHORT[dtype]}", {}, steps, ["y", "z", "e"])
        yield case(f"{function}_default", {}, [step("y", f"mx.{function}", [2])])
        yield case(f"{function}_int_shape", {}, [step("y", f"mx.{function}", 3)])
        yield error(f"{function}_negative", {}, step("y", f"mx.{function}", [-1, 2]))


def full_values():
    for dtype in DTYPES:
        for kind, scalar in SCALARS.items():
            made = step("y", "mx.full", [2, 2], scalar, {"dtype": dtype})
            yield case(f"full_{SHORT[dtype]}_{kind}", {}, [made])
    for kind, scalar in SCALARS.items():
        yield case(f"full_default_{kind}", {}, [step("y", "mx.full", [2], scalar)])
    for shape in ([], [0], [1], [2, 0, 3]):
        tag = "x".join(map(str, shape)) or "0d"
        made = step("y", "mx.full", shape, 1.5, {"dtype": "bfloat16"})
        yield case(f"full_shape_{tag}", {}, [made])
    yield case("full_int_shape", {}, [step("y", "mx.full", 3, 7)])
    yield case("full_wide_int", {}, [step("y", "mx.full", [2], 2**40)])
    yield case("full_nan", {}, [step("y", "mx.full", [2], {"float": "nan"}, {"dtype": "float16"})])
    yield error("full_negative", {}, step("y", "mx.full", [2, -3], 1))
    yield error("full_beyond_i64", {}, step("y", "mx.full", [2], 2**63), message=False)


def full_from_tensor():
    inputs = {"a": tensor("uint8", [3], [1, 2, 3]), "s": tensor("float32", [], [2.5])}
    steps = [
        step("y", "mx.full", [2, 3], "$a"), step("z", "mx.full", [2, 3], "$a", {"dtype": "float16"}),
        step("w", "mx.full", [2], "$s"), step("v", "mx.full", [2], "$s", {"dtype": "int32"}),
    ]
    yield case("full_from_tensor", inputs, steps, ["y", "z", "w", "v"])
    yield error("full_from_tensor_refused", inputs, step("y", "mx.full", [2, 4], "$a"))


def likes():
    for old in DTYPES:
        inputs = {"a": grid(old)}
        steps = [step(name[0], f"mx.{name}_like", "$a") for name in ("zeros", "ones", "empty")]
        yield case(f"like_{SHORT[old]}", inputs, steps, ["z", "o", "e"])
        kind = {"dtype": old}
        steps = [step(name[0], f"mx.{name}_like", "$b", kind) for name in ("zeros", "ones", "empty")]
        yield case(f"like_at_{SHORT[old]}", {"b": grid("bfloat16")}, steps, ["z", "o", "e"])
        for name, scalar in SCALARS.items():
            steps = [step("y", "mx.full_like", "$a", scalar), step("z", "mx.full_like", "$b", scalar, kind)]
            yield case(f"full_like_{SHORT[old]}_{name}", inputs | {"b": grid("int8")}, steps, ["y", "z"])
    inputs = {
        "a": grid("int32"), "v": tensor("float32", [3], [1.5, -2.5, 3.5]), "w": tensor("int8", [2], [1, 2]),
        "e": tensor("float16", [0, 2], []), "s": tensor("uint8", [], [7]),
    }
    for name in ("zeros_like", "ones_like", "empty_like"):
        steps = [step("y", f"mx.{name}", "$e"), step("z", f"mx.{name}", "$s", dtype=None)]
        yield case(f"{name}_shapes", inputs, steps, ["y", "z"])
    steps = [
        step("y", "mx.full_like", "$a", "$v"), step("z", "mx.full_like", "$a", "$v", {"dtype": "float16"}),
        step("w", "mx.full_like", "$e", 3), step("x", "mx.full_like", "$s", vals="$s", dtype={"dtype": "int16"}),
    ]
    yield case("full_like_tensors", inputs, steps, ["y", "z", "w", "x"])
    yield error("full_like_refused", inputs, step("y", "mx.full_like", "$a", "$w"))
    yield error("full_like_beyond", inputs, step("y", "mx.full_like", "$s", 300))
    steps = [step("t", "mx.transpose", "$a"), step("y", "mx.zeros_like", "$t")]
    yield case("zeros_like_of_transpose", inputs, steps)


ARANGES = {
    "stop": [5], "stop_float": [3.0], "start_stop": [2, 7], "step": [1, 10, 3], "down": [5, 0, -2],
    "none": [3, 3], "wrong_way": [0, 5, -1], "quarters": [0, 1, 0.25], "tenths": [0.0, 1.0, 0.1],
    "mixed": [1, 4.5], "float_step": [0, 2, 0.3], "negative": [-3], "minus": [-3, 3],
    "long_step": [0, 10, 100], "below_zero": [0, -1, -0.25], "wide": [2**31 - 2, 2**31 + 2],
    "stop_fraction": [2.5], "rounding_up": [0.0, 0.7, 0.1], "zero": [0],
}


def aranges():
    for name, args in ARANGES.items():
        yield case(f"arange_{name}", {}, [step("y", "mx.arange", *args)])
    for dtype in DTYPES:
        steps = [
            step("y", "mx.arange", 5, dtype={"dtype": dtype}),
            step("z", "mx.arange", 1, 8, 2, {"dtype": dtype}),
        ]
        if dtype == "bool_":
            yield error("arange_b", {}, steps[0])
        else:
            yield case(f"arange_{SHORT[dtype]}", {}, steps, ["y", "z"])
    for dtype in FLOATS:
        steps = [
            step("y", "mx.arange", 0.0, 1.0, 0.1, {"dtype": dtype}),
            step("z", "mx.arange", 1000, 1004, 0.5, {"dtype": dtype}),
        ]
        yield case(f"arange_fractions_{SHORT[dtype]}", {}, steps, ["y", "z"])
    for dtype in INTS:
        made = step("y", "mx.arange", 0.5, 5.5, 1.5, {"dtype": dtype})
        yield case(f"arange_floats_into_{SHORT[dtype]}", {}, [made])
    yield case("arange_keywords", {}, [step("y", "mx.arange", start=1, stop=9, step=4)])
    yield case("arange_stop_keyword", {}, [step("y", "mx.arange", stop=4)])
    yield case("arange_long", {}, [step("y", "mx.arange", 0.0, 100.0, 0.7)])


def arrays():
    numbers = {
        "bool": True, "int": -3, "wide": 2**40, "float": 0.1, "complex": {"complex": [1.0, -2.0]},
        "list": [1, 2], "floats": [1, 2.5], "bools": [True, False], "bool_and_int": [True, 2],
        "wide_ints": [1, 2**40], "nested": [[1, 2, 3], [4, 5, 6]], "empty": [], "empty_rows": [[], []],
        "complexes": [1, {"complex": [0.5, 2.0]}], "nan": [{"float": "nan"}, 1], "deep": [[[1.5]]],
        "bool_and_float": [True, 0.5],
    }
    for op in ("array", "asarray"):
        for name, value in numbers.items():
            yield case(f"{op}_of_{name}", {}, [step("y", f"mx.{op}", value)])
            if "complex" not in name:
                steps = [step(SHORT[d], f"mx.{op}", value, {"dtype": d}) for d in ("float16", "bfloat16", "float64")]
                if name not in ("nan", "wide", "wide_ints"):
                    steps += [step(SHORT[d], f"mx.{op}", value, dtype={"dtype": d}) for d in ("bool_", "uint8", "int32")]
                yield case(f"{op}_of_{name}_at", {}, steps, [made["out"] for made in steps])
        yield error(f"{op}_of_uneven", {}, step("y", f"mx.{op}", [[1], [2, 3]]))
        yield error(f"{op}_of_beyond_i64", {}, step("y", f"mx.{op}", 2**63))
        yield error(f"{op}_of_beyond_i64_in_list", {}, step("y", f"mx.{op}", [1, 2**63]))
        made = step("y", f"mx.{op}", "$a", {"dtype": "float16"})
        yield case(f"{op}_of_tensor_at", {"a": grid("int32")}, [made])
    yield case("asarray_of_tensor", {"a": grid("int8")}, [step("y", "mx.asarray", "$a")])
    made = step("y", "mx.asarray", "$a", dtype={"dtype": "int8"})
    yield case("asarray_of_tensor_at_its_dtype", {"a": grid("int8")}, [made])


def refused():
    yield error("arange_step_zero", {}, step("y", "mx.arange", 0, 10, 0))
    yield error("arange_nan", {}, step("y", "mx.arange", 1, {"float": "nan"}))
    yield error("arange_inf", {}, step("y", "mx.arange", 0, {"float": "inf"}))
    yield error("arange_too_long", {}, step("y", "mx.arange", 2**40))
    yield error("arange_bool", {}, step("y", "mx.arange", True))


def cases():
    parts = (zeros_and_ones, full_values, full_from_tensor, likes, arrays, aranges, refused)
    return [made for part in parts for made in part()]
