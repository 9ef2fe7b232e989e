"""mlx.nn.losses: each with each reduction, its parameters, dtypes, edge values, shapes, gradients and refusals."""

from .base import SHORT, dims, drawn, normal, step, tensor
from .nn_base import FLOATS3, differentiated, edges, either, mapped

# Inputs of one shape by name, and ways to call it: keywords with a tag.
ALIKE = {
    "binary_cross_entropy": ("xt", {"": {}, "weights": {"weights": "$w"}, "probs": {"with_logits": False}, "all": {"weights": "$w", "with_logits": False}}),
    "cosine_similarity_loss": ("xt", {"axis": {"axis": -1}, "eps": {"axis": 0, "eps": 0.5}}),
    "gaussian_nll_loss": ("xtv", {"": {}, "full": {"full": True}, "eps": {"eps": 0.75}}),
    "hinge_loss": ("xt", {"": {}}),
    "huber_loss": ("xt", {"": {}, "delta": {"delta": 0.3}, "int": {"delta": 2}}),
    "kl_div_loss": ("xt", {"": {}, "axis": {"axis": 0}}),
    "l1_loss": ("xt", {"": {}}),
    "log_cosh_loss": ("xt", {"": {}}),
    "margin_ranking_loss": ("xtv", {"": {}, "margin": {"margin": 0.3}, "int": {"margin": 1}}),
    "mse_loss": ("xt", {"": {}}),
    "smooth_l1_loss": ("xt", {"": {}, "beta": {"beta": 0.3}, "int": {"beta": 2}}),
    "triplet_loss": ("xtv", {"": {}, "axis": {"axis": 0}, "p": {"p": 3}, "float": {"p": 1.5, "margin": 2, "eps": 0.001}}),
}
REDUCTIONS = ["none", "mean", "sum"]


def made(name, kw, tensors, out="y"):
    return step(out, f"losses.{name}", *(f"${t}" for t in tensors), **kw)


def calls():
    for name, (tensors, ways) in ALIKE.items():
        for tag, kw in ways.items():
            yield f"{name}_{tag}".rstrip("_"), name, kw, tensors


def given(dtype, shape, tensors):
    inputs = {t: drawn(dtype, shape, key) for key, t in enumerate([*tensors, "w"], 3)}
    if "v" in inputs and 0 not in shape:
        inputs["v"] = {"dtype": dtype, "shape": shape, "uniform": {"key": 9, "low": 0.1, "high": 2.0}}
    return inputs


def alike():
    for tag, name, kw, tensors in calls():
        for dtype in FLOATS3:
            # Positive ones, too, for what takes logarithms.
            inputs = given(dtype, [4, 5], tensors)
            steps = [made(name, {**kw, "reduction": r}, tensors, r) for r in REDUCTIONS]
            yield either(f"{tag}_{SHORT[dtype]}", inputs, steps, REDUCTIONS)
            probable = {t: {"dtype": dtype, "shape": [4, 5], "uniform": {"key": key, "low": 0.0, "high": 1.0}} for key, t in enumerate([*tensors, "w"], 3)}
            yield either(f"{tag}_unit_{SHORT[dtype]}", probable, [made(name, kw, tensors)])
            special = {t: {**edges(dtype, shift), "shape": [5, 4]} for shift, t in enumerate([*tensors, "w"])}
            yield either(f"{tag}_edges_{SHORT[dtype]}", special, [made(name, {**kw, "reduction": "none"}, tensors)])
            yield differentiated(f"{tag}_gradient_{SHORT[dtype]}", probable, list(tensors), [made(name, {**kw, "reduction": "none"}, tensors)])
        yield differentiated(f"{tag}_gradient_mean", given("float32", [4, 5], tensors), list(tensors), [made(name, {**kw, "reduction": "mean"}, tensors)])
        yield mapped(f"{tag}_vmap", given("float32", [3, 4, 5], tensors), [*tensors, "w"], [made(name, kw, tensors)])
        for shape in ([], [3], [0], [2, 0], [0, 3]):
            empty = 0 in shape
            yield either(f"{tag}_shape_{dims(shape)}", given("float32", shape, tensors), [made(name, kw, tensors)], graph=not empty)
        mixed = {t: normal(dtype, [4, 5], key) for key, (t, dtype) in enumerate(zip([*tensors, "w"], ["bfloat16", "float32", "float16", "float16"]), 3)}
        yield either(f"{tag}_mixed", mixed, [made(name, kw, tensors)])
        whole = {t: {"dtype": "int32", "shape": [4, 5], "randint": {"key": key, "low": -3, "high": 4}} for key, t in enumerate([*tensors, "w"], 3)}
        yield either(f"{tag}_i32", whole, [made(name, kw, tensors)])
        truth = {t: {"dtype": "float32", "shape": [4, 5], "randint": {"key": key, "low": 0, "high": 2}} for key, t in enumerate([*tensors, "w"], 3)}
        truth["t"] = {**truth["t"], "dtype": "int32"}
        yield either(f"{tag}_targets_i32", truth, [made(name, kw, tensors)])


