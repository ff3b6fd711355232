#!/usr/bin/env python3
"""Programs to be traced. They do not know Tacho and print facts about themselves as JSON.

  traced_program.py resnet50|lstm STEPS [PROFILE.json]   trains, optionally with torch.profiler
  traced_program.py graph                                replays a CUDA graph, in an NVTX range
  traced_program.py killed                               works for 3 seconds, then kills itself
"""
import json
import os
import signal
import statistics
import sys
import time

import torch

GRAPH_KERNELS, REPLAYS = 20, 50


def resnet50():
    import torchvision
    model = torchvision.models.resnet50().cuda()
    data = torch.randn(64, 3, 224, 224, device="cuda")
    target = torch.randint(0, 1000, (64,), device="cuda")
    return model, lambda: torch.nn.functional.cross_entropy(model(data), target)


def lstm():
    class Tagger(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = torch.nn.Embedding(10000, 512)
            self.lstm = torch.nn.LSTM(512, 1024, num_layers=2, batch_first=True)
            self.head = torch.nn.Linear(1024, 1000)

        def forward(self, words):
            return self.head(self.lstm(self.embed(words))[0])

    model = Tagger().cuda()
    words = torch.randint(0, 10000, (128, 128), device="cuda")
    target = torch.randint(0, 1000, (128 * 128,), device="cuda")
    return model, lambda: torch.nn.functional.cross_entropy(model(words).flatten(0, 1), target)


def train(build, steps):
    torch.manual_seed(0)
    model, loss_of = build()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    marks = [torch.cuda.Event(enable_timing=True) for _ in range(steps + 1)]
    for mark in marks[:-1]:
        mark.record()
        optimizer.zero_grad(set_to_none=True)
        loss_of().backward()
        optimizer.step()
    marks[-1].record()
    torch.cuda.synchronize()
    times = [one.elapsed_time(next_one) for one, next_one in zip(marks, marks[1:])]
    return {"step_ms": statistics.median(times[steps // 3:]), "steps": steps}


def profiled(work, file):
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        report = work()
    profile.export_chrome_trace(file)
    with open(file) as trace:
        kinds = [event.get("cat") for event in json.load(trace)["traceEvents"]]
    return report | {"kernels": kinds.count("kernel"), "copies": kinds.count("gpu_memcpy"),
                     "sets": kinds.count("gpu_memset")}


def graph():
    values = torch.ones(1 << 20, device="cuda")
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        values.mul_(1.0)
    torch.cuda.synchronize()
    recorded = torch.cuda.CUDAGraph()
    with torch.cuda.graph(recorded):
        for _ in range(GRAPH_KERNELS):
            values.mul_(1.0)
    with torch.cuda.nvtx.range("replays"):
        for _ in range(REPLAYS):
            recorded.replay()
        torch.cuda.synchronize()
    return {"graph_kernels": GRAPH_KERNELS * REPLAYS}


def killed():
    values = torch.ones(1 << 20, device="cuda")
    begun, counted = time.monotonic(), []
    while time.monotonic() < begun + 3:
        for _ in range(1000):
            values.mul_(1.0)
        torch.cuda.synchronize()
        counted.append((time.monotonic(), 1000 * (len(counted) + 1)))
    now = time.monotonic()
    # Launches completed a second ago.
    old = max((count for at, count in counted if at < now - 1), default=0)
    print(json.dumps({"kernels_a_second_ago": old, "kernels": counted[-1][1],
                      "killed_at_ns": time.time_ns()}), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)


def main():
    what = sys.argv[1]
    if what in ("resnet50", "lstm"):
        def work():
            return train(globals()[what], int(sys.argv[2]))
        report = profiled(work, sys.argv[3]) if len(sys.argv) > 3 else work()
    else:
        report = {"graph": graph, "killed": killed}[what]()
    print(json.dumps(report), flush=True)


if __name__ == "__main__":
    main()
