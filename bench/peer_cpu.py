#!/usr/bin/python3
"""The peer of bench/compare_cpu: a plain PyTorch training loop on Fashion-MNIST, its data already
in memory as normalised floats. Prints one JSON object with the time of every step.

    peer_cpu.py MODEL --batch 64 --steps 200 [--threads N] [--mkldnn on|off] [--tuned]

Without options it runs at PyTorch's defaults. --tuned uses what PyTorch offers to be faster:
gradients set to None, the multi-tensor optimizer.
"""
import argparse
import gzip
import json
import time

import numpy
import torch
import torch.nn as nn
import torch.nn.functional as F

FOLDER = "/usr/share/datasets/fashion-mnist/"


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(784, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x.flatten(1))))


class MnistCnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3)
        self.conv2 = nn.Conv2d(32, 64, 3)
        self.dropout1 = nn.Dropout(0.25)
        self.dropout2 = nn.Dropout(0.5)
        self.fc1 = nn.Linear(9216, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = torch.flatten(self.dropout1(F.max_pool2d(x, 2)), 1)
        return self.fc2(self.dropout2(F.relu(self.fc1(x))))


class LeNet5(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, padding=2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(400, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2).flatten(1)
        return self.fc3(F.relu(self.fc2(F.relu(self.fc1(x)))))


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
