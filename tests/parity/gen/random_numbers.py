"""mx.random: each distribution with explicit keys and with the global one, sequences of draws, refusals.

Not here: the random inputs of other families, which are drawn the same way.
"""

from .base import DTYPES, FLOATS, SHORT, case, error, killer, step, tensor

SEED = step("none", "random.seed", 7)
KEY = step("key", "random.key", 11)
# A draw of each distribution, with as little as it takes.
DRAWS = {
    "normal": ([[2, 3]], {}), "uniform": ([0, 1, [2, 3]], {}), "randint": ([0, 10, [2, 3]], {}),
    "bernoulli": ([0.5, [2, 3]], {}), "truncated_normal": ([-1, 1.5, [2, 3]], {}),
    "gumbel": ([[2, 3]], {}), "laplace": ([[2, 3]], {}), "categorical": (["$logits"], {}),
    "multivariate_normal": (["$mean", "$cov", [3]], {}), "permutation": (["$logits"], {"axis": 1}),
}
INPUTS = {
    "logits": tensor("float32", [2, 3], [0.5, -1.0, 2.0, 0.0, "-inf", 1.0]),
    "mean": tensor("float32", [2], [1.0, -2.0]),
    "cov": tensor("float32", [2, 2], [2.0, 0.5, 0.5, 1.0]),
}


def d(name):
    return {"dtype": name}


def draw(out, name, **kw):
    args, own = DRAWS[name]
    return step(out, f"random.{name}", *args, **own, **kw)


def keys():
    for seed in (0, 1, 2**32 - 1, 2**32, 2**63, 2**64 - 1):
        yield case(f"random_key_{seed}", {}, [step("y", "random.key", seed)])
    for num in (1, 2, 3, 7, 0):
        yield case(f"random_split_{num}", {}, [KEY, step("y", "random.split", "$key", num)])
    steps = [KEY, step(["a", "b"], "random.split", "$key"), step("y", "random.normal", [2], key="$b")]
    yield case("random_split_default", {}, steps, ["a", "b", "y"])
    yield case("random_split_keyword", {}, [KEY, step("y", "random.split", key="$key", num=4)])
    yield error("random_split_negative", {}, KEY, step("y", "random.split", "$key", -1))
    bad = {
        "int32": tensor("int32", [2], [1, 2]), "float": tensor("float32", [2], [1.0, 2.0]),
        "three": tensor("uint32", [3], [1, 2, 3]), "0d": tensor("uint32", [], [1]),
        "empty": tensor("uint32", [0], []), "matrix": tensor("uint32", [1, 2], [1, 2]),
    }
    for kind, key in bad.items():
        yield error(f"random_split_key_{kind}", {"k": key}, step("y", "random.split", "$k"))
        yield error(f"random_normal_key_{kind}", {"k": key}, step("y", "random.normal", [2], key="$k"))


def each_distribution():
    for name in DRAWS:
        yield case(f"random_{name}_key", INPUTS, [KEY, draw("y", name, key="$key")])
        yield case(f"random_{name}_global", INPUTS, [SEED, draw("y", name)])
        # A given key leaves the global one as it is.
        steps = [SEED, KEY, draw("y", name, key="$key"), draw("z", name), draw("w", name)]
        yield case(f"random_{name}_twice", INPUTS, steps, ["y", "z", "w"])
        yield case(f"random_{name}_unseeded_case", INPUTS, [draw("y", name)])


def sequences():
    """What one draw leaves of the global key the next one takes, whatever is evaluated when."""
    steps = [SEED] + [draw(f"y{i}", name) for i, name in enumerate(DRAWS)]
    outputs = [f"y{i}" for i in range(len(DRAWS))]
    yield case("random_sequence_all", INPUTS, steps, outputs)
    yield case("random_sequence_last", INPUTS, steps, outputs[-1:])
    yield case("random_sequence_reversed", INPUTS, [SEED] + steps[:0:-1], outputs)
    steps = [SEED] + [step(f"y{i}", "random.normal", [2]) for i in range(40)]
    yield case("random_sequence_long", {}, steps, ["y0", "y20", "y39"])
    again = [SEED, draw("a", "normal"), step("none", "random.seed", 8), draw("b", "normal")]
    again += [step("none", "random.seed", 7), draw("c", "normal")]
    yield case("random_seeded_again", {}, again, ["a", "b", "c"])
    steps = [SEED, draw("a", "normal"), step("s", "method.item", "$a"), draw("b", "uniform")]
    one = [SEED, step("a", "random.normal"), step("s", "method.item", "$a"), draw("b", "uniform")]
    yield case("random_sequence_evaluated", {}, one, ["a", "s", "b"], graph=False)
    zero = [SEED, step("e", "random.normal", [0]), step("y", "random.normal", [2])]
    yield case("random_sequence_empty_draw", {}, zero, ["e", "y"])
    zero = [SEED, step("e", "random.key", 3), step("f", "random.split", "$e"), draw("y", "normal")]
    yield case("random_sequence_of_keys", {}, zero, ["f", "y"])


