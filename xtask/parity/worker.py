"""The Python side of the parity runner: runs one case at a time under Python MLX.

Here: the line protocol. Next door: what values (case_values.py) and steps (case_steps.py) of the
case format mean in Python MLX. Not here: comparing, case files, time limits and restarts, which
the Rust driver does.

Protocol, one JSON value a line. First line out: {"ready": {"mlx", "python", "libmlx", "blas", "device"}}.
  in   {"case": CASE, "dir": folder of the case file, "graph": bool}
  out  {"outputs": [OUT], "dot": text | null}        OUT = {"dtype", "shape", "hex"} | {"json"}
       {"error": {"type", "message"}}                an exception is a result like any other
       {"illformed": why}                            the case itself is not valid
A reply that also says "last": true is good, and the worker's last: start a fresh one.
"""

import ctypes
import io
import json
import os
import platform
import sys

# MLX, its BLAS and the compiler it starts may write to stdout, which belongs to the protocol.
REPLIES = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
os.dup2(2, 1)
sys.stdout = sys.stderr
# What stands before MLX's BLAS is meant for this process, not for the compiler MLX starts.
os.environ.pop("LD_PRELOAD", None)
# This folder is a checkout: leave no __pycache__ in it.
sys.dont_write_bytecode = True

import mlx.core as mx
from case_steps import run_steps
from case_values import (
    EvalFailed, IllFormed, encode, evaluate, lookup, make_input, require, tensors_in,
)


def dot_text(tensors):
    text = io.StringIO()
    mx.export_to_dot(text, *tensors)
    return text.getvalue()


def made(specs, folder):
    """The inputs of a case, evaluated."""
    require(isinstance(specs, dict), "inputs is an object")
    try:
        env = {name: make_input(spec, folder) for name, spec in specs.items()}
        evaluate(list(env.values()))
    except (EvalFailed, ValueError, TypeError, RuntimeError) as error:
        raise IllFormed(f"input: {error.__cause__ or error}") from error
    return env


def run_case(request):
    case, folder = request.get("case"), request.get("dir", ".")
    require(isinstance(case, dict), "a case is an object")
    require(case.get("python") != "skip", "this case must not run under Python")
    names = case.get("outputs")
    require(isinstance(names, list) and names, "a case needs outputs")
    # A case must not depend on the one before it: the global key starts the same each time.
    mx.random.seed(0)
    env = made(case.get("inputs", {}), folder)
    run_steps(case.get("steps", []), env)
    outputs = [lookup(name, env) for name in names]
    tensors = tensors_in(outputs)
    dot = dot_text(tensors) if request.get("graph") and tensors else None
    evaluate(tensors)
    return {"outputs": [encode(output) for output in outputs], "dot": dot}


def is_signature_error(error):
    """True for a call whose arguments Python could not even bind to the function."""
    if not isinstance(error, TypeError):
        return False
    text = str(error)
    unbound = ("() got an unexpected", "() got multiple", "() missing ", "() takes ")
    return "incompatible function arguments" in text or any(part in text for part in unbound)


def error_reply(error):
    return {"error": {"type": type(error).__name__, "message": str(error)}}


def answer(line):
    """The reply to one request, and whether this process can still be trusted afterwards."""
    try:
        request = json.loads(line)
        require(isinstance(request, dict), "a request is an object")
        return run_case(request), True
    except json.JSONDecodeError as error:
        return {"illformed": f"not JSON: {error}"}, True
    except IllFormed as error:
        return {"illformed": str(error)}, not isinstance(error.__cause__, EvalFailed)
    except EvalFailed as failure:
        # After a failed eval MLX may hand the same error to a later, innocent eval, and reads
        # stale memory for the failed tensor: this process is done.
        return error_reply(failure.__cause__), False
    except Exception as error:
        if is_signature_error(error):
            return {"illformed": str(error)}, True
        return error_reply(error), True


def loaded_libmlx():
    """The library that is really mapped; where there is no /proc, the one in the package."""
    try:
        with open("/proc/self/maps", encoding="utf-8") as maps:
            for line in maps:
                path = line.rstrip("\n").partition("/")[2]
                if path.endswith("/libmlx.so"):
                    return "/" + path
    except OSError:
        pass
    return os.path.join(os.path.dirname(mx.__file__), "lib", "libmlx.dylib")


def blas_in_force():
    """The file of the BLAS that MLX's calls reach: a preloaded one, which may only jump to another,
    comes before MLX's own; None where there is no /proc."""
    def symbol(library, name):
        return getattr(ctypes.CDLL(library), name, None)

    routine = symbol(None, "cblas_sgemm")
    routine = routine and (symbol(None, "scipy_cblas_sgemm") or routine)
    routine = routine or symbol(loaded_libmlx(), "cblas_sgemm")
    address = ctypes.cast(routine, ctypes.c_void_p).value
    try:
        with open("/proc/self/maps", encoding="utf-8") as maps:
            for line in maps:
                begin, end = (int(part, 16) for part in line.split()[0].split("-"))
                if begin <= address < end:
                    return "/" + line.rstrip("\n").partition("/")[2]
    except OSError:
        pass
    return None


def reply(value):
    REPLIES.write(json.dumps(value, allow_nan=False) + "\n")
    REPLIES.flush()


def main():
    # Integers of any size are legal in a case; Python's default limit guards servers, not us.
    sys.set_int_max_str_digits(0)
    ready = {"mlx": mx.__version__, "python": platform.python_version(), "libmlx": loaded_libmlx()}
    ready["blas"] = blas_in_force()
    if device := os.environ.get("PARITY_DEVICE"):
        mx.set_default_device(getattr(mx, device))
    ready["device"] = str(mx.default_device()).removeprefix("Device(").removesuffix(", 0)")
    reply({"ready": ready})
    for line in sys.stdin:
        if not line.strip():
            continue
        value, trusted = answer(line)
        reply(value if trusted else {**value, "last": True})
        if not trusted:
            # No destructors: they could wait for the stream that failed.
            os._exit(3)


if __name__ == "__main__":
    main()
