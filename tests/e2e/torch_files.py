"""Writes state dicts in the zip format of torch.save, with Python's own pickle and zipfile: the
objects that torch would pickle are replaced by classes of the same names."""

import collections
import io
import pickle
import struct
import sys
import types
import zipfile

ALIGNMENT = 64


def stand_in(module, name):
    """A class that pickle writes as MODULE.NAME."""
    names = module.split(".")
    for i in range(len(names)):
        sys.modules.setdefault(".".join(names[:i + 1]), types.ModuleType(".".join(names[:i + 1])))
    made = type(name, (), {"__module__": module, "__qualname__": name})
    setattr(sys.modules[module], name, made)
    return made


STORAGES = {kind: stand_in("torch", f"{kind}Storage") for kind in ("Float", "Half", "Long")}
FORMATS = {"Float": "f", "Half": "e", "Long": "q"}
REBUILD = stand_in("torch._utils", "_rebuild_tensor_v2")


class Storage:
    def __init__(self, values, kind="Float"):
        self.kind = kind
        self.elements = len(values)
        self.bytes = struct.pack(f"<{len(values)}{FORMATS[kind]}", *values)


class Tensor:
    """A view of a storage, contiguous unless strides are given."""

    def __init__(self, storage, shape, offset=0, strides=None):
        if strides is None:
            strides, step = [], 1
            for length in reversed(shape):
                strides.insert(0, step)
                step *= length
        self.arguments = (storage, offset, tuple(shape), tuple(strides), False,
                          collections.OrderedDict())

    def __reduce_ex__(self, protocol):
        return REBUILD, self.arguments


class Pickler(pickle._Pickler):
    def __init__(self, file):
        super().__init__(file, 2)
        self.storages = []

    def persistent_id(self, value):
        if not isinstance(value, Storage):
            return None
        if value not in self.storages:
            self.storages.append(value)
        return ("storage", STORAGES[value.kind], str(self.storages.index(value)), "cpu",
                value.elements)


def write_state_dict(path, value):
    """Writes what torch.save(value, path) would: `value` may be any dictionary of Tensors."""
    data = io.BytesIO()
    pickler = Pickler(data)
    pickler.dump(value)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        def add(name, content):
            entry = zipfile.ZipInfo(f"archive/{name}")
            begin = archive.fp.tell() + 30 + len(entry.filename)
            padding = -(begin + 4) % ALIGNMENT
            entry.extra = b"FB" + struct.pack("<H", padding) + b"Z" * padding
            archive.writestr(entry, content)
        add("data.pkl", data.getvalue())
        add("byteorder", b"little")
        for number, storage in enumerate(pickler.storages):
            add(f"data/{number}", storage.bytes)
        add("version", b"3\n")


def state_dict(shapes, known, kind="Float"):
    """An OrderedDict with zeros of these shapes, all views of one storage, but for the known values:
    {name: values}. Has `_metadata`, like that of a module."""
    def count(shape):
        product = 1
        for length in shape:
            product *= length
        return product
    zeros = Storage([0] * max(map(count, shapes.values())), kind)
    state = collections.OrderedDict()
    for name, shape in shapes.items():
        state[name] = Tensor(Storage(known[name], kind) if name in known else zeros, shape)
    state._metadata = collections.OrderedDict({"": {"version": 1}})
    return state
