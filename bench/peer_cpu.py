#!/usr/bin/python3
"""The peer of bench/compare_cpu: a plain PyTorch training loop on Fashion-MNIST, with its data
in memory as normalised floats. Prints one JSON object with the time of every step.

    peer_cpu.py MODEL --batch 64 --steps 200 [--threads N] [--mkldnn on|off] [--tuned]

Without options it uses PyTorch's defaults. --tuned enables PyTorch's faster options:
gradients set to None, the multi-tensor optimizer.
"""
import argparse
import gzip
import json
import time

import numpy
import torch
import torch.nn.functional as F

from peer_models import LeNet5, Mlp, MnistCnn

FOLDER = "/usr/share/datasets/fashion-mnist/"
MODELS = {"mlp": (Mlp, 0.1), "lenet5": (LeNet5, 0.02), "mnist-cnn": (MnistCnn, 0.02)}


def load():
    with gzip.open(FOLDER + "train-images-idx3-ubyte.gz") as file:
        pixels = numpy.frombuffer(file.read(), numpy.uint8, offset=16)
    with gzip.open(FOLDER + "train-labels-idx1-ubyte.gz") as file:
        labels = numpy.frombuffer(file.read(), numpy.uint8, offset=8)
    images = torch.from_numpy(pixels.astype(numpy.float32).reshape(-1, 1, 28, 28) / 255)
    return (images - images.mean()) / images.std(), torch.from_numpy(labels.astype(numpy.int64))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--mkldnn", choices=["on", "off"])
    parser.add_argument("--tuned", action="store_true")
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    if options.mkldnn:
        torch.backends.mkldnn.set_flags(options.mkldnn == "on")

    torch.manual_seed(1)
    images, labels = load()
    make, rate = MODELS[options.model]
    model = make()
    extra = {"foreach": True} if options.tuned else {}
    optimizer = torch.optim.SGD(model.parameters(), lr=rate, momentum=0.9, **extra)
    order = torch.randperm(len(images))
    seconds, losses = [], []
    for step in range(options.steps):
        begin = time.perf_counter()
        first = step * options.batch % (len(images) - options.batch)
        chosen = order[first:first + options.batch]
        x, y = images[chosen], labels[chosen]
        optimizer.zero_grad(set_to_none=True) if options.tuned else optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        seconds.append(time.perf_counter() - begin)
    print(json.dumps({"torch": torch.__version__, "threads": torch.get_num_threads(),
                      "seconds": seconds, "loss": losses}))


if __name__ == "__main__":
    main()
