"""mx.linalg: factorisations, inverses, solutions, eigenvalues, norms, with refusals.

Not here: products of matrices (matmul).
"""

from .base import DTYPES, FLOATS, SHORT, case, error, killer, normal, sample, step, tame, tensor

SQUARE = ["cholesky_inv", "inv", "tri_inv", "det", "slogdet", "eig", "eigvals", "eigh", "eigvalsh", "cholesky"]
OTHERS = ["lu", "lu_factor", "pinv", "qr", "svd"]
SINGLE = SQUARE + OTHERS
RESULTS = {
    "slogdet": ["s", "l"], "eig": ["w", "v"], "eigh": ["w", "v"], "lu": ["p", "l", "u"], "lu_factor": ["f", "p"],
    "qr": ["q", "r"], "svd": ["u", "s", "v"],
}
REAL = ["float32", "float64"]


def out(op):
    return RESULTS.get(op, "y")


def outputs(op):
    return RESULTS.get(op, ["y"])


def made(op, *args, **kw):
    return step(out(op), f"linalg.{op}", *args, **kw)


def matrix(dtype, rows, columns, key=3):
    return normal(dtype, [rows, columns], key)


# Positive definite, so that every op takes it.
DEFINITE = [4.0, 1.0, -0.5, 1.0, 3.0, 0.25, -0.5, 0.25, 2.0]
SINGULAR = [1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 1.0, 0.0, 1.0]


def every_dtype():
    for op in SINGLE:
        for dtype in DTYPES:
            values = [int(v > 0.9) if dtype in ("bool_",) else int(abs(v)) if "int" in dtype else v for v in DEFINITE]
            inputs = {"a": tensor(dtype, [3, 3], values)}
            is_complex = op in ("eig", "eigh", "eigvals", "eigvalsh", "svd") and dtype == "complex64"
            takes_all = op in ("det", "slogdet") and dtype != "complex64"
            name = f"linalg_{op}_{SHORT[dtype]}"
            if dtype in REAL or is_complex or takes_all:
                yield case(name, inputs, [made(op, "$a")], outputs(op))
            else:
                yield error(name, inputs, step("y", f"linalg.{op}", "$a"))


def sizes():
    for op in SINGLE:
        for dtype in REAL:
            for n in (1, 2, 4, 5, 17):
                inputs = {"a": matrix(dtype, n, n, n)}
                steps = [step("t", "mx.transpose", "$a"), step("g", "@", "$a", "$t"), made(op, "$g")]
                yield case(f"linalg_{op}_gram_{n}_{SHORT[dtype]}", inputs, steps, outputs(op))
                if op not in ("cholesky", "cholesky_inv"):
                    yield case(f"linalg_{op}_{n}_{SHORT[dtype]}", inputs, [made(op, "$a")], outputs(op))
        inputs = {"a": normal("float32", [2, 3, 4, 4], 9)}
        if op != "cholesky":
            yield case(f"linalg_{op}_batch", inputs, [made(op, "$a")], outputs(op))
        inputs = {"a": tensor("float32", [2, 3, 3], DEFINITE + [2.0, 0, 0, 0, 3.0, 0, 0, 0, 1.0])}
        yield case(f"linalg_{op}_batch_definite", inputs, [made(op, "$a")], outputs(op))
        transposed = {"a": tensor("float32", [3, 3], [5.0, 1.0, 2.0, 0.0, 4.0, 1.5, 1.0, 0.0, 3.0])}
        steps = [step("t", "mx.transpose", "$a"), made(op, "$t")]
        yield case(f"linalg_{op}_transposed", transposed, steps, outputs(op))
        yield case(f"linalg_{op}_keyword", transposed, [made(op, a="$a")], outputs(op))
    for op in OTHERS:
        for rows, columns in ((2, 3), (3, 2), (1, 4), (4, 1), (7, 3), (3, 7)):
            for dtype in REAL:
                name = f"linalg_{op}_{rows}x{columns}_{SHORT[dtype]}"
                yield case(name, {"a": matrix(dtype, rows, columns)}, [made(op, "$a")], outputs(op))


