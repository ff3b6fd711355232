#!/usr/bin/env python3
"""A plain training script: torchvision's ResNet-50 on random images.

    tests/gpu/plain_resnet50.py [STEPS]

Prints its median step time, from CUDA events between steps.
"""
import sys

import torch
import torchvision
from torch import nn


def main():
    steps, warmup, batch = int(sys.argv[1]) if len(sys.argv) > 1 else 150, 20, 64
    device = torch.device("cuda")
    torch.manual_seed(0)
    torch.backends.cudnn.benchmark = True
    model = torchvision.models.resnet50().to(device, memory_format=torch.channels_last)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
    images = torch.randn(batch, 3, 224, 224).pin_memory()
    labels = torch.randint(0, 1000, (batch,)).pin_memory()
    marks = []
    for step in range(warmup + steps):
        mark = torch.cuda.Event(enable_timing=True)
        mark.record()
        marks.append(mark)
        inputs = images.to(device, non_blocking=True).to(memory_format=torch.channels_last)
        targets = labels.to(device, non_blocking=True)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = criterion(model(inputs), targets)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 50 == 0:
            print(f"step={step} loss={loss.item():.4f}", flush=True)
    torch.cuda.synchronize()
    times = sorted(a.elapsed_time(b) for a, b in zip(marks[warmup:], marks[warmup + 1:]))
    median = times[len(times) // 2]
    print(f"median_step_ms={median:.4f} samples_per_s={1e3 * batch / median:.1f}")


if __name__ == "__main__":
    main()
