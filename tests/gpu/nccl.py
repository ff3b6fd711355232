#!/usr/bin/env python3
"""Trains through NCCL with a world of one rank, the whole path of a distributed run, and compares with no
distribution at all: the same losses, with CUDA graphs and without, and an overhead below 2 %. If two runs
without NCCL differ by more than that, as they do if a step waits for the host, the overhead must be
within their difference.

    tests/gpu/nccl.py WORKER
"""
import statistics
import sys

from synthetic_run import ADAMW, SGD, events_of_run

MOST = 1.02
CASES = (("mnist-cnn", 512, SGD, "tf32", 400), ("resnet50", 128, SGD, "bf16", 40),
         ("distilbert", 32, ADAMW, "bf16", 100))
ROUNDS = {("mnist-cnn", "off"): 6}  # bound by the host; default: 2
ALONE = {}
ONE_RANK = {"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1",
            "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29511"}


def train(worker, case, graphs, variables):
    model, batch, optimizer, precision, steps = case
    events = events_of_run(worker, model, batch, steps, variables, optimizer=optimizer,
                           precision=precision, graphs=graphs)
    backends = [event["backend"] for event in events if event["kind"] == "ranks"]
    assert backends == (["nccl"] if variables else []), backends
    notes = [event["text"] for event in events if event["kind"] == "note"]
    assert any("as a CUDA graph" in note for note in notes) == (graphs == "on"), notes
    seconds = [s for event in events if event["kind"] == "steps" for s in event["seconds"]]
    losses = [x for event in events if event["kind"] == "steps" for x in event["loss"]]
    return statistics.median(seconds[len(seconds) // 4:]), losses


def furthest(one, other):
    return max(abs(a - b) / abs(a) for a, b in zip(one, other))


def compare(worker, case, graphs):
    rounds = ROUNDS.get((case[0], graphs), 2)
    pairs = [(train(worker, case, graphs, ALONE), train(worker, case, graphs, ONE_RANK))
             for _ in range(rounds)]
    alone, ranked = (statistics.median(pair[i][0] for pair in pairs) for i in (0, 1))
    # Two runs of cuDNN's convolutions differ as well: some add up in order of arrival, and it
    # chooses its algorithms again.
    chance = max(furthest(pairs[0][0][1], pair[0][1]) for pair in pairs[1:])
    difference = min(furthest(pair[0][1], pair[1][1]) for pair in pairs)
    ratio = ranked / alone
    spread = (max(pair[0][0] for pair in pairs) - min(pair[0][0] for pair in pairs)) / alone
    print(f"{case[0]:11} batch {case[1]:4} {case[3]} graphs {graphs:3}: alone {1e3 * alone:7.3f} ms, through"
          f" NCCL {1e3 * ranked:7.3f} ms, {ratio:.3f} (alone ±{50 * spread:.1f} %); losses differ by {difference:.1e},"
          f" without NCCL by {chance:.1e}", flush=True)
    return difference <= max(1e-6, 2 * chance) and ratio < max(MOST, 1 + spread / 2)


def main():
    good = [compare(sys.argv[1], case, graphs) for case in CASES for graphs in ("on", "off")]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
