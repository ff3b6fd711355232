#!/usr/bin/env python3
"""Five training scripts, each slow for one known reason, and the same without it.

    tests/gpu/slow_cases.py CASE [--fixed] [--steps N]

Prints `step_ms=… samples_per_s=…` by the wall clock; synchronises with the GPU before and after the
measured steps, never between them. Does not know tacho: `tacho run -- slow_cases.py CASE` has to find
the reason, and the speed with --fixed shows whether its estimate was right.
"""
import argparse
import contextlib
import time

import torch
import torch.nn.functional as F
from torch import nn

DEVICE = torch.device("cuda")


class Timer:
    """Times the steps after the warm-up."""

    def __init__(self, warmup, steps, batch):
        self.warmup, self.steps, self.batch = warmup, steps, batch
        self.total = warmup + steps

    def before(self, step):
        if step == self.warmup:
            torch.cuda.synchronize()
            self.begin = time.perf_counter()

    def report(self):
        torch.cuda.synchronize()
        seconds = (time.perf_counter() - self.begin) / self.steps
        print(f"step_ms={1e3 * seconds:.4f} samples_per_s={self.batch / seconds:.1f} "
              f"batch={self.batch} steps={self.steps}", flush=True)


def bf16(on=True):
    return torch.autocast("cuda", dtype=torch.bfloat16) if on else contextlib.nullcontext()


class Photos(torch.utils.data.Dataset):
    """Stands for a folder of images: each sample is cropped, resized and jittered on access."""

    def __init__(self, length):
        generator = torch.Generator().manual_seed(1)
        self.pictures = torch.randint(0, 256, (64, 3, 144, 144), dtype=torch.uint8, generator=generator)
        self.length = length

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        picture = self.pictures[index % len(self.pictures)]
        side = int(torch.randint(96, 145, ()))
        top, left = (int(torch.randint(0, 145 - side, ())) for _ in range(2))
        image = picture[:, top:top + side, left:left + side].float().div_(255)
        image = F.interpolate(image[None], size=(64, 64), mode="bilinear", antialias=True)[0]
        if torch.rand(()) < 0.5:
            image = image.flip(-1)
        image = image * (0.6 + 0.8 * torch.rand(3, 1, 1))
        blurred = F.avg_pool2d(F.pad(image[None], (2, 2, 2, 2), mode="reflect"), 5, stride=1)[0]
        image = torch.lerp(image, blurred, float(torch.rand(())))
        image = image + 0.02 * torch.randn_like(image)
        return (image - 0.45) / 0.225, index % 200


def starved(fixed, steps):
    """The loader runs in the training process, so the GPU waits for every batch."""
    from torchvision.models import resnet18
    timer = Timer(10, steps, 64)
    loader = torch.utils.data.DataLoader(Photos(timer.total * 64), batch_size=64, drop_last=True,
                                         num_workers=8 if fixed else 0, pin_memory=fixed)
    model = resnet18(num_classes=200).to(DEVICE, memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for step, (images, labels) in enumerate(loader):
        timer.before(step)
        images = images.to(DEVICE, non_blocking=True, memory_format=torch.channels_last)
        labels = labels.to(DEVICE, non_blocking=True)
        with bf16():
            loss = F.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    timer.report()


def small_cnn():
    layers, channels = [], 3
    for width in (32, 32, 64, 64, 128, 128):
        layers += [nn.Conv2d(channels, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU()]
        if width == channels:
            layers += [nn.MaxPool2d(2)]
        channels = width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 10))


def tiny_batch(fixed, steps):
    """Eight small images per step do not fill the GPU: the host cannot launch fast enough."""
    batch = 64 if fixed else 8
    timer = Timer(50, steps, batch)
    model = small_cnn().to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    images = torch.randn(1024, 3, 32, 32, device=DEVICE)
    labels = torch.randint(0, 10, (1024,), device=DEVICE)
    for step in range(timer.total):
        timer.before(step)
        at = step * batch % len(images)
        loss = F.cross_entropy(model(images[at:at + batch]), labels[at:at + batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    timer.report()


def resnet50_steps(timer, autocast, channels_last):
    from torchvision.models import resnet50
    layout = torch.channels_last if channels_last else torch.contiguous_format
    torch.backends.cudnn.benchmark = True
    model = resnet50().to(DEVICE, memory_format=layout)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    images = torch.randn(timer.batch, 3, 224, 224, device=DEVICE).to(memory_format=layout)
    labels = torch.randint(0, 1000, (timer.batch,), device=DEVICE)
    for step in range(timer.total):
        timer.before(step)
        with bf16(autocast):
            loss = F.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    timer.report()


def fp32(fixed, steps):
    """Convolutions in full fp32, while the tensor cores are idle."""
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    resnet50_steps(Timer(10, steps, 64), autocast=fixed, channels_last=True)


def nchw(fixed, steps):
    """Tensor cores need NHWC: every convolution converts its input and output."""
    resnet50_steps(Timer(10, steps, 128), autocast=True, channels_last=fixed)


def wide_mlp(width, depth):
    layers = []
    for _ in range(depth):
        layers += [nn.Linear(width, width), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(width, 100))


class Diary:
    """Per-step bookkeeping as in many scripts: smoothed metrics, their spread, a line of text."""

    def __init__(self, length):
        self.window = [(0.5, 0.5, 0.5)] * length

    def write(self, step, *figures):
        self.window = self.window[1:] + [figures]
        lines = [f"step {step}"]
        for column in zip(*self.window):
            mean = sum(column) / len(column)
            spread = (sum((figure - mean) ** 2 for figure in column) / len(column)) ** 0.5
            lines.append(f"{mean:.4f} +- {spread:.4f}")
        return ", ".join(lines)


def sync(fixed, steps):
    """Reads three numbers from the GPU in each step and processes them while it idles."""
    timer = Timer(20, steps, 4096)
    model = wide_mlp(4096, 8).to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
    inputs = torch.randn(4096, 4096, device=DEVICE)
    labels = torch.randint(0, 100, (4096,), device=DEVICE)
    diary = Diary(6000)
    figures = torch.zeros(3, device=DEVICE)
    for step in range(timer.total):
        timer.before(step)
        with bf16():
            scores = model(inputs)
            loss = F.cross_entropy(scores, labels)
        optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        accuracy = (scores.argmax(1) == labels).float().mean()
        if fixed:
            figures += torch.stack([loss.detach(), accuracy, norm])
            diary.write(step, 0.5, 0.5, 0.5)
        else:
            diary.write(step, loss.item(), accuracy.item(), norm.item())
    timer.report()


CASES = {"starved": (starved, 120), "tiny_batch": (tiny_batch, 1000), "fp32": (fp32, 120),
         "nchw": (nchw, 120), "sync": (sync, 400)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=CASES)
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--steps", type=int)
    options = parser.parse_args()
    torch.manual_seed(1)
    case, steps = CASES[options.case]
    case(options.fixed, options.steps or steps)


if __name__ == "__main__":
    main()
