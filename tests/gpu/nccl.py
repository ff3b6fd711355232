#!/usr/bin/env python3
"""Trains through NCCL with a world of one rank, the whole path of a distributed run, and compares with no
distribution at all: the same losses, with CUDA graphs and without, and an overhead below 2 %. Runs alternate, and
the fastest of each kind are compared, because other programs on the host only make steps slower. Without graphs a
small model's step waits for the host, which spends some microseconds on every parameter: that much is allowed too.

    tests/gpu/nccl.py WORKER
"""
import statistics
import sys

from synthetic_run import ADAMW, SGD, events_of_run

MOST = 1.02
HOST_SECONDS_PER_PARAMETER = {"on": 0, "off": 10e-6}
# The last: the number of parameters if a step without a graph waits for the host.
CASES = (("mnist-cnn", 512, SGD, "tf32", 400, 8), ("resnet50", 128, SGD, "bf16", 40, 0),
         ("distilbert", 32, ADAMW, "bf16", 100, 104))
ROUNDS = {"on": 3, "off": 6}
ALONE = {}
ONE_RANK = {"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1",
            "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29511"}


def train(worker, case, graphs, variables):
    model, batch, optimizer, precision, steps, _ = case
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
    pairs = [(train(worker, case, graphs, ALONE), train(worker, case, graphs, ONE_RANK))
             for _ in range(ROUNDS[graphs])]
    alone, ranked = (min(pair[i][0] for pair in pairs) for i in (0, 1))
    # Two runs of cuDNN's convolutions differ as well: some add up in order of arrival, and it
    # chooses its algorithms again.
    chance = max(furthest(pairs[0][0][1], pair[0][1]) for pair in pairs[1:])
    difference = min(furthest(pair[0][1], pair[1][1]) for pair in pairs)
    most = MOST * alone + HOST_SECONDS_PER_PARAMETER[graphs] * case[5]
    print(f"{case[0]:11} batch {case[1]:4} {case[3]} graphs {graphs:3}: alone {1e3 * alone:7.3f} ms, through"
          f" NCCL {1e3 * ranked:7.3f} ms, {ranked / alone:.3f} (at most {most / alone:.3f}); losses differ by {difference:.1e},"
          f" without NCCL by {chance:.1e}", flush=True)
    return difference <= max(1e-6, 2 * chance) and ranked < most


def main():
    good = [compare(sys.argv[1], case, graphs) for case in CASES for graphs in ROUNDS]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