def halves():
    for dtype in REAL:
        inputs = {"a": tensor(dtype, [3, 3], [4.0, 1.0, -0.5, 7.0, 3.0, 0.25, -8.0, 9.0, 2.0])}
        for op in ("cholesky", "cholesky_inv", "tri_inv"):
            for upper in (True, False):
                name = f"linalg_{op}_upper_{upper}_{SHORT[dtype]}".lower()
                if op != "cholesky" or upper:
                    yield case(name, inputs, [made(op, "$a", upper=upper)])
                    yield case(f"{name}_positional", inputs, [made(op, "$a", upper)])
    for dtype in REAL + ["complex64"]:
        inputs = {"a": tensor(dtype, [3, 3], [4.0, 1.0, -0.5, 7.0, 3.0, 0.25, -8.0, 9.0, 2.0])}
        for op in ("eigh", "eigvalsh"):
            for half in ("L", "U"):
                name = f"linalg_{op}_{half}_{SHORT[dtype]}".lower()
                yield case(name, inputs, [made(op, "$a", half)], outputs(op))
                yield case(f"{name}_keyword", inputs, [made(op, "$a", UPLO=half)], outputs(op))
    inputs = {"a": tensor("complex64", [2, 2], [[2.0, 0.0], [1.0, -3.0], [1.0, 3.0], [-1.0, 0.0]])}
    for op in ("eig", "eigvals", "eigh", "eigvalsh", "svd"):
        yield case(f"linalg_{op}_hermitian", inputs, [made(op, "$a")], outputs(op))
    for op in ("svd",):
        for dtype in REAL + ["complex64"]:
            inputs = {"a": matrix(dtype, 3, 2)}
            name = f"linalg_svd_values_{SHORT[dtype]}"
            yield case(name, inputs, [step("y", "linalg.svd", "$a", compute_uv=False)])
            yield case(f"{name}_positional", inputs, [step("y", "linalg.svd", "$a", False)])
            yield case(f"linalg_svd_true_{SHORT[dtype]}", inputs, [made("svd", "$a", True)], outputs(op))


def shapes_refused():
    inputs = {
        "zero": tensor("float32", [], [1.0]), "one": tensor("float32", [3], [1.0, 2.0, 3.0]),
        "wide": tensor("float32", [2, 3], tame("float32")), "rows": tensor("float32", [3, 0], []),
        "oblong": tensor("float32", [2, 3, 2], tame("float32") * 2),
    }
    for op in SINGLE:
        yield error(f"linalg_{op}_0d", inputs, step("y", f"linalg.{op}", "$zero"))
        yield error(f"linalg_{op}_1d", inputs, step("y", f"linalg.{op}", "$one"))
        if op in SQUARE:
            for kind in ("wide", "rows", "oblong"):
                yield error(f"linalg_{op}_{kind}", inputs, step("y", f"linalg.{op}", f"${kind}"))


def empty():
    """MLX divides by the size of a matrix; where it does, Python dies."""
    shapes = {"0x0": [0, 0], "2x0x0": [2, 0, 0], "0x3x3": [0, 3, 3], "3x0": [3, 0], "0x3": [0, 3]}
    kills = {
        "cholesky_inv": ["0x0", "2x0x0"], "inv": ["0x0", "2x0x0"], "tri_inv": ["0x0", "2x0x0"],
        "lu": ["0x0", "2x0x0", "3x0", "0x3"], "lu_factor": ["0x0", "2x0x0", "3x0", "0x3"],
    }
    for op in SINGLE:
        for tag, shape in shapes.items():
            if op in SQUARE and tag in ("3x0", "0x3"):
                continue
            inputs, name = {"a": tensor("float32", shape, [])}, f"linalg_{op}_empty_{tag}"
            if tag in kills.get(op, []):
                yield killer(name, inputs, step("y", f"linalg.{op}", "$a"))
            else:
                yield case(name, inputs, [made(op, "$a")], outputs(op))