def refusals():
    for name, (tensors, ways) in ALIKE.items():
        kw = next(iter(ways.values()))
        for odd in [*tensors, "w"] if name == "binary_cross_entropy" else tensors:
            inputs = {**given("float32", [2, 3], tensors), odd: normal("float32", [3, 2], 5)}
            how = {"weights": "$w"} if odd == "w" else kw
            yield either(f"{name}_odd_{odd}", inputs, [made(name, how, tensors)])
            inputs = {**inputs, odd: normal("float32", [3], 5)}
            yield either(f"{name}_short_{odd}", inputs, [made(name, how, tensors)])
        yield either(f"{name}_reduction", given("float32", [2, 3], tensors), [made(name, {**kw, "reduction": "most"}, tensors)])
        if "axis" in kw or name in ("kl_div_loss", "triplet_loss"):
            for axis in (2, -3):
                yield either(f"{name}_axis_{axis}".replace("-", "m"), given("float32", [2, 3], tensors), [made(name, {"axis": axis}, tensors)])
    for axis in (None, [0, 1]):
        tag = "none" if axis is None else "both"
        yield either(f"kl_div_loss_axis_{tag}", given("float32", [2, 3], "xt"), [made("kl_div_loss", {"axis": axis}, "xt")])
    for p in (0, 0.0, -1, {"float": "inf"}):
        tag = str(p).strip("{}").replace("'", "").replace(": ", "_").replace("-", "m").replace(".", "_")
        yield either(f"triplet_loss_p_{tag}", given("float32", [2, 3], "xtv"), [made("triplet_loss", {"p": p}, "xtv")])
    shapes = {"x": normal("float32", [3], 1), "t": normal("float32", [3], 2), "v": normal("float32", [], 3)}
    yield either("margin_ranking_loss_0d_target", shapes, [made("margin_ranking_loss", {}, "xtv")])


def places(shape, size, dtype="int32"):
    return {"dtype": dtype, "shape": shape, "randint": {"key": 8, "low": 0, "high": size}}


def classes():
    ways = {"": {}, "smooth": {"label_smoothing": 0.1}, "weights": {"weights": "$w"}, "all": {"weights": "$w", "label_smoothing": 0.25}}
    for tag, kw in ways.items():
        for dtype in FLOATS3:
            for axis in (-1, 0, 1):
                left = [4, 5, 6]
                size = left.pop(axis)
                inputs = {"x": normal(dtype, [4, 5, 6], 1), "t": places(left, size), "w": normal(dtype, left, 3)}
                steps = [made("cross_entropy", {**kw, "axis": axis, "reduction": r}, "xt", r) for r in REDUCTIONS]
                name = f"losses_cross_entropy_{tag}_axis_{axis}_{SHORT[dtype]}".replace("__", "_").replace("-", "m")
                yield either(name, inputs, steps, REDUCTIONS)
                probs = {**inputs, "t": {"dtype": dtype, "shape": [4, 5, 6], "uniform": {"key": 4, "low": 0.0, "high": 1.0}}}
                yield either(f"{name}_probs", probs, steps, REDUCTIONS)
                if axis == -1:
                    one = [made("cross_entropy", kw, "xt")]
                    yield differentiated(f"{name}_probs_gradient", probs, ["x", "t"], one)
                    yield differentiated(f"{name}_gradient", inputs, ["x", "t"], one, by=[0])
    for dtype in FLOATS3:
        x = {**edges(dtype), "shape": [5, 4]}
        for t in (places([5], 4), {**edges(dtype, 7), "shape": [5, 4]}):
            kind = "probs" if len(t["shape"]) == 2 else "classes"
            yield either(f"losses_cross_entropy_edges_{kind}_{SHORT[dtype]}", {"x": x, "t": t}, [made("cross_entropy", {"label_smoothing": 0.1}, "xt")])
        yield either(f"nll_loss_edges_{SHORT[dtype]}", {"x": x, "t": places([5], 4)}, [made("nll_loss", {}, "xt")])
        for axis in (-1, 0, 1):
            left = [4, 5, 6]
            size = left.pop(axis)
            inputs = {"x": normal(dtype, [4, 5, 6], 1), "t": places(left, size)}
            steps = [made("nll_loss", {"axis": axis, "reduction": r}, "xt", r) for r in REDUCTIONS]
            yield either(f"nll_loss_axis_{axis}_{SHORT[dtype]}".replace("-", "m"), inputs, steps, REDUCTIONS)
        inputs = {"x": normal(dtype, [4, 5], 1), "t": places([4], 5)}
        yield differentiated(f"nll_loss_gradient_{SHORT[dtype]}", inputs, ["x", "t"], [made("nll_loss", {}, "xt")], by=[0])
    for dtype in ("uint8", "uint32", "int8", "int64"):
        inputs = {"x": normal("float32", [3, 5], 1), "t": places([3], 5, dtype)}
        steps = [made("cross_entropy", {}, "xt", "a"), made("nll_loss", {}, "xt", "b")]
        yield either(f"losses_of_classes_{SHORT[dtype]}", inputs, steps, ["a", "b"])
    inputs = {"x": normal("float32", [3, 5], 1), "t": tensor("int32", [3], [-1, -5, 4])}
    yield either("losses_of_classes_from_the_end", inputs, [made("cross_entropy", {}, "xt", "a"), made("nll_loss", {}, "xt", "b")], ["a", "b"])
    whole = {"x": {"dtype": "int32", "shape": [3, 5], "randint": {"key": 2, "low": -9, "high": 9}}, "t": places([3], 5)}
    yield either("losses_of_classes_whole", whole, [made("cross_entropy", {}, "xt", "a"), made("nll_loss", {}, "xt", "b")], ["a", "b"])
    alone = {"x": normal("float32", [5], 1), "t": places([], 5)}
    yield either("losses_of_classes_alone", alone, [made("cross_entropy", {}, "xt", "a"), made("nll_loss", {}, "xt", "b")], ["a", "b"])
    batch = {"x": normal("float32", [2, 3, 5], 1), "t": places([2, 3], 5)}
    yield mapped("losses_cross_entropy_vmap", batch, "xt", [made("cross_entropy", {}, "xt")])
    yield mapped("nll_loss_vmap", batch, "xt", [made("nll_loss", {}, "xt")])


