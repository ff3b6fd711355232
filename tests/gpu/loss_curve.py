#!/usr/bin/env python3
"""Tests whether fused kernels learn like torch's: resnet50, bf16, the same 500 steps with both.

    tests/gpu/loss_curve.py [--worker build-cuda/bin/tacho-worker] [--steps 500] [--batch 64] [--runs 3]

cuDNN's sums are not in the same order twice, so curves differ by themselves where the loss falls fast. Several
runs of each kind show by how much: means of 20 steps of a fused run and one of torch's may differ by 1.5 times the
largest difference between two runs of one kind, and so may the mean curves of both kinds.
"""
import argparse
import itertools
import statistics
import sys

from synthetic_run import SGD, events_of_run

WINDOW = 20


def curve(options, kernels):
    events = events_of_run(options.worker, "resnet50", options.batch, options.steps, precision="bf16",
                           kernels=kernels, optimizer=SGD)
    losses = [loss for event in events if event["kind"] == "steps" for loss in event["loss"]]
    assert len(losses) == options.steps, len(losses)
    return [statistics.mean(losses[at:at + WINDOW]) for at in range(0, options.steps, WINDOW)]


def largest_difference(pairs):
    return max(max(abs(x - y) for x, y in zip(a, b)) for a, b in pairs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--worker", default="build-cuda/bin/tacho-worker")
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    torch, fused = ([curve(options, kernels) for _ in range(options.runs)] for kernels in ("torch", "fused"))
    within = max(largest_difference(itertools.combinations(runs, 2)) for runs in (torch, fused))
    between = largest_difference(itertools.product(torch, fused))
    mean_torch, mean_fused = ([statistics.mean(window) for window in zip(*runs)] for runs in (torch, fused))
    means = largest_difference([(mean_torch, mean_fused)])
    allowed = max(1.5 * within, 0.01 * mean_torch[0])
    print("step    " + "".join(f"{at:>8}" for at in range(0, options.steps, 100)) + f"{options.steps:>8}")
    for name, curve_of in (("torch", mean_torch), ("fused", mean_fused)):
        shown = [*curve_of[::100 // WINDOW], curve_of[-1]]
        print(f"{name:<8}" + "".join(f"{loss:>8.4f}" for loss in shown))
    print(f"largest difference: same kernels {within:.4f}, different kernels {between:.4f}, means {means:.4f}; "
          f"allowed {allowed:.4f}")
    sys.exit(0 if between <= allowed and means <= allowed else 1)


if __name__ == "__main__":
    main()
