"""Writes what onnxruntime makes of `mlx_examples::silero::made_up`, four times in a row: the probabilities, chunk by chunk.

`python tests/silero/make.py PACKAGE_FOLDER`, in the repository; needs onnxruntime and numpy.
"""

import json
import sys

import numpy as np
import onnxruntime

CONTEXT, CHUNK = 64, 512
noise, phase, samples = 1, 0, []
for i in range(48000):
    noise = (noise * 1664525 + 1013904223) % 2**32
    phase = (phase + 60 + i // 400) % 8192
    samples.append((phase - 4096) * (i // 1600 % 5) + (noise >> 20) - 2048)
samples = np.tile(np.array(samples, np.float32) / np.float32(32768), 4)
samples = np.pad(samples, (CONTEXT, -len(samples) % CHUNK))

model = onnxruntime.InferenceSession(f"{sys.argv[1]}/silero_vad/data/silero_vad_16k_op15.onnx")
state, likely = np.zeros((2, 1, 128), np.float32), []
for start in range(0, len(samples) - CONTEXT, CHUNK):
    chunk = samples[None, start : start + CONTEXT + CHUNK]
    y, state = model.run(None, {"input": chunk, "state": state, "sr": np.array(16000, np.int64)})
    likely.append(float(y[0, 0]))
with open(f"{__file__.rsplit('/', 1)[0]}/made_up.json", "w") as file:
    json.dump(likely, file, indent=1)
    file.write("\n")
