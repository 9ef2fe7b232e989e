"""Writes the small random models of these tests, and what mlx-lm 0.32.2 computes with them.

    pip install --no-deps --target SITE mlx-lm==0.32.2        (beside mlx[cpu]==0.32.2)
    PYTHONPATH=SITE python3 make_models.py

A folder each below `models`: `config.json`, weights, and `expected.safetensors` with the logits of a prompt, of four
single tokens and of two more at once behind it, with caches. `draws.safetensors` has what mlx-lm's samplers draw.
"""

import importlib
import importlib.util
import json
import shutil
import sys
import types
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten

HERE = Path(__file__).parent

# The package's own __init__ imports transformers, which its models do not need.
package = types.ModuleType("mlx_lm")
package.__path__ = list(importlib.util.find_spec("mlx_lm").submodule_search_locations)
sys.modules["mlx_lm"] = package

SMALL = dict(
    hidden_size=32, num_hidden_layers=2, intermediate_size=48, num_attention_heads=4,
    num_key_value_heads=2, rms_norm_eps=1e-5, vocab_size=64, max_position_embeddings=64,
)

# name: (dtype, config, in how many files, whether it is quantized)
MODELS = {
    "llama": (mx.float32, dict(
        model_type="llama", rope_theta=500000.0, tie_word_embeddings=True, rope_scaling=dict(
            rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
            original_max_position_embeddings=16)), 1, False),
    "llama_biased": (mx.bfloat16, dict(
        model_type="llama", head_dim=16, attention_bias=True, mlp_bias=True, tie_word_embeddings=False,
        rope_scaling=dict(type="linear", factor=2.0)), 1, False),
    "llama_windows": (mx.float16, dict(
        model_type="llama", num_hidden_layers=3, sliding_window=5,
        layer_types=["sliding_attention", "full_attention", "sliding_attention"]), 1, False),
    "llama_quantized": (mx.float32, dict(
        model_type="llama", hidden_size=64, intermediate_size=64, tie_word_embeddings=False), 1, True),
    "qwen2": (mx.bfloat16, dict(
        model_type="qwen2", rope_theta=1000000.0, tie_word_embeddings=False, rope_scaling=dict(
            rope_type="yarn", factor=4.0, original_max_position_embeddings=16)), 2, False),
    "qwen3": (mx.float32, dict(
        model_type="qwen3", head_dim=16, tie_word_embeddings=True, rope_theta=1000000.0,
        rope_scaling=dict(type="dynamic", factor=2.0), max_position_embeddings=8), 1, False),
    "gemma": (mx.bfloat16, dict(model_type="gemma", head_dim=8), 1, False),
    "gemma3": (mx.bfloat16, dict(
        model_type="gemma3_text", head_dim=8, num_hidden_layers=3, sliding_window=4, sliding_window_pattern=2,
        query_pre_attn_scalar=8, rope_theta=1000000.0, rope_local_base_freq=10000.0), 1, False),
}


def build(config, dtype, quantized):
    module = importlib.import_module(f"mlx_lm.models.{config['model_type']}")
    model = module.Model(module.ModelArgs.from_dict(config))
    if config["model_type"] == "gemma3_text":
        model.sanitize({})  # without an lm_head, as its files are
    if quantized:
        def choose(path, layer):
            eight = dict(group_size=32, bits=8, mode="affine")
            return hasattr(layer, "to_quantized") and (eight if path.endswith("down_proj") else True)
        nn.quantize(model, group_size=64, bits=4, class_predicate=choose)

    def drawn(path, x):
        if x.dtype == mx.uint32:
            return mx.random.randint(0, 1 << 31, x.shape).astype(mx.uint32) * 2 + mx.random.randint(0, 2, x.shape).astype(mx.uint32)
        if path.endswith(("scales", "biases")):
            return mx.random.uniform(-0.02, 0.02, x.shape)
        if "norm" in path:
            return mx.random.uniform(0.5, 1.5, x.shape)
        return mx.random.normal(x.shape) * (0.5 if "embed" in path else 0.2)

    weights = [(path, drawn(path, x)) for path, x in tree_flatten(model.parameters())]
    weights = [(path, x if x.dtype == mx.uint32 else x.astype(dtype)) for path, x in weights]
    model.load_weights(weights)
    mx.eval(model.parameters())
    return model, dict(weights)


def computed(model):
    from mlx_lm.models.cache import make_prompt_cache

    cache = make_prompt_cache(model)
    tokens = mx.random.randint(0, 64, (14,))
    expected = {"tokens": tokens.astype(mx.uint32)}
    parts = [(0, 7), (7, 8), (8, 9), (9, 10), (10, 11), (11, 13), (13, 14)]
    for i, (start, stop) in enumerate(parts):
        expected[f"logits.{i}"] = model(tokens[None, start:stop], cache=cache)
        mx.eval(expected)
    return expected


def write(name, dtype, config, files, quantized):
    folder = HERE / "models" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    model, weights = build(config, dtype, quantized)
    mx.save_safetensors(str(folder / "expected.safetensors"), computed(model))
    if files == 1:
        mx.save_safetensors(str(folder / "model.safetensors"), weights)
    else:
        names = sorted(weights)
        index = {}
        for i in range(files):
            file = f"model-{i + 1:05}-of-{files:05}.safetensors"
            part = {name: weights[name] for name in names[i::files]}
            index.update({name: file for name in part})
            mx.save_safetensors(str(folder / file), part)
        text = json.dumps(dict(metadata={}, weight_map=index), indent=1, sort_keys=True)
        (folder / "model.safetensors.index.json").write_text(text + "\n")
    if quantized:
        config = dict(config, quantization=dict(group_size=64, bits=4))
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")


SETTINGS = {
    "plain": dict(temp=0.7),
    "top_p": dict(temp=1.3, top_p=0.8),
    "min_p": dict(temp=0.9, min_p=0.1),
    "both": dict(temp=1.1, top_p=0.9, min_p=0.05),
    "penalized": dict(temp=1.0, penalty=1.3),
    "greedy": dict(temp=0.0),
    "greedy_penalized": dict(temp=0.0, penalty=1.7),
}


def draws():
    from mlx_lm.sample_utils import make_logits_processors, make_sampler

    mx.random.seed(99)
    logits = mx.random.normal((48, 1, 96)) * 3
    written = {"logits": logits}
    for name, settings in SETTINGS.items():
        penalty = settings.get("penalty")
        sampler = make_sampler(**{key: value for key, value in settings.items() if key != "penalty"})
        processors = make_logits_processors(repetition_penalty=penalty)
        mx.random.seed(5)
        tokens = mx.array([3, 90, 17], mx.uint32)
        ids = []
        for row in logits:
            for processor in processors:
                row = processor(tokens, row)
            y = sampler(row - mx.logsumexp(row, keepdims=True))
            tokens = mx.concat([tokens, y])
            ids.append(y.item())
        written[name] = mx.array(ids, mx.uint32)
    mx.save_safetensors(str(HERE / "draws.safetensors"), written)


if __name__ == "__main__":
    for name, (dtype, changes, files, quantized) in MODELS.items():
        mx.random.seed(len(name))
        write(name, dtype, SMALL | changes, files, quantized)
    draws()