def real_dtypes():
    for dtype in FLOATS + ["complex64"]:
        name = SHORT[dtype]
        yield case(f"random_normal_{name}", {}, [KEY, step("y", "random.normal", [3, 2], d(dtype), key="$key")])
        kw = {"dtype": d(dtype), "key": "$key"}
        scaled = [
            KEY, step("a", "random.normal", [3, 2], loc=1, scale=2.5, **kw),
            step("b", "random.normal", [3, 2], loc=0.5, **kw), step("c", "random.normal", [3, 2], scale=0.1, **kw),
            step("d", "random.normal", [3, 2], loc=0, scale=1, **kw),
            step("e", "random.normal", [3, 2], loc=True, scale=0.0, **kw),
        ]
        yield case(f"random_normal_scaled_{name}", {}, scaled, ["a", "b", "c", "d", "e"])
        tensors = {
            "loc": tensor("float32", [2], [1.0, -1.0]), "scale": tensor("float16", [3, 1], [0.5, 1.0, 2.0]),
        }
        steps = [KEY, step("y", "random.normal", [3, 2], loc="$loc", scale="$scale", **kw)]
        yield case(f"random_normal_tensors_{name}", tensors, steps)
    for dtype in FLOATS[:3]:
        name, kw = SHORT[dtype], {"dtype": d(dtype), "key": "$key"}
        steps = [
            KEY, step("a", "random.uniform", 0, 1, [4, 3], d(dtype), "$key"),
            step("b", "random.uniform", -2.5, 3, [4, 3], **kw), step("c", "random.uniform", shape=[5], **kw),
            step("d", "random.uniform", 2, 1, [3], **kw), step("e", "random.uniform", 1, 1, [3], **kw),
        ]
        yield case(f"random_uniform_{name}", {}, steps, ["a", "b", "c", "d", "e"])
        steps = [
            KEY, step("a", "random.truncated_normal", -1, 1, [4, 3], d(dtype), "$key"),
            step("b", "random.truncated_normal", 0.5, 3, [4], **kw),
            step("c", "random.truncated_normal", 2, -2, [4], **kw),
            step("e", "random.truncated_normal", {"float": "-inf"}, {"float": "inf"}, [4], **kw),
        ]
        yield case(f"random_truncated_normal_{name}", {}, steps, ["a", "b", "c", "e"])
        yield case(f"random_gumbel_{name}", {}, [KEY, step("y", "random.gumbel", [7], d(dtype), "$key")])
    for dtype in FLOATS:
        name, kw = SHORT[dtype], {"dtype": d(dtype), "key": "$key"}
        steps = [
            KEY, step("a", "random.laplace", [7], **kw), step("b", "random.laplace", [7], loc=1.5, scale=0.25, **kw),
            step("c", "random.laplace", [7], loc=1, scale=2, **kw), step("e", "random.laplace", [7], scale=0.0, **kw),
        ]
        yield case(f"random_laplace_{name}", {}, steps, ["a", "b", "c", "e"])


def refused_dtypes():
    for dtype in DTYPES:
        name = SHORT[dtype]
        if dtype not in FLOATS:
            if dtype != "complex64":
                yield error(f"random_normal_{name}", {}, step("y", "random.normal", [2], d(dtype)))
            yield error(f"random_laplace_{name}", {}, step("y", "random.laplace", [2], d(dtype)))
        if dtype not in FLOATS[:3]:
            yield error(f"random_uniform_{name}", {}, step("y", "random.uniform", 0, 1, [2], d(dtype)))
            yield error(f"random_gumbel_{name}", {}, step("y", "random.gumbel", [2], d(dtype)))
            made = step("y", "random.truncated_normal", 0, 1, [2], d(dtype))
            yield error(f"random_truncated_normal_{name}", {}, made)
        if dtype in FLOATS or dtype == "complex64":
            yield error(f"random_randint_{name}", {}, step("y", "random.randint", 0, 2, [2], d(dtype)))
        if dtype != "float32":
            made = step("y", "random.multivariate_normal", "$mean", "$cov", [2], d(dtype))
            yield error(f"random_multivariate_normal_{name}", INPUTS, made)


