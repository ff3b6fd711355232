"""Small versions of ILSVRC2012's three archives: few classes, and images of which only the first bytes
are valid."""

import io
import random
import struct
import tarfile
import zlib

DEVKIT = "ILSVRC2012_devkit_t12/data"
MI_INT8, MI_UINT16, MI_INT32, MI_UINT32, MI_MATRIX, MI_COMPRESSED = 1, 4, 5, 6, 14, 15
MX_STRUCT, MX_CHAR, MX_DOUBLE = 2, 4, 6


def write_release(folder, classes=24, images=60, image_bytes=30_000, val=96):
    """Writes the archives and returns the class ids, ordered by ILSVRC2012_ID."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(1)
    ids = [f"n{1_000_000 + 7 * number:08}" for number in range(classes)]
    rng.shuffle(ids)
    with tarfile.open(folder / "ILSVRC2012_img_train.tar", "w") as train:
        for wnid in sorted(ids):
            add(train, f"{wnid}.tar", class_archive(wnid, images, image_bytes, rng))
    with tarfile.open(folder / "ILSVRC2012_img_val.tar", "w") as archive:
        for number in range(1, val + 1):
            add(archive, f"ILSVRC2012_val_{number:08}.JPEG", image(image_bytes, rng))
    answers = [rng.randrange(classes) + 1 for _ in range(val)]
    with tarfile.open(folder / "ILSVRC2012_devkit_t12.tar.gz", "w:gz") as devkit:
        add(devkit, f"{DEVKIT}/meta.mat", meta_mat(ids, images))
        add(devkit, f"{DEVKIT}/ILSVRC2012_validation_ground_truth.txt",
            "".join(f"{answer}\n" for answer in answers).encode())
    return ids


def add(archive, name, content):
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))


def image(size, rng):
    return b"\xff\xd8\xff\xe0" + rng.randbytes(size)


def class_archive(wnid, images, image_bytes, rng):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for number in range(images):
            add(archive, f"{wnid}_{number * 3}.JPEG", image(image_bytes, rng))
    return buffer.getvalue()


def meta_mat(ids, images):
    """A MATLAB 5 file as MATLAB writes it: compressed, integers and characters in two bytes. Like the
    real one, it has a synset that is not a class."""
    synsets = [(number + 1, wnid, f"words of {wnid}", 0, images)
               for number, wnid in enumerate(ids)]
    synsets.append((len(ids) + 1, "n00001740", "entity", len(ids), 0))
    names = ("ILSVRC2012_ID", "WNID", "words", "num_children", "num_train_images")
    body = element(MI_INT32, struct.pack("<i", 32))
    body += element(MI_INT8, b"".join(name.encode().ljust(32, b"\0") for name in names))
    for synset in synsets:
        for value in synset:
            body += text_array(value) if isinstance(value, str) else number_array(value)
    array = matrix(MX_STRUCT, (len(synsets), 1), "synsets", body)
    packed = zlib.compress(array)
    header = b"MATLAB 5.0 MAT-file".ljust(116) + bytes(8) + struct.pack("<H2s", 0x0100, b"IM")
    return header + struct.pack("<II", MI_COMPRESSED, len(packed)) + packed


def element(kind, data):
    if 0 < len(data) <= 4:
        return struct.pack("<HH", kind, len(data)) + data.ljust(4, b"\0")
    return struct.pack("<II", kind, len(data)) + data + bytes(-len(data) % 8)


def matrix(kind, shape, name, body):
    flags = element(MI_UINT32, struct.pack("<II", kind, 0))
    dimensions = element(MI_INT32, struct.pack("<ii", *shape))
    content = flags + dimensions + element(MI_INT8, name.encode()) + body
    return struct.pack("<II", MI_MATRIX, len(content)) + content


def number_array(value):
    return matrix(MX_DOUBLE, (1, 1), "", element(MI_UINT16, struct.pack("<H", value)))


def text_array(text):
    return matrix(MX_CHAR, (1, len(text)), "", element(MI_UINT16, text.encode("utf-16-le")))
