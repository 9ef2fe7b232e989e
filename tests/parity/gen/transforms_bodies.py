"""Compiled functions of one to three shapes, checkpoints, and transforms within each other.

Not here: what each op does under a transform (the other modules of transforms).
"""

from .base import case, error, step
from .transforms_base import transform

GIVEN = {name: {"dtype": "float32", "shape": [3], "normal": {"key": key}} for key, name in enumerate("xwv", 1)}
PRODUCT = [step("t", "*", "$x", "$w"), step("t", "mx.tanh", "$t")]
SUM = [step("s", "mx.sum", "$t")]


def body(params, steps, *outputs):
    return {"params": list(params), "steps": steps, "outputs": list(outputs)}


def compiled():
    one = body("xw", PRODUCT, "t")
    for name, kw in [("once", {}), ("thrice", {"calls": 3}), ("shapeless", {"shapeless": True, "calls": 2})]:
        yield case(f"compile_{name}", GIVEN, [transform("y", "compile", one, ["$x", "$w"], **kw)], ["y"])
    yield case("compile_by_scalar", GIVEN, [transform("y", "compile", one, ["$x", 2.5])], ["y"])
    shapes = {n: {"dtype": "bfloat16", "shape": s, "normal": {"key": 4}} for n, s in [("a", [2]), ("b", [2, 3]), ("c", [])]}
    steps = [transform(f"y{n}", "compile", body("x", [step("t", "mx.exp", "$x"), step("t", "+", "$t", "$x")], "t"), [f"${n}"])
             for n in shapes]
    yield case("compile_three_shapes", shapes, steps, [f"y{n}" for n in shapes])
    long = [step("y", "*", "$x", 1.4142135623), step("y", "+", "$y", 0.3333333)]
    yield case("compile_constants", GIVEN, [transform("y", "compile", body("x", long, "y"), ["$x"])], ["y"])
    inner = [transform("y", "compile", one, ["$x", "$w"]), step("y", "+", "$y", 0.25)]
    yield case("compile_in_compile", GIVEN, [transform("y", "compile", body("x", inner, "y"), ["$x"])], ["y"])
    gelu = body("x", [step("y", "nn.gelu", "$x")], "y")
    yield case("compile_of_gelu", GIVEN, [transform("y", "compile", gelu, ["$x"])], ["y"])
    part = body("x", [step("y", "index", "$x", [{"slice": [0, 2, None]}])], "y")
    yield {**error("compile_shapeless_part", GIVEN, transform("y", "compile", part, ["$x"], shapeless=True)), "outputs": ["y"]}
    read = body("x", [step("i", "method.item", "$x")], "x")
    refused = {**error("compile_reads", GIVEN, transform("y", "compile", read, ["$x"])), "outputs": ["y"]}
    yield {**refused, "compare": ["value"]}


def within():
    one = body("xw", PRODUCT, "t")
    for op in ("compile", "checkpoint"):
        use = [transform("t", op, one, ["$x", "$w"]), *SUM]
        loss = body("xw", use, "s")
        both = transform(["v", "g", "h"], "value_and_grad", loss, ["$x", "$w"], argnums=[0, 1])
        yield case(f"value_and_grad_of_{op}", GIVEN, [both], ["v", "g", "h"])
        again = [transform("g", "grad", loss, ["$x", "$w"]), step("s", "mx.sum", "$g")]
        yield case(f"grad_of_grad_of_{op}", GIVEN, [transform("y", "grad", body("xw", again, "s"), ["$x", "$w"])], ["y"])
        yield case(f"vmap_of_{op}", GIVEN, [transform("y", "vmap", body("xw", use[:1], "t"), ["$x", "$w"])], ["y"])
        tangents = transform(["v", "y"], "jvp", body("x", use[:1], "t"), ["$x"], tangents=["$w"])
        yield case(f"jvp_of_{op}", GIVEN, [tangents], ["v", "y"])
        slope = body("x", [transform("y", "grad", body("x", use, "s"), ["$x"])], "y")
        yield case(f"{op}_of_grad_of_{op}", GIVEN, [transform("y", op, slope, ["$x"])], ["y"])
        mapped = body("xw", [transform("y", "vmap", one, ["$x", "$w"])], "y")
        yield case(f"{op}_of_vmap", GIVEN, [transform("y", op, mapped, ["$x", "$w"])], ["y"])


def checkpoints():
    one = body("xw", PRODUCT, "t")
    yield case("checkpoint", GIVEN, [transform("y", "checkpoint", one, ["$x", "$w"])], ["y"])
    yield case("checkpoint_by_scalar", GIVEN, [transform("y", "checkpoint", one, ["$x", 2.0])], ["y"])
    two = body("xw", PRODUCT + SUM, "s", "t")
    yield case("checkpoint_of_two", GIVEN, [transform(["s", "t"], "checkpoint", two, ["$x", "$w"])], ["s", "t"])
    inner = [step("u", "mx.exp", "$x"), transform("t", "checkpoint", one, ["$u", "$w"])]
    outer = [transform("t", "checkpoint", body("x", inner, "t"), ["$x"]), *SUM]
    made = transform(["v", "g"], "value_and_grad", body("x", outer, "s"), ["$x"])
    yield case("checkpoint_in_checkpoint", GIVEN, [made], ["v", "g"])
    wrong = body("x", [step("t", "mx.reshape", "$x", [7])], "t")
    yield {**error("checkpoint_of_an_error", GIVEN, transform("y", "checkpoint", wrong, ["$x"])), "outputs": ["y"]}


def wrong():
    one, loss = body("xw", PRODUCT, "t"), body("xw", PRODUCT + SUM, "s")
    for name, op, made, kw in [
        ("grad_of_a_vector", "grad", one, {}), ("value_and_grad_of_a_vector", "value_and_grad", one, {}),
        ("grad_of_a_tuple", "grad", body("xw", PRODUCT + SUM, "s", "t"), {}),
        ("vjp_shape", "vjp", one, {"cotangents": [1.0]}), ("vjp_too_few", "vjp", one, {"cotangents": []}),
        ("jvp_too_few", "jvp", one, {"tangents": ["$x"]}), ("vmap_axis", "vmap", one, {"in_axes": [0, 3]}),
        ("vmap_out_axis", "vmap", one, {"out_axes": 4}), ("vmap_axes_too_few", "vmap", one, {"in_axes": [0]}),
        *((f"{op}_argnums_{n}", op, loss, {"argnums": a}) for op in ("grad", "value_and_grad")
          for n, a in [("none", []), ("negative", -1), ("twice", [0, 1, 1]), ("beyond", [0, 2])]),
    ]:
        if name == "vjp_shape":
            kw = {"cotangents": ["$s"]}
        before = [step("s", "mx.sum", "$x")] if name == "vjp_shape" else []
        yield {**error(name, GIVEN, *before, transform("y", op, made, ["$x", "$w"], **kw)), "outputs": ["y"]}
    sizes = {**GIVEN, "w": {"dtype": "float32", "shape": [4], "normal": {"key": 2}}}
    yield {**error("vmap_sizes", sizes, transform("y", "vmap", one, ["$x", "$w"])), "outputs": ["y"]}


def cases():
    return [*compiled(), *within(), *checkpoints(), *wrong()]