def specials():
    """NaN, infinity and singular matrices: values where LAPACK gives some, errors where it does not."""
    for dtype in REAL:
        short = SHORT[dtype]
        inputs = {
            "nan": tensor(dtype, [3, 3], ["nan"] * 9), "inf": tensor(dtype, [3, 3], ["inf"] * 9),
            "zero": tensor(dtype, [3, 3], [0.0] * 9), "singular": tensor(dtype, [3, 3], SINGULAR),
            "minus": tensor(dtype, [3, 3], [-v for v in DEFINITE]),
            "one": tensor(dtype, [3, 3], [1.0, 0.0, 0.0, 0.0, "nan", 0.0, 0.0, 0.0, 1.0]),
        }
        for op in SINGLE:
            for kind in inputs:
                name = f"linalg_{op}_{kind}_{short}"
                if op == "cholesky" and kind in ("zero", "singular", "minus", "inf", "nan", "one"):
                    continue  # NaN of ours, half a factor of Python's: the closed list.
                if op in ("eig", "eigvals") and kind in ("nan", "inf"):
                    # LAPACK ends the process, with exit code 0.
                    yield killer(name, {"a": inputs[kind]}, step("y", f"linalg.{op}", "$a"))
                    continue
                yield case(name, {"a": inputs[kind]}, [made(op, "$a")], outputs(op), graph=False)


def solving():
    for op in ("solve", "solve_triangular"):
        for dtype in DTYPES:
            values = [int(abs(v)) if dtype == "bool_" or "int" in dtype else v for v in DEFINITE]
            inputs = {
                "a": tensor(dtype, [3, 3], [v % 2 for v in values] if dtype == "bool_" else values),
                "b": tensor(dtype, [3], tame(dtype)[:3]), "m": tensor(dtype, [3, 2], tame(dtype)),
            }
            name = f"linalg_{op}_{SHORT[dtype]}"
            if dtype in REAL:
                steps = [step("x", f"linalg.{op}", "$a", "$b"), step("y", f"linalg.{op}", "$a", "$m")]
                yield case(name, inputs, steps, ["x", "y"])
            else:
                yield error(name, inputs, step("y", f"linalg.{op}", "$a", "$m"))
        for first, second in (("float32", "float64"), ("float64", "float32"), ("float32", "float16"), ("float32", "int32")):
            inputs = {
                "a": tensor(first, [3, 3], DEFINITE), "b": tensor(second, [3], [1, 2, 3]), "m": tensor(second, [3, 1], [1, 2, 3]),
            }
            name = f"linalg_{op}_{SHORT[first]}_{SHORT[second]}"
            yield case(name, inputs, [step("y", f"linalg.{op}", "$a", "$m")])
            yield case(f"{name}_vector", inputs, [step("y", f"linalg.{op}", "$a", "$b")])
        inputs = {
            "a": normal("float32", [2, 4, 4], 5), "b": normal("float32", [2, 4, 3], 6), "v": normal("float32", [2, 4], 7),
            "one": normal("float32", [4, 4], 8), "m": normal("float32", [4, 3], 9), "r": normal("float32", [4], 10),
            "many": normal("float32", [3, 4, 1], 11), "short": normal("float32", [3], 12),
            "wide": normal("float32", [2, 3], 13), "zero": tensor("float32", [], [1.0]),
            "none": tensor("float32", [4, 0], []), "nothing": tensor("float32", [0, 0], []), "square": tensor("float32", [4, 4], [0.0] * 16),
        }
        pairs = {
            "batch": ("a", "b"), "batch_of_one": ("one", "b"), "of_matrix": ("a", "m"), "vector": ("one", "r"),
            "batch_vector": ("a", "r"), "batch_vectors": ("a", "v"), "short": ("one", "short"), "wide": ("wide", "r"),
            "first_0d": ("zero", "r"), "first_1d": ("r", "r"), "second_0d": ("one", "zero"), "nothing": ("one", "none"),
            "sizes": ("a", "many"), "singular": ("square", "r"),
        }
        for kind, (first, second) in pairs.items():
            made_ = step("y", f"linalg.{op}", f"${first}", f"${second}")
            used = {first: inputs[first], second: inputs[second]}
            compare = case(f"linalg_{op}_{kind}", used, [made_])
            refused = ("short", "wide", "first_0d", "first_1d", "second_0d", "sizes", "singular")
            yield error(f"linalg_{op}_{kind}", used, made_) if kind in refused else compare
        yield killer(f"linalg_{op}_empty", {"a": inputs["nothing"]}, step("y", f"linalg.{op}", "$a", "$a"))
        yield case(f"linalg_{op}_keywords", inputs, [step("y", f"linalg.{op}", a="$one", b="$m")])
    for upper in (True, False):
        made_ = step("y", "linalg.solve_triangular", "$one", "$m", upper=upper)
        yield case(f"linalg_solve_triangular_upper_{upper}".lower(), inputs, [made_])


