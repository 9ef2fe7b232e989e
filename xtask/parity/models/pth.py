"""PyTorch's files of weights as numpy arrays, without PyTorch. Nothing but what the table names is looked up."""

import collections
import io
import pickle
import zipfile

import numpy as np

TYPES = {"FloatStorage": np.float32, "LongStorage": np.int64}


class Unpickler(pickle.Unpickler):
    """Storages are looked up in `storages` by key; without them, tensors stay unread."""

    def __init__(self, file, storages):
        super().__init__(file)
        self.storages = storages

    def find_class(self, module, name):
        if name in TYPES:
            return name
        return {"OrderedDict": collections.OrderedDict, "_rebuild_tensor_v2": self.tensor}[name]

    def persistent_load(self, parts):
        kind, key, _, elements = parts[1:5]
        return self.storages(TYPES[kind], key, elements)

    @staticmethod
    def tensor(storage, offset, shape, strides, *_):
        if storage is None:
            return None
        strides = [stride * storage.itemsize for stride in strides]
        return np.ascontiguousarray(np.lib.stride_tricks.as_strided(storage[offset:], shape, strides))


def read(path):
    data = open(path, "rb").read()
    if data.startswith(b"PK"):
        archive = zipfile.ZipFile(io.BytesIO(data))
        prefix = next(name for name in archive.namelist() if name.endswith("data.pkl")).removesuffix("data.pkl")

        def storage(dtype, key, elements):
            return np.frombuffer(archive.read(f"{prefix}data/{key}"), dtype, elements)

        return Unpickler(io.BytesIO(archive.read(f"{prefix}data.pkl")), storage).load()

    # The older form names the storages, then the tensors can be read again with them.
    file, sizes, found = io.BytesIO(data), {}, {}
    for _ in range(3):
        Unpickler(file, None).load()
    start = file.tell()
    Unpickler(file, lambda dtype, key, elements: sizes.__setitem__(key, (dtype, elements))).load()
    for key in Unpickler(file, None).load():
        dtype, elements = sizes[key]
        file.read(8)
        found[key] = np.frombuffer(file.read(elements * np.dtype(dtype).itemsize), dtype)
    file.seek(start)
    return Unpickler(file, lambda dtype, key, elements: found[key]).load()
