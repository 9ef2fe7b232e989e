"""Writes what onnxruntime makes of two sounds, chunk by chunk: of `mlx_examples::silero::made_up`, four times in a row, and of
a spoken sentence, which it writes, too.

`python tests/silero/make.py PACKAGE_FOLDER`, in the repository; needs onnxruntime, numpy and, for the voice, espeakng-loader.
"""

import ctypes
import json
import sys
import wave
from pathlib import Path

import numpy as np
import onnxruntime

HERE = Path(__file__).parent
CONTEXT, CHUNK, RATE = 64, 512, 16000


def made_up():
    noise, phase, samples = 1, 0, []
    for i in range(48000):
        noise = (noise * 1664525 + 1013904223) % 2**32
        phase = (phase + 60 + i // 400) % 8192
        samples.append((phase - 4096) * (i // 1600 % 5) + (noise >> 20) - 2048)
    return np.tile(np.array(samples), 4)


def spoken(text):
    """eSpeak's voice, between half a second and a third of one without a sound; kept in a file, so that it stays the same."""
    import espeakng_loader

    espeak, samples = ctypes.CDLL(espeakng_loader.get_library_path()), []
    rate = espeak.espeak_Initialize(2, 0, espeakng_loader.get_data_path().encode(), 0)

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)
    def take(part, count, _events):
        samples.extend(part[:count] if part else [])
        return 0

    espeak.espeak_SetSynthCallback(take)
    espeak.espeak_SetVoiceByName(b"en")
    espeak.espeak_Synth(text.encode(), len(text) + 1, 0, 1, 0, 1, None, None)
    times = np.arange(len(samples) * RATE // rate) * rate / RATE
    voice = np.round(np.interp(times, np.arange(len(samples)), samples))
    samples = np.concatenate([np.zeros(RATE // 2), voice, np.zeros(RATE // 3)]).astype("<i2")
    with wave.open(str(HERE / "spoken.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(samples.tobytes())
    return samples


def write(name, samples, model):
    samples = samples.astype(np.float32) / np.float32(32768)
    samples = np.pad(samples, (CONTEXT, -len(samples) % CHUNK))
    state, likely = np.zeros((2, 1, 128), np.float32), []
    for start in range(0, len(samples) - CONTEXT, CHUNK):
        chunk = samples[None, start : start + CONTEXT + CHUNK]
        y, state = model.run(None, {"input": chunk, "state": state, "sr": np.array(RATE, np.int64)})
        likely.append(float(y[0, 0]))
    (HERE / f"{name}.json").write_text(json.dumps(likely, indent=1) + "\n")


if __name__ == "__main__":
    model = onnxruntime.InferenceSession(f"{sys.argv[1]}/silero_vad/data/silero_vad_16k_op15.onnx")
    write("made_up", made_up(), model)
    write("spoken", spoken("The quick brown fox."), model)
