"""mx.fft: transforms of one, two and all axes, sizes, divisions, shifts, frequencies, refusals."""

from .base import DTYPES, SHORT, case, error, killer, normal, sample, step, tame, tensor

ONE = ["fft", "ifft", "rfft", "irfft"]
TWO = ["fft2", "ifft2", "rfft2", "irfft2"]
ALL = ["fftn", "ifftn", "rfftn", "irfftn"]
NORMS = ["backward", "ortho", "forward"]


def every_dtype():
    for op in ONE + TWO + ALL + ["fftshift", "ifftshift"]:
        for dtype in DTYPES:
            inputs = {"a": tensor(dtype, [2, 3], tame(dtype))}
            yield case(f"fft_{op}_{SHORT[dtype]}", inputs, [step("y", f"fft.{op}", "$a")])
        special = {"a": tensor("float32", [2, 3], sample("float32"))}
        yield case(f"fft_{op}_specials", special, [step("y", f"fft.{op}", "$a")])


def one_axis():
    inputs = {"v": normal("float32", [5], 1), "a": normal("float32", [2, 6, 4], 2), "c": normal("complex64", [3, 4], 3)}
    for op in ONE:
        for n in (1, 2, 5, 6, 7, 16):
            yield case(f"fft_{op}_n_{n}", inputs, [step("y", f"fft.{op}", "$v", n)])
        for axis in (0, 1, 2, -1, -3):
            tag = str(axis).replace("-", "minus_")
            yield case(f"fft_{op}_axis_{tag}", inputs, [step("y", f"fft.{op}", "$a", axis=axis)])
            yield case(f"fft_{op}_axis_{tag}_n", inputs, [step("y", f"fft.{op}", "$a", 5, axis)])
        for norm in NORMS:
            yield case(f"fft_{op}_{norm}", inputs, [step("y", f"fft.{op}", "$c", norm=norm)])
            yield case(f"fft_{op}_{norm}_positional", inputs, [step("y", f"fft.{op}", "$c", 3, 0, norm)])
        yield case(f"fft_{op}_keywords", inputs, [step("y", f"fft.{op}", a="$a", n=3, axis=1, norm="ortho")])
        yield case(f"fft_{op}_none", inputs, [step("y", f"fft.{op}", "$a", None)])
        steps = [step("t", "mx.transpose", "$a"), step("y", f"fft.{op}", "$t"), step("z", f"fft.{op}", "$t", axis=0)]
        yield case(f"fft_{op}_transposed", inputs, steps, ["y", "z"])
        for size in (1, 2, 3, 4, 8, 13, 31, 64, 100, 121):
            if op != "irfft" or size > 1:
                yield case(f"fft_{op}_size_{size}", {"v": normal("complex64", [2, size], size)}, [step("y", f"fft.{op}", "$v")])


def several_axes():
    inputs = {"a": normal("float32", [2, 3, 4], 5), "c": normal("complex64", [3, 4], 6), "v": normal("float32", [6], 7)}
    for op in TWO + ALL:
        forms = {
            "plain": {}, "null": {"axes": None}, "first": {"axes": [0]}, "two": {"axes": [0, 1]}, "turned": {"axes": [2, 0]},
            "negative": {"axes": [-1, -3]}, "all": {"axes": [0, 1, 2]}, "sizes": {"s": [4, 5], "axes": [0, 1]},
            "size": {"s": [5], "axes": [1]}, "cut": {"s": [1, 2], "axes": [1, 2]}, "grown": {"s": [3, 4, 6], "axes": [0, 1, 2]},
            "both": {"s": [5, 2], "axes": [0, -1]}, "no_axes": {"axes": []}, "no_sizes": {"s": [], "axes": []},
        }
        for form, kw in forms.items():
            # Python's inverse of real numbers over no axes writes to the size before the first.
            if op.startswith("irfft") and form == "no_axes":
                continue
            yield case(f"fft_{op}_{form}", inputs, [step("y", f"fft.{op}", "$a", **kw)])
        for norm in NORMS:
            yield case(f"fft_{op}_{norm}", inputs, [step("y", f"fft.{op}", "$c", norm=norm)])
        yield case(f"fft_{op}_positional", inputs, [step("y", f"fft.{op}", "$a", [3, 3], [0, 2], "ortho")])
        if op in ALL:
            yield case(f"fft_{op}_1d", inputs, [step("y", f"fft.{op}", "$v")])
        else:
            yield case(f"fft_{op}_s", inputs, [step("y", f"fft.{op}", "$a", s=[3, 5])])