def refused_classes():
    x = normal("float32", [3, 5], 1)
    for smoothing in (1.0, -0.1, 1.5, 1e20, -1e-07, {"float": "nan"}, {"float": "inf"}):
        tag = str(smoothing).strip("{}").replace("'", "").replace(": ", "_").replace("-", "m").replace(".", "_").replace("+", "")
        yield either(f"losses_cross_entropy_smoothing_{tag}", {"x": x, "t": places([3], 5)}, [made("cross_entropy", {"label_smoothing": smoothing}, "xt")])
    for axis in (2, -3, 0):
        tag = str(axis).replace("-", "m")
        for name in ("cross_entropy", "nll_loss"):
            yield either(f"losses_{name}_axis_{tag}_refused", {"x": x, "t": places([3], 5)}, [made(name, {"axis": axis}, "xt")])
        probs = {"x": x, "t": normal("float32", [3, 5], 2)}
        yield either(f"losses_cross_entropy_axis_{tag}_probs", probs, [made("cross_entropy", {"axis": axis}, "xt")])
    for shape in ([5], [], [1], [3, 1], [5, 3], [3, 5, 1]):
        for name in ("cross_entropy", "nll_loss"):
            yield either(f"losses_{name}_targets_{dims(shape)}", {"x": x, "t": places(shape, 3)}, [made(name, {}, "xt")])
    for shape in ([5], [], [1], [3, 5]):
        inputs = {"x": x, "t": places([3], 5), "w": normal("float32", shape, 3)}
        yield either(f"losses_cross_entropy_weights_{dims(shape)}", inputs, [made("cross_entropy", {"weights": "$w"}, "xt")])
    for shape, left in (([], []), ([0, 5], [0]), ([3, 0], [3])):
        targets = tensor("int32", left, [0] * (left[0] if left else 1))
        inputs = {"x": drawn("float32", shape, 1), "t": targets}
        if shape != [3, 0]:
            yield either(f"losses_cross_entropy_of_{dims(shape)}", inputs, [made("cross_entropy", {}, "xt")], graph=False)
        probs = {"x": drawn("float32", shape, 1), "t": drawn("float32", shape, 2)}
        yield either(f"losses_cross_entropy_probs_of_{dims(shape)}", probs, [made("cross_entropy", {}, "xt")], graph=False)
    yield either("losses_cross_entropy_0d_logits", {"x": normal("float32", [], 1), "t": places([2], 5)}, [made("cross_entropy", {"axis": 3}, "xt")])
    yield either("losses_cross_entropy_reduction", {"x": x, "t": places([3], 5)}, [made("cross_entropy", {"reduction": "most"}, "xt")])


def cases():
    return [made for part in (alike, refusals, classes, refused_classes) for made in part()]
