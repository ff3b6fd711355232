"""One training on the machines of a network."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "e2e"))
from tacho_case import PATIENCE_SECONDS, TACHO, end_all, events_of, processes_of  # noqa: E402

PORT = 29500
SECRET = "the-secret-of-the-job-under-test"
PATIENCE = 5 * PATIENCE_SECONDS


@dataclass
class Ended:
    """Result of the tacho of one machine."""
    code: int
    out: str
    err: str
    at: float  # time.monotonic()


class Job:
    """`tacho train` on every machine of a network, each with its own TACHO_HOME."""

    def __init__(self, network, *args):
        self.network = network
        self._before = [machine.sent() for machine in network.machines]
        self.homes = [tempfile.mkdtemp(prefix="tacho-net-") for _ in network.machines]
        self._logs = [Path(home) / "output" for home in self.homes]
        # Machine 0 last, so that the others have to wait for it.
        ranks = reversed(range(len(network.machines)))
        self._processes = {rank: self._start(rank, *args) for rank in ranks}

    def _start(self, rank, *args):
        machine = self.network.machines[rank]
        train = [TACHO, "train", *args, "--nnodes", len(self.homes), "--node-rank", rank,
                 "--rendezvous", f"{self.network.machines[0].address}:{PORT}", "--threads", 1,
                 "--no-checkpoints", "--no-tensorboard", "--json"]
        log = self._logs[rank]
        with open(f"{log}.out", "w") as out, open(f"{log}.err", "w") as err:
            return subprocess.Popen(machine.command(*train), stdin=subprocess.DEVNULL, stdout=out,
                                    stderr=err,
                                    env={**os.environ, "TACHO_JOB_SECRET": SECRET,
                                         "TACHO_HOME": self.homes[rank],
                                         "TMPDIR": self.homes[rank]})

    def events(self):
        """The events of rank 0 so far."""
        runs = Path(self.homes[0]) / "runs"
        folders = list(runs.iterdir()) if runs.exists() else []
        return events_of(folders[0]) if folders else []

    def ended(self):
        """Waits for all machines and returns their results."""
        ended = {}
        deadline = time.monotonic() + PATIENCE
        while len(ended) < len(self._processes):
            for rank, process in self._processes.items():
                if rank not in ended and process.poll() is not None:
                    log = self._logs[rank]
                    ended[rank] = Ended(process.returncode, Path(f"{log}.out").read_text(),
                                        Path(f"{log}.err").read_text(), time.monotonic())
            if time.monotonic() > deadline:
                raise AssertionError(f"machines {set(self._processes) - set(ended)} did not end")
            time.sleep(0.01)
        return [ended[rank] for rank in range(len(ended))]

    def record(self):
        """Waits for a successful run and returns its record."""
        ended = self.ended()
        for machine in ended:
            if machine.code != 0:
                raise AssertionError(f"exit code {machine.code}: {machine.err}")
        return json.loads(ended[0].out)

    def sent(self):
        """Bytes of payload that each machine has sent since the job began."""
        return [machine.sent() - before
                for machine, before in zip(self.network.machines, self._before)]

    def processes(self):
        return [pid for home in self.homes for pid in processes_of(home)]

    def close(self):
        for home in self.homes:
            end_all(home)
        for process in self._processes.values():
            process.wait()
        for home in self.homes:
            shutil.rmtree(home, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def steady(record, rank, figure):
    """Values of one rank for each step after warm-up."""
    return record["rank_steps"][rank][figure][len(record["steps"]["warmup"]):]
