"""Writes two small files as `torch.save(state_dict)` writes them, one in each form, without PyTorch.

`python tests/pth/make.py`, in the repository. The same tensors are in both: see `tests/pth.rs`.
"""

import collections
import io
import pickle
import struct
import sys
import types
import zipfile

HERE = __file__.rsplit("/", 1)[0]


def torch_module():
    """What pickle looks classes and functions up in."""
    torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")
    for name in ("FloatStorage", "LongStorage", "BFloat16Storage"):
        setattr(torch, name, type(name, (), {"__module__": "torch"}))

    def _rebuild_tensor_v2():
        pass

    _rebuild_tensor_v2.__module__, _rebuild_tensor_v2.__qualname__ = "torch._utils", "_rebuild_tensor_v2"
    utils._rebuild_tensor_v2 = _rebuild_tensor_v2
    sys.modules |= {"torch": torch, "torch._utils": utils}
    return torch, _rebuild_tensor_v2


torch, rebuild = torch_module()


class Storage:
    def __init__(self, kind, key, data, elements):
        self.kind, self.key, self.data, self.elements = kind, key, data, elements


class Tensor:
    def __init__(self, storage, offset, shape, strides):
        self.arguments = (storage, offset, shape, strides, False, collections.OrderedDict())

    def __reduce__(self):
        return rebuild, self.arguments


class StateDict(collections.OrderedDict):
    """Pickled as the OrderedDict it is, with an attribute."""

    def __reduce__(self):
        metadata = collections.OrderedDict({"": {"version": 1}})
        return collections.OrderedDict, (), {"_metadata": metadata}, None, iter(self.items())


class Pickler(pickle.Pickler):
    def __init__(self, file, legacy):
        super().__init__(file, 2)
        self.legacy = legacy

    def persistent_id(self, value):
        if isinstance(value, Storage):
            parts = ("storage", value.kind, value.key, "cpu", value.elements)
            return parts + (None,) if self.legacy else parts


def pickled(value, legacy=False):
    file = io.BytesIO()
    Pickler(file, legacy).dump(value)
    return file.getvalue()


STORAGES = [
    Storage(torch.FloatStorage, "0", struct.pack("<6f", 1, 2, 3, 4, 5, 6), 6),
    Storage(torch.LongStorage, "1", struct.pack("<q", -7), 1),
    Storage(torch.BFloat16Storage, "2", struct.pack("<2H", 0x3F80, 0xC000), 2),
]
STATE = StateDict({
    "a.weight": Tensor(STORAGES[0], 0, (2, 3), (3, 1)),
    "a.turned": Tensor(STORAGES[0], 0, (3, 2), (1, 3)),
    "a.part": Tensor(STORAGES[0], 4, (2,), (1,)),
    "count": Tensor(STORAGES[1], 0, (), ()),
    "half": Tensor(STORAGES[2], 0, (2,), (1,)),
})

with zipfile.ZipFile(f"{HERE}/zipped.pth", "w", zipfile.ZIP_STORED) as archive:
    entries = {"data.pkl": pickled(STATE), "byteorder": b"little", "version": b"3\n"}
    for name, data in (entries | {f"data/{s.key}": s.data for s in STORAGES}).items():
        archive.writestr(zipfile.ZipInfo(f"small/{name}"), data)

with open(f"{HERE}/legacy.pth", "wb") as file:
    machine = {"protocol_version": 1001, "little_endian": True, "type_sizes": {"short": 2, "int": 4, "long": 4}}
    for value in (0x1950A86A20F9469CFC6C, 1001, machine):
        file.write(pickled(value))
    file.write(pickled(STATE, legacy=True))
    file.write(pickled([s.key for s in STORAGES]))
    for s in STORAGES:
        file.write(struct.pack("<q", s.elements) + s.data)
