"""Writes small.safetensors and small.txt: made-up word embeddings for a quickstart without a network.

Words of one line below share a direction, so that they are near each other. Run it in its own folder.
"""

import json
import random
import struct

GROUPS = """
king queen prince princess duke duchess emperor empress monarch throne crown palace kingdom royal
man woman boy girl father mother son daughter brother sister uncle aunt husband wife
paris london berlin madrid rome vienna lisbon athens dublin oslo prague warsaw budapest brussels
france england germany spain italy austria portugal greece ireland norway poland hungary belgium sweden
monday tuesday wednesday thursday friday saturday sunday weekend yesterday today tomorrow week day
january february march april may june july august september october november december month year
one two three four five six seven eight nine ten eleven twelve hundred thousand
red blue green yellow orange purple pink brown black white grey violet colour
guitar piano violin cello flute trumpet drum harp organ saxophone song music melody
dog cat horse cow sheep goat pig mouse rabbit fox wolf bear lion tiger
apple pear plum cherry grape lemon peach banana melon berry fruit orchard juice
bread butter cheese milk egg soup rice pasta meat fish salad cake sugar salt
river lake sea ocean stream creek pond water wave shore coast island bay
mountain hill valley forest desert meadow field plain cliff cave rock sand
doctor nurse patient hospital medicine surgeon illness fever clinic health pain cure
car train bus ship boat plane bicycle truck road bridge station harbour airport
sun moon star planet sky cloud rain snow wind storm thunder summer winter
eye ear nose mouth hand foot arm leg head heart skin bone blood
house door window wall roof floor room kitchen garden table chair bed lamp
book page letter word sentence story novel poem author library paper ink pen
"""
DIMENSIONS = 16

random.seed(16)
words, rows = [], []
for line in GROUPS.split("\n"):
    centre = [random.gauss(0, 1) for _ in range(DIMENSIONS)]
    for word in line.split():
        words.append(word)
        rows += [round(0.1 * (x + 0.6 * random.gauss(0, 1)), 6) for x in centre]

entry = {"dtype": "F32", "shape": [len(words), DIMENSIONS], "data_offsets": [0, 4 * len(rows)]}
header = json.dumps({"embeddings.word_embeddings.weight": entry}).encode()
header += b" " * (-len(header) % 8)
with open("small.safetensors", "wb") as file:
    file.write(struct.pack("<Q", len(header)) + header + struct.pack(f"<{len(rows)}f", *rows))
with open("small.txt", "w", encoding="utf-8") as file:
    file.write("\n".join(words) + "\n")