def cross():
    for dtype in DTYPES:
        inputs = {
            "a": tensor(dtype, [2, 3], tame(dtype)), "b": tensor(dtype, [2, 3], tame(dtype)[::-1]),
            "c": tensor(dtype, [3, 2], tame(dtype)), "v": tensor(dtype, [3], tame(dtype)[:3]),
            "w": tensor(dtype, [2], tame(dtype)[:2]),
        }
        steps = [
            step("x", "linalg.cross", "$a", "$b"), step("y", "linalg.cross", "$c", "$c", 0),
            step("z", "linalg.cross", "$c", "$c", axis=-1), step("u", "linalg.cross", "$a", "$v"),
            step("t", "linalg.cross", "$v", "$w"), step("s", "linalg.cross", "$w", "$w"),
        ]
        yield case(f"linalg_cross_{SHORT[dtype]}", inputs, steps, ["x", "y", "z", "u", "t", "s"])
    inputs = {
        "a": tensor("float32", [3, 3], DEFINITE), "i": tensor("int8", [3], [1, 2, 3]), "zero": tensor("float32", [], [1.0]),
        "none": tensor("float32", [0, 3], []), "nothing": tensor("float32", [0], []), "four": tensor("float32", [4], [1.0, 2.0, 3.0, 4.0]),
    }
    yield case("linalg_cross_mixed", inputs, [step("y", "linalg.cross", "$a", "$i")])
    yield case("linalg_cross_empty", inputs, [step("y", "linalg.cross", "$none", "$none")])
    yield case("linalg_cross_keywords", inputs, [step("y", "linalg.cross", a="$a", b="$a", axis=0)])
    for kind in ("zero", "nothing", "four"):
        yield error(f"linalg_cross_{kind}", inputs, step("y", "linalg.cross", f"${kind}", f"${kind}"))
    yield error("linalg_cross_axis", inputs, step("y", "linalg.cross", "$a", "$a", axis=2))
    yield error("linalg_cross_axis_minus_3", inputs, step("y", "linalg.cross", "$a", "$a", axis=-3))


ORDERS = {
    "none": None, "1": 1, "minus_1": -1, "2": 2, "minus_2": -2, "0": 0, "3": 3, "half": 0.5, "inf": {"float": "inf"},
    "minus_inf": {"float": "-inf"}, "fro": "fro", "f": "f", "nuc": "nuc", "nan": {"float": "nan"}, "other": "other", "true": True,
}


def norms():
    for dtype in DTYPES:
        inputs = {"v": tensor(dtype, [6], tame(dtype)), "a": tensor(dtype, [2, 3], tame(dtype))}
        for order, value in ORDERS.items():
            for kind in ("v", "a"):
                name = f"linalg_norm_{kind}_{order}_{SHORT[dtype]}"
                made_ = step("y", "linalg.norm", f"${kind}", value)
                matrix_only, vector_only = ("fro", "f", "nuc", "other"), ("0", "3", "half", "nan", "other")
                svd = kind == "a" and order in ("2", "minus_2", "nuc") and dtype not in REAL + ["complex64"]
                never = order in (matrix_only if kind == "v" else vector_only)
                # The sum of bools and of complex numbers has no greatest; MLX says which of its ops refuses what.
                if never or svd:
                    yield error(name, inputs, made_)
                else:
                    yield case(name, inputs, [made_])
        for kind in ("specials",):
            if dtype in FLOATS:
                special = {"a": tensor(dtype, [2, 3], sample(dtype))}
                steps = [
                    step("x", "linalg.norm", "$a"), step("y", "linalg.norm", "$a", 1, 0),
                    step("z", "linalg.norm", "$a", {"float": "inf"}, 1), step("u", "linalg.norm", "$a", 0, 1),
                ]
                yield case(f"linalg_norm_{kind}_{SHORT[dtype]}", special, steps, ["x", "y", "z", "u"])


