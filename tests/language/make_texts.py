"""Makes whole folders of the small models: tokenizers and templates in the families' own forms, and what mlx-lm says to a prompt.

    PYTHONPATH=SITE python3 make_texts.py        (SITE as for make_models.py, with tokenizers and jinja2)

`expected.json` has the tokens and the text of a raw prompt and of a turn of a conversation, taken greedily up to a stop.
"""

import json

import mlx.core as mx
from jinja2.sandbox import ImmutableSandboxedEnvironment
from make_models import HERE, MODELS, SMALL, build
from mlx_lm.models.cache import make_prompt_cache
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

PAIRS = ["t h", "th e", "i n", "e r", "a n", "o n", "r e"]
LETTERS = list("abcdefghijklmnopqrstuvwxyz.,?'")
SAID = "the rain in spain, ö?"
RAW, TURN = 20, 24

TURNS = """{{ bos_token }}{% for message in messages %}
    {%- if message['role'] not in ['user', 'assistant'] %}{{ raise_exception('no such role') }}{% endif %}
<|turn|>{{ message['role'] }}
{{ message['content'] | trim }}<|end|>
{% endfor %}
{% if add_generation_prompt %}<|turn|>assistant
{% endif %}"""
GEMMA = """{{ bos_token }}{% for message in messages %}<start_of_turn>{{ message.role.replace('assistant', 'model') }}
{{ message.content.strip() }}<end_of_turn>
{% endfor %}{% if add_generation_prompt %}<start_of_turn>model
{% endif %}"""


def byte_pairs(special, begin):
    """As Llama 3's and Qwen's: letters stand for bytes."""
    pairs = [*PAIRS, "Ġ the", "Ġ a", "Ã ¶"]
    tokens = [*special, "Ġ", "Ċ", "Ã", "¶", *LETTERS, *(pair.replace(" ", "") for pair in pairs)]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.BPE(vocabulary, [tuple(pair.split()) for pair in pairs]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    if begin:
        tokenizer.post_processor = processors.TemplateProcessing(f"{special[0]} $A", special_tokens=[(special[0], 0)])
    else:
        tokenizer.normalizer = normalizers.NFC()
    return tokenizer


def pieces(special):
    """As Gemma's: words begin with a mark, and what has no token is written in bytes."""
    pairs = [*PAIRS, "▁ the", "▁ a"]
    tokens = [*special, "<0x0A>", "<0xC3>", "<0xB6>", "▁", *LETTERS, *(pair.replace(" ", "") for pair in pairs)]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    merges = [tuple(pair.split()) for pair in pairs]
    model = models.BPE(vocabulary, merges, unk_token="<unk>", byte_fallback=True, fuse_unk=True)
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    tokenizer.post_processor = processors.TemplateProcessing("<bos> $A", special_tokens=[("<bos>", 2)])
    return tokenizer


# name: (tokenizer, its special tokens, begin, end, tokens that end a text, template, the form of that in the folder)
BYTES, MARKS = ["<|begin|>", "<|end|>", "<|turn|>"], ["<pad>", "<eos>", "<bos>", "<unk>", "<start_of_turn>", "<end_of_turn>"]
FOLDERS = {
    "llama": (byte_pairs(BYTES, True), BYTES, BYTES[0], dict(content=BYTES[1]), [8, 9], TURNS, "text"),
    "qwen2": (byte_pairs(BYTES, False), BYTES, None, BYTES[1], [], TURNS, "list"),
    "qwen3": (byte_pairs(BYTES, False), BYTES, None, BYTES[1], 60, TURNS, "file"),
    "gemma": (pieces(MARKS), MARKS, "<bos>", "<eos>", [1, 5], GEMMA, "text"),
}


def follow(model, prompt, count, stop):
    cache, given = make_prompt_cache(model), []
    if len(prompt) > 1:
        model(mx.array([prompt[:-1]]), cache=cache)
        mx.eval([part.state for part in cache])
    token = prompt[-1]
    while len(given) < count:
        token = mx.argmax(model(mx.array([[token]]), cache=cache)[0, -1]).item()
        if token in stop:
            break
        given.append(token)
    return given


def write(name, tokenizer, special, begin, end, stop, template, form):
    folder = HERE / "models" / name
    tokenizer.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in special])
    tokenizer.save(str(folder / "tokenizer.json"))
    about = dict(bos_token=begin, eos_token=end)
    if form == "file":
        (folder / "chat_template.jinja").write_text(template)
    else:
        named = [dict(name="tools", template="none"), dict(name="default", template=template)]
        about["chat_template"] = template if form == "text" else named
    (folder / "tokenizer_config.json").write_text(json.dumps(about, indent=1) + "\n")
    if stop:
        (folder / "generation_config.json").write_text(json.dumps(dict(eos_token_id=stop)) + "\n")

    dtype, changes, _, quantized = MODELS[name]
    mx.random.seed(len(name))
    model, _ = build(SMALL | changes, dtype, quantized)
    end = end["content"] if isinstance(end, dict) else end
    ends = {tokenizer.token_to_id(end), *(stop if isinstance(stop, list) else [stop])}
    jinja = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    turn = jinja.from_string(template).render(
        messages=[dict(role="user", content=f" {SAID} ")], add_generation_prompt=True, bos_token=begin or "", eos_token=end)
    expected = {}
    for key, ids, count in [("raw", tokenizer.encode(SAID).ids, RAW), ("turn", tokenizer.encode(turn, add_special_tokens=False).ids, TURN)]:
        tokens = follow(model, ids, count, ends)
        expected[key] = dict(prompt=ids, tokens=tokens, text=tokenizer.decode(tokens), stopped=len(tokens) < count)
    (folder / "expected.json").write_text(json.dumps(expected, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    for name, made in FOLDERS.items():
        write(name, *made)
