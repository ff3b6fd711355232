#!/usr/bin/env python3
"""Trains resnet18 on CIFAR-10 in plain PyTorch until it reaches an accuracy, for bench/compare_target.

    bench/peer_target.py FOLDER --input device|loader [--epochs 20] [--target 0.94] …

FOLDER has the dataset's binary files (data_batch_1.bin …). --input device keeps all images on the GPU and
augments whole batches there; loader is torchvision's transforms in a DataLoader. Prints one line of JSON.
"""
import argparse
import json
import os
import pathlib
import time

import numpy as np
import torch
import torch.nn.functional as F
import torchvision
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms import v2

PADDING = 4


def read(files):
    rows = np.concatenate([np.fromfile(file, np.uint8).reshape(-1, 3073) for file in files])
    images = torch.from_numpy(rows[:, 1:].reshape(-1, 3, 32, 32).copy())
    return images, torch.from_numpy(rows[:, 0].astype(np.int64))


class Images(Dataset):
    def __init__(self, images, labels, transform):
        self.images, self.labels, self.transform = images, labels, transform

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.transform(self.images[i]), self.labels[i]


def loader_batches(images, labels, mean, std, options):
    transform = v2.Compose([v2.RandomCrop(32, PADDING), v2.RandomHorizontalFlip(),
                            v2.ToDtype(torch.float32, scale=True), v2.Normalize(mean.tolist(), std.tolist())])
    workers = min(os.cpu_count(), 16)
    loader = DataLoader(Images(images, labels, transform), options.batch, shuffle=True, drop_last=True,
                        num_workers=workers, persistent_workers=True, pin_memory=True)
    while True:
        for inputs, classes in loader:
            inputs = inputs.to("cuda", memory_format=torch.channels_last, non_blocking=True)
            yield inputs, classes.to("cuda", non_blocking=True)


def device_batches(images, labels, mean, std, options):
    padded = F.pad(scaled(images, mean, std), (PADDING,) * 4)
    labels = labels.cuda()
    span = torch.arange(32, device="cuda")
    while True:
        order = torch.randperm(len(labels), device="cuda")
        for start in range(0, len(order) - options.batch + 1, options.batch):
            chosen = order[start:start + options.batch]
            shift = torch.randint(0, 2 * PADDING + 1, (2, options.batch, 1), device="cuda")
            flips = torch.rand(options.batch, 1, device="cuda") < 0.5
            columns = torch.where(flips, span.flip(0), span) + shift[1]
            rows = span + shift[0]
            batch = padded[chosen[:, None, None], :, rows[:, :, None], columns[:, None, :]]
            yield batch.permute(0, 3, 1, 2), labels[chosen]


def scaled(images, mean, std):
    return (images.cuda().float() / 255 - mean.cuda()[:, None, None]) / std.cuda()[:, None, None]


def make_model():
    model = torchvision.models.resnet18(num_classes=10)
    model.conv1 = torch.nn.Conv2d(3, 64, 3, padding=1, bias=False)
    model.maxpool = torch.nn.Identity()
    return model.to("cuda", memory_format=torch.channels_last)


def accuracy(model, inputs, labels):
    model.eval()
    hits = 0
    with torch.no_grad(), torch.autocast("cuda", torch.bfloat16):
        for start in range(0, len(labels), 1000):
            hits += (model(inputs[start:start + 1000]).argmax(1) == labels[start:start + 1000]).sum()
    model.train()
    return hits.item() / len(labels)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--input", choices=("device", "loader"), required=True)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--lr", type=float, default=0.4)
    parser.add_argument("--weight-decay", type=float, default=5e-4)
    parser.add_argument("--label-smoothing", type=float, default=0.0)
    parser.add_argument("--target", type=float, default=0.94)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    began = time.monotonic()
    torch.manual_seed(options.seed)
    torch.backends.cudnn.benchmark = True
    images, labels = read([options.folder / f"data_batch_{i}.bin" for i in range(1, 6)])
    mean = (images.float() / 255).mean((0, 2, 3))
    std = (images.float() / 255).std((0, 2, 3))
    test_images, test_labels = read([options.folder / "test_batch.bin"])
    test_images = scaled(test_images, mean, std).contiguous(memory_format=torch.channels_last)
    test_labels = test_labels.cuda()
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), options.lr, momentum=0.9, nesterov=True,
                                weight_decay=options.weight_decay, fused=True)
    steps = len(labels) // options.batch
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, options.lr, options.epochs * steps,
                                                   cycle_momentum=False)
    batches = (device_batches if options.input == "device" else loader_batches)(images, labels, mean, std, options)
    curve = []
    for _ in range(options.epochs):
        for _ in range(steps):
            inputs, classes = next(batches)
            with torch.autocast("cuda", torch.bfloat16):
                loss = F.cross_entropy(model(inputs), classes, label_smoothing=options.label_smoothing)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        curve.append(accuracy(model, test_images, test_labels))
        if curve[-1] >= options.target:
            break
    print(json.dumps({"seconds": time.monotonic() - began, "curve": curve}), flush=True)
    os._exit(0)  # does not wait for the loader's workers


if __name__ == "__main__":
    main()