def randint():
    for dtype in DTYPES:
        if dtype in FLOATS or dtype == "complex64":
            continue
        name, kw = SHORT[dtype], {"dtype": d(dtype), "key": "$key"}
        steps = [
            KEY, step("a", "random.randint", 0, 100, [9], **kw), step("b", "random.randint", -5, 5, [9], **kw),
            step("c", "random.randint", 3, 3, [4], **kw), step("d", "random.randint", 5, 2, [4], **kw),
            step("e", "random.randint", -100000, 100000, [9], **kw),
        ]
        yield case(f"random_randint_{name}", {}, steps, ["a", "b", "c", "d", "e"])
        high = {"low": tensor("int32", [3, 1], [0, -4, 2]), "high": tensor(dtype, [2], [1, 7 if dtype != "bool_" else 1])}
        yield case(f"random_randint_tensors_{name}", high, [KEY, step("y", "random.randint", "$low", "$high", [3, 2], **kw)])
    steps = [
        KEY, step("a", "random.randint", 0.5, 5.5, [9], key="$key"), step("b", "random.randint", True, 9, [9], key="$key"),
        step("c", "random.randint", -(2**31), 2**31 - 1, [9], key="$key"),
        step("e", "random.randint", 2**24, 2**24 + 9, [9], key="$key"),
        step("f", "random.randint", 0, 2**40, [9], d("int64"), "$key"),
        step("g", "random.randint", low=1, high=4, key="$key"),
    ]
    yield case("random_randint_bounds", {}, steps, ["a", "b", "c", "e", "f", "g"])
    yield error("random_randint_beyond_i64", {}, step("y", "random.randint", 0, 2**63, [3]))


def bernoulli():
    probabilities = tensor("float32", [7], [0.0, 1.0, 0.5, -1.0, 2.0, "nan", "inf"])
    for dtype in FLOATS:
        inputs = {"p": dict(probabilities, dtype=dtype)}
        steps = [
            KEY, step("a", "random.bernoulli", "$p", key="$key"), step("b", "random.bernoulli", "$p", [3, 7], "$key"),
        ]
        yield case(f"random_bernoulli_{SHORT[dtype]}", inputs, steps, ["a", "b"])
    steps = [
        KEY, step("a", "random.bernoulli", key="$key"), step("b", "random.bernoulli", 0.25, key="$key"),
        step("c", "random.bernoulli", p=0.75, shape=[20], key="$key"), step("e", "random.bernoulli", 0.5, [0], "$key"),
        step("f", "random.bernoulli", 1.5, [5], "$key"), step("g", "random.bernoulli", -0.5, [5], "$key"),
        step("h", "random.bernoulli", {"float": "nan"}, [5], "$key"), step("i", "random.bernoulli", 0.5, [], "$key"),
    ]
    yield case("random_bernoulli_scalars", {}, steps, ["a", "b", "c", "e", "f", "g", "h", "i"])
    for p in (1, True):
        yield error(f"random_bernoulli_p_{p}".lower(), {}, step("y", "random.bernoulli", p, [2]))
    inputs = {"p": tensor("float32", [2, 1], [0.5, 0.5]), "i": tensor("int32", [2], [0, 1])}
    yield error("random_bernoulli_shape", inputs, step("y", "random.bernoulli", "$p", [2]))
    yield error("random_bernoulli_broadcast", inputs, step("y", "random.bernoulli", "$p", [3, 2]))
    yield error("random_bernoulli_ints", inputs, step("y", "random.bernoulli", "$i"))