def refused():
    inputs = {
        "zero": tensor("float32", [], [1.0]), "none": tensor("float32", [0], []), "rows": tensor("float32", [2, 0], []),
        "v": tensor("float32", [3], [1.0, 2.0, 3.0]), "a": tensor("float32", [2, 3], tame("float32")),
        "one": tensor("float32", [1], [2.0]), "batch": tensor("float32", [0, 4], []),
    }
    for op in ONE:
        for n in (0, -1, -(2**31)):
            name = f"fft_{op}_n_{n}".replace("-", "minus_")
            yield error(name, inputs, step("y", f"fft.{op}", "$v", n))
        for axis in (1, -2):
            name = f"fft_{op}_axis_{axis}_n_refused".replace("-", "minus_")
            yield error(name, inputs, step("y", f"fft.{op}", "$v", 3, axis))
            # Without n Python's words are those of a container.
            name = f"fft_{op}_axis_{axis}_refused".replace("-", "minus_")
            yield error(name, inputs, step("y", f"fft.{op}", "$v", axis=axis), message=False)
        yield error(f"fft_{op}_0d", inputs, step("y", f"fft.{op}", "$zero"), message=False)
        yield error(f"fft_{op}_0d_n", inputs, step("y", f"fft.{op}", "$zero", 3))
        yield error(f"fft_{op}_of_none", inputs, step("y", f"fft.{op}", "$none"))
        yield error(f"fft_{op}_of_empty_rows", inputs, step("y", f"fft.{op}", "$rows"))
        yield case(f"fft_{op}_no_batch", inputs, [step("y", f"fft.{op}", "$batch")])
        yield case(f"fft_{op}_filled_from_none", inputs, [step("y", f"fft.{op}", "$none", 4)])
        yield error(f"fft_{op}_norm", inputs, step("y", f"fft.{op}", "$v", norm="other"))
    yield error("fft_irfft_of_one", inputs, step("y", "fft.irfft", "$one"))
    for op in TWO + ALL:
        forms = {
            "twice": {"axes": [0, 0]}, "twice_negative": {"axes": [0, -2]}, "twice_sizes": {"s": [2, 2], "axes": [0, 0]},
            "lengths": {"s": [2], "axes": [0, 1]}, "size_0": {"s": [0, 2], "axes": [0, 1]},
            "size_minus_1": {"s": [-1, 2], "axes": [0, 1]}, "axis_sizes": {"s": [2, 2], "axes": [0, 5]},
            "axis_minus_sizes": {"s": [2, 2], "axes": [-3, -2]}, "norm": {"norm": "other"}, "sizes_null": {"s": [2, 2], "axes": None},
        }
        for form, kw in forms.items():
            yield error(f"fft_{op}_{form}_refused", inputs, step("y", f"fft.{op}", "$a", **kw))
        yield error(f"fft_{op}_axis_refused", inputs, step("y", f"fft.{op}", "$a", axes=[5]), message=False)
        yield error(f"fft_{op}_0d", inputs, step("y", f"fft.{op}", "$zero"), message=op in ALL)
        if op in TWO:
            yield error(f"fft_{op}_1d", inputs, step("y", f"fft.{op}", "$v"), message=False)
        else:
            yield error(f"fft_{op}_s_alone", inputs, step("y", f"fft.{op}", "$a", s=[2, 2]))
        huge = {"s": [2**30, 2**30, 8], "axes": [0, 1, 2]}
        cube = {"a": tensor("float32", [2, 2, 2], [1.0] * 8)}
        yield killer(f"fft_{op}_huge", cube, step("y", f"fft.{op}", "$a", **huge))


def shifts():
    inputs = {
        "a": tensor("int32", [3, 4], list(range(12))), "zero": tensor("float32", [], [1.0]), "none": tensor("float32", [0], []),
        "rows": tensor("float32", [2, 0], []), "five": tensor("bfloat16", [5], [0.0, 1.0, 2.0, 3.0, 4.0]),
    }
    for op in ("fftshift", "ifftshift"):
        for tag, axes in {"0": 0, "minus_1": -1, "both": [0, 1], "list": [1], "twice": [0, 0], "nothing": [], "null": None}.items():
            yield case(f"fft_{op}_axes_{tag}", inputs, [step("y", f"fft.{op}", "$a", axes=axes)])
            yield case(f"fft_{op}_axes_{tag}_positional", inputs, [step("y", f"fft.{op}", "$a", axes)])
        for kind in ("zero", "none", "rows", "five"):
            yield case(f"fft_{op}_of_{kind}", inputs, [step("y", f"fft.{op}", f"${kind}")])
        for axis in (2, -3, [0, 5]):
            tag = str(axis).strip("[]").replace(", ", "_").replace("-", "minus_")
            yield error(f"fft_{op}_axis_{tag}_refused", inputs, step("y", f"fft.{op}", "$a", axis))
        yield error(f"fft_{op}_0d_axis", inputs, step("y", f"fft.{op}", "$zero", 0))


def frequencies():
    for op in ("fftfreq", "rfftfreq"):
        for n in (1, 2, 4, 5, 100):
            yield case(f"fft_{op}_{n}", {}, [step("y", f"fft.{op}", n)])
        for tag, d in {"quarter": 0.25, "third": 0.3333333333333333, "minus": -2, "nan": {"float": "nan"}, "inf": {"float": "inf"}}.items():
            yield case(f"fft_{op}_d_{tag}", {}, [step("y", f"fft.{op}", 5, d), step("z", f"fft.{op}", n=8, d=d)], ["y", "z"])
        for n in (0, -1):
            yield error(f"fft_{op}_{n}_refused".replace("-", "minus_"), {}, step("y", f"fft.{op}", n))
        yield error(f"fft_{op}_d_0", {}, step("y", f"fft.{op}", 4, 0.0))


def cases():
    parts = (every_dtype, one_axis, several_axes, refused, shifts, frequencies)
    return [made for part in parts for made in part()]
