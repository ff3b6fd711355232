#!/usr/bin/env python3
"""Whether fused kernels learn as torch's do: resnet50, bf16, the same 500 steps both ways.

    tests/gpu/loss_curve.py [--worker build-cuda/bin/tacho-worker] [--steps 500] [--batch 64]

cuDNN's sums are not in the same order twice, so a second run of torch's kernels says how far apart two
curves may lie by themselves. Means of 20 steps are held against each other: the fused curve may be off by
twice as much as torch's own, or by a hundredth of the first loss.
"""
import argparse
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


def apart(a, b):
    return max(abs(x - y) for x, y in zip(a, b))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--worker", default="build-cuda/bin/tacho-worker")
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--batch", type=int, default=64)
    options = parser.parse_args()
    torch, again, fused = (curve(options, kernels) for kernels in ("torch", "torch", "fused"))
    allowed = max(2 * apart(torch, again), 0.01 * torch[0])
    print(f"loss of {options.steps} steps, torch's kernels {torch[0]:.4f} to {torch[-1]:.4f}, "
          f"fused {fused[0]:.4f} to {fused[-1]:.4f}")
    print(f"means of {WINDOW} steps: fused and torch {apart(torch, fused):.4f} apart at most, "
          f"torch and torch {apart(torch, again):.4f}; allowed {allowed:.4f}")
    sys.exit(0 if apart(torch, fused) <= allowed else 1)


if __name__ == "__main__":
    main()
