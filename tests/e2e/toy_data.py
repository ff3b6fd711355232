"""Datasets that are small enough to train on in a second."""

import gzip
import random
import struct
import zlib
from pathlib import Path

FASHION_MNIST = Path("/usr/share/datasets/fashion-mnist")  # Debian's dataset-fashion-mnist


def write_images(folder, train=640, evaluate=256):
    """Writes the first images of Fashion-MNIST in its file format."""
    folder.mkdir(parents=True, exist_ok=True)
    for part, count in (("train", train), ("t10k", evaluate)):
        copy_head(folder, f"{part}-images-idx3-ubyte", (count, 28, 28))
        copy_head(folder, f"{part}-labels-idx1-ubyte", (count,))
    return folder


def copy_head(folder, name, shape):
    size = 1
    for length in shape:
        size *= length
    with gzip.open(FASHION_MNIST / f"{name}.gz") as source:
        source.read(4 + 4 * len(shape))
        content = source.read(size)
    head = struct.pack(f">I{len(shape)}I", 0x800 + len(shape), *shape)
    (folder / name).write_bytes(head + content)


def write_sentences(folder, train=600, dev=200):
    """Writes sentences with a decisive word: good* means 1, bad* means 0."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(1)
    for name, count in (("train.tsv", train), ("dev.tsv", dev)):
        (folder / name).write_text("".join(sentence(rng) for _ in range(count)))
    return folder


def sentence(rng):
    label = rng.randrange(2)
    words = [f"neutral{rng.randrange(20)}" for _ in range(rng.randrange(3, 8))]
    words.insert(rng.randrange(len(words) + 1), f"{('bad', 'good')[label]}{rng.randrange(5)}")
    return f"{' '.join(words)}\t{label}\n"


def write_png(path, width, height, pixel):
    """Writes a colour PNG; pixel(x, y) returns three levels."""
    rows = b"".join(b"\0" + b"".join(bytes(pixel(x, y)) for x in range(width)) for y in range(height))

    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data)))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) +
                     chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def write_image_folder(folder, train=24, evaluate=8):
    """Writes two classes that any model distinguishes: bright and dark images."""
    rng = random.Random(3)
    for part, count in (("train", train), ("val", evaluate)):
        for name, level in (("bright", 200), ("dark", 40)):
            place = folder / part / name
            place.mkdir(parents=True)
            for number in range(count):
                write_png(place / f"{number}.png", 20 + number % 3, 18,
                          lambda x, y: [level + rng.randrange(-30, 30) for _ in range(3)])
