#!/usr/bin/python3
"""The peer of bench/compare_images: torchvision's ImageFolder and DataLoader on one core, with
defaults. Also generates the images and checks Tacho's samples.

    peer_images.py make FOLDER --count 200    JPEGs of 500 x 375 pixels, about 110 KB, 4:2:0
    peer_images.py train FOLDER --passes 2    random crops and flips in batches; one JSON object
    peer_images.py check FOLDER FILE          compares the evaluation samples in FILE with torchvision's
"""
import argparse
import io
import json
import pathlib
import time

import numpy
import PIL
import torch
import torchvision
from PIL import Image, ImageDraw
from torchvision import transforms

WIDTH, HEIGHT, BYTES = 500, 375, 110_000
NORMALISE = transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])


def noise(random, scale, channels):
    """Noise with standard deviation 1 and no detail finer than `scale` pixels."""
    size = (HEIGHT // scale + 2, WIDTH // scale + 2, channels)
    coarse = random.standard_normal(size, dtype=numpy.float32)
    planes = [numpy.asarray(Image.fromarray(coarse[:, :, c]).resize((WIDTH, HEIGHT), Image.BICUBIC))
              for c in range(channels)]
    return numpy.stack(planes, axis=2)


def picture(seed):
    """Smooth gradients, detail at every scale, some texture, and sharp edges."""
    random = numpy.random.default_rng(seed)
    levels = 128 + 45 * noise(random, 120, 3)
    for scale in (48, 20, 8, 4, 2, 1):
        levels += scale ** 0.5 * (5 * noise(random, scale, 1) + 1.5 * noise(random, scale, 3))
    y, x = numpy.mgrid[0:HEIGHT, 0:WIDTH].astype(numpy.float32)
    angle, period = random.uniform(0, 3.14), random.uniform(5, 14)
    waves = numpy.sin((x * numpy.cos(angle) + y * numpy.sin(angle)) * 6.28 / period)
    levels += (25 * waves * (noise(random, 90, 1)[:, :, 0] > 0.3))[:, :, None]
    image = Image.fromarray(numpy.clip(levels, 0, 255).astype(numpy.uint8))
    mask = Image.new("L", image.size, 0)
    draw = ImageDraw.Draw(mask)
    for _ in range(6):
        left, top = random.uniform(0, WIDTH), random.uniform(0, HEIGHT)
        draw.ellipse([left, top, left + random.uniform(30, 150), top + random.uniform(30, 150)], fill=160)
    return Image.composite(image.transpose(Image.ROTATE_180), image, mask)


def encoded(image, quality):
    out = io.BytesIO()
    image.save(out, "JPEG", quality=quality, subsampling="4:2:0")
    return out.getvalue()


def make(options):
    folder = pathlib.Path(options.folder) / "all"
    folder.mkdir(parents=True, exist_ok=True)
    probes = [picture(seed) for seed in range(4)]
    sizes = {q: numpy.mean([len(encoded(image, q)) for image in probes]) for q in range(60, 99, 2)}
    quality = min(sizes, key=lambda q: abs(sizes[q] - BYTES))
    written = 0
    for seed in range(options.count):
        content = encoded(picture(seed), quality)
        (folder / f"{seed:04}.jpg").write_bytes(content)
        written += len(content)
    print(json.dumps({"images": options.count, "quality": quality, "mean_bytes": written / options.count}))


def train(options):
    torch.set_num_threads(1)
    dataset = torchvision.datasets.ImageFolder(options.folder, transforms.Compose([
        transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(), transforms.ToTensor(),
        NORMALISE]))
    loader = torch.utils.data.DataLoader(dataset, batch_size=64, num_workers=0)
    rates = []
    for number in range(options.passes + 1):
        begin = time.process_time()
        samples = sum(len(labels) for _, labels in loader)
        if number > 0:  # the first warms up
            rates.append(samples / (time.process_time() - begin))
    print(json.dumps({"torchvision": torchvision.__version__, "pillow": PIL.__version__,
                      "samples_per_core_s": float(numpy.median(rates))}))


def check(options):
    dataset = torchvision.datasets.ImageFolder(options.folder, transforms.Compose([
        transforms.Resize(256), transforms.CenterCrop(224), transforms.ToTensor(), NORMALISE]))
    ours = numpy.fromfile(options.file, numpy.float32).reshape(len(dataset), 3, 224, 224)
    theirs = numpy.stack([sample.numpy() for sample, _ in dataset])
    levels = numpy.abs(ours - theirs) * numpy.array([0.229, 0.224, 0.225]).reshape(1, 3, 1, 1) * 255
    print(json.dumps({"mean_levels": float(levels.mean()),
                      "largest_of_a_sample": float(levels.mean(axis=(1, 2, 3)).max()),
                      "largest_levels": float(levels.max())}))


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(required=True)
    for name, run in (("make", make), ("train", train), ("check", check)):
        command = commands.add_parser(name)
        command.set_defaults(run=run)
        command.add_argument("folder")
        if name == "make":
            command.add_argument("--count", type=int, default=200)
        if name == "train":
            command.add_argument("--passes", type=int, default=2)
        if name == "check":
            command.add_argument("file")
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