def categorical():
    values = [0.5, -1.0, 2.0, 0.0, "-inf", 1.0, "nan", 3.0, -2.0, "inf", 0.0, 0.25]
    for dtype in FLOATS + ["int32", "uint8", "bool_"]:
        finite = [1, 0, 2, 3, 0, 1, 5, 3, 2, 1, 0, 4]
        logits = tensor(dtype, [2, 3, 2], values if dtype in FLOATS else [v % 2 for v in finite] if dtype == "bool_" else finite)
        steps = [
            KEY, step("a", "random.categorical", "$l", key="$key"),
            step("b", "random.categorical", "$l", 1, key="$key"),
            step("c", "random.categorical", "$l", axis=0, num_samples=4, key="$key"),
            step("e", "random.categorical", "$l", -2, shape=[5, 2, 2], key="$key"),
            step("f", "random.categorical", "$l", -1, [2, 3], key="$key"),
        ]
        yield case(f"random_categorical_{SHORT[dtype]}", {"l": logits}, steps, ["a", "b", "c", "e", "f"])
    one = {"l": tensor("float32", [3], [0.0, 1.0, 2.0]), "z": tensor("float32", [], [1.0]), "e": tensor("float32", [0], [])}
    steps = [
        KEY, step("a", "random.categorical", "$l", key="$key"),
        step("b", "random.categorical", "$l", num_samples=7, key="$key"),
        step("c", "random.categorical", "$l", num_samples=0, key="$key"),
        step("e", "random.categorical", "$l", shape=[2, 2], key="$key"),
        step("f", "random.categorical", "$l", shape=[], key="$key"),
    ]
    yield case("random_categorical_vector", one, steps, ["a", "b", "c", "e", "f"])
    for axis in (1, -2, 5):
        name = f"random_categorical_axis_{axis}".replace("-", "minus_")
        yield error(name, one, step("y", "random.categorical", "$l", axis))
    yield error("random_categorical_0d", one, step("y", "random.categorical", "$z"))
    yield error("random_categorical_empty", one, step("y", "random.categorical", "$e"))
    yield error("random_categorical_both", one, step("y", "random.categorical", "$l", shape=[2], num_samples=2))
    yield error("random_categorical_negative", one, step("y", "random.categorical", "$l", num_samples=-1))
    wide = {"l": tensor("float32", [4, 3], [0.0] * 12), "none": tensor("float32", [0, 3], [])}
    yield error("random_categorical_shape", wide, step("y", "random.categorical", "$l", shape=[2]))
    yield error("random_categorical_broadcast", wide, step("y", "random.categorical", "$l", shape=[4, 3]))
    yield error("random_categorical_of_none", wide, step("y", "random.categorical", "$none", 0))
    huge = [2**30, 2**30]
    yield killer("random_categorical_huge", one, step("y", "random.categorical", "$l", shape=huge))


def multivariate():
    inputs = dict(
        INPUTS, means=tensor("float32", [3, 2], [0.0, 1.0, -1.0, 2.0, 5.0, 5.0]),
        covs=tensor("float32", [3, 2, 2], [1.0, 0.0, 0.0, 1.0, 2.0, 1.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0]),
        nothing=tensor("float32", [0], []), none=tensor("float32", [0, 0], []), zero=tensor("float32", [], [0.0]),
        nan=tensor("float32", [2, 2], ["nan"] * 4), minus=tensor("float32", [2, 2], [-1.0, 0.0, 0.0, -1.0]),
        three=tensor("float32", [3, 3], [1.0] * 9), wide=tensor("float32", [2, 3], [1.0] * 6),
        half=tensor("float16", [2], [1.0, 2.0]),
    )
    op = "random.multivariate_normal"
    steps = [
        KEY, step("a", op, "$mean", "$cov", key="$key"), step("b", op, "$means", "$cov", [3], key="$key"),
        step("c", op, "$means", "$covs", key="$key"), step("e", op, "$mean", "$covs", [4, 3], d("float32"), "$key"),
        step("f", op, "$mean", "$minus", key="$key"), step("g", op, "$half", "$cov", key="$key"),
    ]
    yield case("random_multivariate_normal_shapes", inputs, steps, ["a", "b", "c", "e", "f", "g"])
    yield case("random_multivariate_normal_of_none", inputs, [KEY, step("y", op, "$nothing", "$none", key="$key")])
    refused = {
        "0d": ("$zero", "$cov", []), "cov_1d": ("$mean", "$mean", []), "not_square": ("$mean", "$wide", []),
        "sizes": ("$mean", "$three", []), "shape": ("$means", "$cov", [4]), "nan": ("$mean", "$nan", []),
    }
    for kind, args in refused.items():
        yield error(f"random_multivariate_normal_{kind}", inputs, step("y", op, *args))


