"""Datasets small enough to train on within a second."""

import gzip
import random
import struct
from pathlib import Path

FASHION_MNIST = Path("/usr/share/datasets/fashion-mnist")  # Debian's dataset-fashion-mnist


def write_images(folder, train=640, evaluate=256):
    """The first images of Fashion-MNIST, in the files its readers expect."""
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
    """Sentences that one word gives away: good* means 1, bad* means 0."""
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
