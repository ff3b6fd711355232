"""Gloo collectives of torch.distributed between processes of this machine, for bench/compare_comms.

    peer_comms.py RANKS ROUNDS SIZE…

Prints {"COLLECTIVE SIZE": seconds}: the slowest rank's time in each round, the median over the rounds. All results
are verified first.
"""
import json
import os
import statistics
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as processes

ROUND_SECONDS = 0.01


def message(collective, size, rank, ranks):
    if collective == "all-reduce":
        return torch.arange(size // 4).mul(7).add(13 * rank).remainder(1024).float()
    return torch.arange(size // ranks if collective == "all-gather" else size).add(rank).remainder(251).byte()


def call_of(collective, mine, ranks):
    if collective == "all-reduce":
        return lambda: dist.all_reduce(mine)
    if collective == "broadcast":
        return lambda: dist.broadcast(mine, 0)
    parts = [torch.empty_like(mine) for _ in range(ranks)]

    def gather():
        dist.all_gather(parts, mine)
        return parts
    return gather


def verify(collective, size, rank, ranks):
    mine = message(collective, size, rank, ranks)
    parts = call_of(collective, mine, ranks)()
    if collective == "all-reduce":
        assert mine.equal(sum(message(collective, size, r, ranks) for r in range(ranks)))
    elif collective == "broadcast":
        assert mine.equal(message(collective, size, 0, ranks))
    else:
        assert all(part.equal(message(collective, size, r, ranks)) for r, part in enumerate(parts))


def seconds_of(call, calls):
    dist.barrier()
    begin = time.perf_counter()
    for _ in range(calls):
        call()
    slowest = torch.tensor([(time.perf_counter() - begin) / calls], dtype=torch.double)
    dist.all_reduce(slowest, dist.ReduceOp.MAX)
    return slowest.item()


def rank_main(rank, ranks, rounds, sizes, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.set_num_threads(max(1, len(os.sched_getaffinity(0)) // ranks))
    dist.init_process_group("gloo", rank=rank, world_size=ranks)
    found = {}
    for collective in ("all-reduce", "broadcast", "all-gather"):
        for size in sizes:
            verify(collective, size, rank, ranks)
            mine = message(collective, size, rank, ranks).zero_()
            call = call_of(collective, mine, ranks)
            one = seconds_of(call, 1)
            calls = max(1, min(1000, int(ROUND_SECONDS / one)))
            found[f"{collective} {size}"] = statistics.median(seconds_of(call, calls) for _ in range(rounds))
    if rank == 0:
        print(json.dumps(found))


if __name__ == "__main__":
    import socket
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        free = probe.getsockname()[1]
    count = int(sys.argv[1])
    processes.spawn(rank_main, (count, int(sys.argv[2]), [int(s) for s in sys.argv[3:]], free), nprocs=count)
