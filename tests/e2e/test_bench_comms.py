"""`tacho bench comms` with real ranks; every result is verified before it is timed."""

import os
import signal
import socket
import unittest
from pathlib import Path

from dist_case import SECRET
from tacho_case import INTERRUPTED, TachoCase, is_gone, processes_of, wait_until

SMALL = ("bench", "comms", "--quick", "--max-size", "64K", "--no-gradients", "--json")
# Bus bandwidth factors of nccl-tests for two ranks.
BUS = {"all-reduce": 1, "broadcast": 1, "all-gather": 0.5}


class BenchComms(TachoCase):
    def logs(self, text):
        """Lines of rank 0's log that contain a text."""
        return [line for log in self.passing.glob("tacho-rank-*/worker.log")
                for line in log.read_text().splitlines() if text in line]

    def begin(self, *words):
        self.passing = self.new_folder()
        return self.start("bench", "comms", *words, env={"TMPDIR": str(self.passing)})

    def test_two_ranks_are_measured_stored_listed_and_shown(self):
        made = self.tacho(*SMALL).json
        self.assertEqual((made["kind"], made["ranks"], made["machines"], made["complete"]),
                         ("comms", 2, 1, True))
        found = {(c["backend"], c["collective"], c["bytes"]) for c in made["collectives"]}
        self.assertEqual(found, {(backend, collective, size) for backend in ("shm", "gloo")
                                 for collective in BUS for size in (8, 2048, 65536)})
        lines = made["lines"]
        for one in made["collectives"]:
            self.assertLessEqual(one["fastest_seconds"], one["seconds"])
            self.assertLessEqual(one["seconds"], one["slowest_seconds"])
            rate = one["bytes"] / one["seconds"] / 1e9
            self.assertAlmostEqual(one["algorithm_gb_per_s"], rate)
            self.assertAlmostEqual(one["bus_gb_per_s"], rate * BUS[one["collective"]])
            line = lines["copy_bytes_per_s" if one["backend"] == "shm" else
                         "stream_bytes_per_s" if one["collective"] == "broadcast" else
                         "ring_bytes_per_s"]
            self.assertAlmostEqual(one["of_line"], one["bus_gb_per_s"] * 1e9 / line)
        self.assertRegex(" ".join(made["absent"]), "nccl: ")
        listed = self.tacho("bench", "ls", "--json").json
        self.assertEqual([(s["key"], s["kind"]) for s in listed], [(made["key"], "comms")])
        self.assertEqual(self.tacho("bench", "show", "--json").json, made)
        text = self.tacho("bench", "show", made["key"]).out
        for words in ("a small all-reduce takes", "bus GB/s", "of line", "absent", made["key"]):
            self.assertIn(words, text)
        self.assertEqual(processes_of(self.home), [])

    def test_a_gradient_is_sent_in_buckets_and_compressed(self):
        made = self.tacho("bench", "comms", "--quick", "--max-size", "1M", "--backend", "gloo",
                          "--json").json
        gradients = made["gradients"]
        plain = [g for g in gradients if g["compress"] == "none"]
        self.assertGreaterEqual(len(plain), 1)
        for one in plain:
            self.assertEqual(one["wire_bytes"], one["payload_bytes"])  # a ring of two
            self.assertGreater(one["overlapped_seconds"], 0)
            self.assertGreater(one["work_seconds"], 0)
        sent = {g["compress"]: g["wire_bytes"] / g["payload_bytes"] for g in gradients}
        self.assertAlmostEqual(sent["bf16"], 0.5, places=3)
        self.assertAlmostEqual(sent["fp16"], 0.5, places=3)
        self.assertAlmostEqual(sent["topk"], 0.02, places=3)

    def test_only_the_first_machine_stores_the_record(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        words = (*SMALL, "--nnodes", 2, "--nproc", 1, "--rendezvous", f"127.0.0.1:{port}")
        other_home = self.new_folder()
        other = self.start(*words, "--node-rank", 1,
                           env={"TACHO_HOME": str(other_home), **SECRET})
        made = self.tacho(*words, "--node-rank", 0, env=SECRET).json
        said = other.ended()
        self.assertEqual((said.code, said.out), (0, ""))
        self.assertIn("rank 1 of 2", said.err)
        self.assertFalse((other_home / "lab").exists())
        self.assertEqual((made["ranks"], made["machines"]), (2, 2))
        self.assertEqual({c["backend"] for c in made["collectives"]}, {"gloo"})
        self.assertIn("shm: the ranks are on several machines", made["absent"])

    def test_an_interrupt_keeps_the_results_so_far(self):
        going = self.begin("--max-size", "4K", "--json")
        wait_until(lambda: self.logs("gloo"), "gloo", seconds=120)
        going.signal(signal.SIGINT)
        said = going.ended()
        self.assertEqual(said.code, INTERRUPTED, said.err)
        self.assertFalse(said.json["complete"])
        self.assertEqual(len([c for c in said.json["collectives"] if c["backend"] == "shm"]), 12)
        self.assertEqual(self.tacho("bench", "show", "--json").json, said.json)
        self.assertIn("ended before everything was measured", self.tacho("bench", "show").out)
        self.assertEqual(list(self.passing.iterdir()), [])

    def test_a_lost_rank_is_named_and_nothing_is_stored(self):
        going = self.begin("--backend", "gloo", "--json")
        wait_until(lambda: self.logs("all-reduce"), "sum")
        pids = [pid for pid in processes_of(self.home) if pid != going.process.pid]
        ranks = {rank_of(pid): pid for pid in pids}
        os.kill(ranks["1"], signal.SIGKILL)
        said = going.ended()
        self.assertEqual(said.code, 1)
        self.assert_one_error_line(said, "rank 1")
        wait_until(lambda: all(map(is_gone, pids)), "end of all ranks")
        self.assertFalse((Path(self.home) / "lab").exists())

    def test_invalid_arguments_are_named(self):
        for words, part in ((("--backend", "mpi"), "mpi"),
                            (("--max-size", "10"), "--max-size"),
                            (("--max-size", "1B"), "--max-size must be between"),
                            (("--peak", "0"), "--peak"),
                            (("--nproc", "0"), "--nproc"),
                            (("--timeout", "0"), "--timeout"),
                            (("--nnodes", "2"), "--rendezvous")):
            self.assert_one_error_line(self.tacho("bench", "comms", *words, expect=2), part)


def rank_of(pid):
    for entry in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
        if entry.startswith(b"RANK="):
            return entry[5:].decode()
    return None


if __name__ == "__main__":
    unittest.main()