def permutation():
    for n in (1, 2, 9, 100):
        yield case(f"random_permutation_below_{n}", {}, [KEY, step("y", "random.permutation", n, key="$key")])
    for dtype in DTYPES:
        inputs = {"a": tensor(dtype, [4, 3], [v % 2 for v in range(12)] if dtype == "bool_" else list(range(12)))}
        steps = [
            KEY, step("a0", "random.permutation", "$a", key="$key"), step("a1", "random.permutation", "$a", 1, "$key"),
            step("a2", "random.permutation", "$a", axis=-1, key="$key"), step("a3", "random.permutation", x="$a", key="$key"),
        ]
        yield case(f"random_permutation_{SHORT[dtype]}", inputs, steps, ["a0", "a1", "a2", "a3"])
    inputs = {"z": tensor("float32", [], [1.0]), "e": tensor("float32", [3, 0], []), "a": tensor("float32", [2], [1.0, 2.0])}
    yield case("random_permutation_of_empty_rows", inputs, [KEY, step("y", "random.permutation", "$e", key="$key")])
    yield error("random_permutation_0d", inputs, step("y", "random.permutation", "$z"))
    yield error("random_permutation_axis", inputs, step("y", "random.permutation", "$a", 1))
    yield error("random_permutation_axis_minus_2", inputs, step("y", "random.permutation", "$a", -2))
    yield error("random_permutation_negative", inputs, step("y", "random.permutation", -3))


def shapes():
    for name in ("normal", "uniform", "gumbel", "laplace"):
        for shape in ([], [0], [1], [2, 0, 3], [1, 2, 1, 3], [65]):
            tag = "x".join(map(str, shape)) or "0d"
            steps = [KEY, step("y", f"random.{name}", shape=shape, key="$key")]
            yield case(f"random_{name}_shape_{tag}", {}, steps)
        yield error(f"random_{name}_negative", {}, step("y", f"random.{name}", shape=[-2]))
        # Without arguments: a 0-d draw with the global key.
        yield case(f"random_{name}_nothing", {}, [SEED, step("y", f"random.{name}")])
        if name in ("normal", "uniform", "gumbel"):
            huge = step("y", f"random.{name}", shape=[2**30, 2**30, 2], dtype=d("float16"))
            yield killer(f"random_{name}_huge", {}, huge)
    yield error("random_randint_negative", {}, step("y", "random.randint", 0, 2, [3, -1]))
    yield error("random_bernoulli_negative", {}, step("y", "random.bernoulli", 0.5, [-1]))
    yield error("random_truncated_normal_negative", {}, step("y", "random.truncated_normal", 0, 1, [-1]))
    yield killer("random_bernoulli_huge", {}, step("y", "random.bernoulli", 0.5, [2**30, 2**30, 4]))
    yield killer("random_randint_huge", {}, step("y", "random.randint", 0, 2, [2**30, 2**30, 4], d("uint8")))


def broadcasting():
    inputs = {
        "low": tensor("float32", [3, 1], [0.0, 10.0, 20.0]), "high": tensor("float32", [2], [1.0, 5.0]),
        "int": tensor("int32", [2], [3, 4]), "three": tensor("float32", [3], [1.0, 2.0, 3.0]),
    }
    steps = [
        KEY, step("a", "random.uniform", "$low", "$high", [3, 2], key="$key"),
        step("b", "random.uniform", "$int", 9, [4, 2], key="$key"),
        step("c", "random.truncated_normal", "$low", "$high", key="$key"),
        step("e", "random.truncated_normal", "$low", 30.5, [2, 3, 2], key="$key"),
        step("f", "random.normal", [3, 2], loc="$low", scale="$high", key="$key"),
        step("g", "random.normal", [1, 1], loc="$low", scale="$high", key="$key"),
        step("h", "random.truncated_normal", -1, 1, key="$key"),
    ]
    yield case("random_broadcast", inputs, steps, ["a", "b", "c", "e", "f", "g", "h"])
    refused = {
        "uniform": ["$three", "$high", [2]], "uniform_shape": ["$low", "$high", [2]], "randint": ["$low", "$three", [3]],
        "truncated_normal": ["$three", "$high"], "truncated_normal_shape": ["$low", "$high", [4]],
    }
    for name, args in refused.items():
        op = f"random.{name.removesuffix('_shape')}"
        yield error(f"random_{name}_broadcast_refused", inputs, step("y", op, *args))
    made = step("y", "random.normal", [2], loc="$three")
    yield error("random_normal_broadcast_refused", inputs, made)
    made = step("y", "random.normal", [2], scale=2**63)
    yield error("random_normal_scale_beyond_i64", {}, made)


def cases():
    parts = (
        keys, each_distribution, sequences, real_dtypes, refused_dtypes, randint, bernoulli, categorical, multivariate,
        permutation, shapes, broadcasting,
    )
    return [made for part in parts for made in part()]