def norm_axes():
    inputs = {"a": normal("float32", [2, 3, 4], 4)}
    forms = {
        "none": {}, "first": {"axis": 0}, "last": {"axis": -1}, "two": {"axis": [1, 2]}, "turned": {"axis": [2, 0]},
        "one": {"axis": [1]}, "kept": {"axis": [0, 2], "keepdims": True}, "kept_first": {"axis": 0, "keepdims": True},
        "kept_none": {"keepdims": True}, "nothing": {"axis": []}, "all": {"axis": [0, 1, 2]},
    }
    for order, value in {"none": None, "1": 1, "inf": {"float": "inf"}, "2": 2, "fro": "fro", "nuc": "nuc", "minus_1": -1}.items():
        for form, kw in forms.items():
            name = f"linalg_norm_{order}_axis_{form}"
            made_ = step("y", "linalg.norm", "$a", ord=value, **kw)
            axes = kw.get("axis", [0, 1, 2] if value is not None else [0])
            count = 1 if isinstance(axes, int) else len(axes)
            wrong = count != 2 if order in ("fro", "nuc") else count > 2 if value is None else count not in (1, 2)
            yield error(name, inputs, made_) if wrong else case(name, inputs, [made_])
    yield case("linalg_norm_positional", inputs, [step("y", "linalg.norm", "$a", 1, [0, 1], True)])
    small = {
        "zero": tensor("float32", [], [-3.0]), "none": tensor("float32", [0], []), "rows": tensor("float32", [3, 0], []),
        "columns": tensor("float32", [0, 3], []), "a": tensor("float32", [2, 3], tame("float32")),
    }
    for kind in ("zero", "none", "rows", "columns"):
        yield case(f"linalg_norm_of_{kind}", small, [step("y", "linalg.norm", f"${kind}")])
    yield error("linalg_norm_0d_order", small, step("y", "linalg.norm", "$zero", 1))
    yield error("linalg_norm_inf_of_none", small, step("y", "linalg.norm", "$none", {"float": "inf"}))
    for kind in ("rows", "columns"):
        for order in (1, -1, 2, -2, "fro", "nuc", {"float": "inf"}):
            tag = str(order).replace("-", "minus_").replace("{'float': 'inf'}", "inf")
            made_, name = step("y", "linalg.norm", f"${kind}", order), f"linalg_norm_{tag}_of_{kind}"
            fails = tag in ("2", "minus_2") or (tag in ("1", "minus_1")) == (kind == "rows") and tag not in ("fro", "nuc")
            if tag == "inf":
                fails = kind == "columns"
            yield error(name, small, made_) if fails else case(name, small, [made_])
    for axis in (2, -3, [0, 2], [0, 0]):
        tag = str(axis).strip("[]").replace(", ", "_").replace("-", "minus_")
        yield error(f"linalg_norm_axis_{tag}_refused", small, step("y", "linalg.norm", "$a", axis=axis))
    yield case("linalg_norm_same_axis_twice", small, [step("y", "linalg.norm", "$a", 1, [0, 0])])
    yield case("matrix_norm", small, [step("y", "mx.matrix_norm", "$a"), step("z", "mx.matrix_norm", "$a", ord=1, axis=0)], ["y", "z"])


def cases():
    parts = (
        every_dtype, sizes, halves, shapes_refused, empty, specials, solving, cross, norms, norm_axes,
    )
    return [made_ for part in parts for made_ in part()]
