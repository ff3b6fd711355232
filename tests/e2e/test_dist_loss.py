"""Lost, silent, stopped or inconsistent ranks: all ranks end and report the reason.

TACHO_TEST_KILLS is the number of runs that lose a rank at a random step."""

import os
import random
import signal
import socket
import time
import unittest

from dist_case import ORDER, SECRET, DistCase, kinds_in
from tacho_case import INTERRUPTED, is_gone, stop, wait_until
from toy_data import write_images

KILLS = int(os.environ.get("TACHO_TEST_KILLS", 2))
BACKENDS = ("shm", "gloo")


class LostRanks(DistCase):
    train_samples = 240
    RUN = ("-b", 4, "-e", 12, "--nproc", 3, "--timeout", 5)

    def test_after_a_killed_rank_the_others_end_and_the_run_resumes_to_the_same_losses(self):
        whole = {backend: self.train(*self.RUN, "--backend", backend) for backend in BACKENDS}
        for seed in range(KILLS):
            rng = random.Random(seed)
            victim = 2 * seed % 3  # rank 0 first
            backend = BACKENDS[seed % 2]
            with self.subTest(seed=seed, victim=victim, backend=backend):
                going, folder, pids = self.begin(*self.RUN, "--backend", backend)
                at = rng.randrange(10, 120)
                wait_until(lambda: steps_in(folder) >= at, f"step {at}")
                os.kill(pids[victim], signal.SIGKILL)
                began = time.monotonic()
                said = going.ended()
                seconds = time.monotonic() - began
                self.assertEqual((said.code, said.json["outcome"]), (1, "failed"))
                self.assertIn(f"rank {victim}", said.json["reason"])
                self.assertLess(seconds, 5)
                self.assert_all_end(pids)
                print(f"{backend}, rank {victim} killed: {seconds:.2f} s, {said.json['reason']}")
                record = self.tacho("train", "--resume", said.json["id"], "--json").json
                self.assertEqual(record["outcome"], "ok")
                self.assertEqual(record["steps"]["loss"], whole[backend]["steps"]["loss"])

    def test_a_silent_rank_is_named_within_the_timeout(self):
        for backend, victim in (("shm", 1), ("gloo", 2), ("gloo", 0)):
            with self.subTest(backend=backend, victim=victim):
                going, _, pids = self.begin("-b", 4, "-e", 1000, "--nproc", 3, "--timeout", 2,
                                            "--backend", backend)
                stop(pids[victim])
                began = time.monotonic()
                others = [pid for rank, pid in enumerate(pids) if rank != victim]
                wait_until(lambda: all(map(is_gone, others)), "end of the others", seconds=8)
                seconds = time.monotonic() - began
                os.kill(pids[victim], signal.SIGKILL)  # tacho would do it later
                said = going.ended()
                self.assertEqual((said.code, said.json["outcome"]), (1, "failed"))
                self.assertIn(f"rank {victim}", said.json["reason"])
                print(f"{backend}, rank {victim} stopped: {seconds:.2f} s, {said.json['reason']}")
                self.assert_all_end(pids)

    def test_ctrl_c_cancels_every_rank(self):
        for backend in BACKENDS:
            going, _, pids = self.begin("-b", 4, "-e", 1000, "--nproc", 3, "--backend", backend)
            going.signal(signal.SIGINT)
            said = going.ended(seconds=10)
            self.assertEqual((said.code, said.json["outcome"]), (INTERRUPTED, "cancelled"))
            self.assertEqual(said.json["reason"], "stopped by a signal")
            self.assert_all_end(pids)

    def test_a_nan_loss_ends_all_ranks(self):
        record = self.train("-b", 4, "-e", 20, "--nproc", 3, "--lr", 1e9, expect=1)
        self.assertEqual(record["outcome"], "failed")
        self.assertRegex(record["reason"], "the loss became -?(nan|inf) at step .*; lower --lr")


class Disagreements(DistCase):
    """Two machines, started by hand."""

    def environment(self, env=None):
        return {**super().environment(env), **SECRET}

    def pair(self, first, second, timeout=10, data=None):
        """Results of rank 0 and of the other machine, which may have other data."""
        common = ("--nnodes", 2, "--rendezvous", f"127.0.0.1:{self.free_port()}", "--steps", 4,
                  "--timeout", timeout)
        other = self.start("train", self.model, *(data or self.data), *ORDER, *common,
                           "--node-rank", 1, *second)
        one = self.start(*self.order(*common, "--node-rank", 0, *first))
        return one.ended(), other.ended()

    def test_a_different_number_of_ranks_is_rejected(self):
        said, other = self.pair(("-b", 4), ("-b", 4, "--nproc", 2), timeout=3)
        for code, text in ((said.code, said.json["reason"]), (other.code, other.err)):
            self.assertEqual(code, 1)
            self.assertRegex(text, "WORLD_SIZE|ranks")

    def test_a_different_batch_is_named(self):
        said, other = self.pair(("-b", 4), ("-b", 5))
        for code, text in ((said.code, said.json["reason"]), (other.code, other.err)):
            self.assertEqual(code, 1)
            self.assertIn("batch 5", text)
            self.assertIn("batch 4", text)

    def test_damaged_data_on_one_machine_ends_all_with_the_reason(self):
        damaged = write_images(self.home / "damaged", 40, 8)
        (damaged / "train-labels-idx1-ubyte").write_bytes(b"nothing")
        said, other = self.pair(("-b", 4), ("-b", 4),
                                data=("--data", "fashion-mnist", "--data-dir", damaged))
        for code, text in ((said.code, said.json["reason"]), (other.code, other.err)):
            self.assertEqual(code, 1)
            self.assertIn("damaged/train-labels-idx1-ubyte", text)
        self.assertIn("rank 1", said.json["reason"])

    def test_a_machine_that_never_connects_is_reported(self):
        began = time.monotonic()
        record = self.train("-b", 4, "--nnodes", 2, "--node-rank", 0, "--timeout", 1,
                            "--rendezvous", f"127.0.0.1:{self.free_port()}", expect=1)
        self.assertIn("rank 1 of 2 did not connect within 1 s", record["reason"])
        self.assertLess(time.monotonic() - began, 10)

    def test_ctrl_c_ends_the_wait_for_another_machine(self):
        for node in (0, 1):
            going = self.start(*self.order("--nnodes", 2, "--node-rank", node, "--timeout", 60,
                                           "--rendezvous", f"127.0.0.1:{self.free_port()}"))
            going.worker()
            time.sleep(1)  # until it waits
            going.signal(signal.SIGINT)
            said = going.ended(seconds=20)
            self.assertEqual(said.code, INTERRUPTED)
            if node == 0:
                self.assertEqual(said.json["outcome"], "cancelled")

    def test_a_port_in_use_is_named(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            said = self.tacho(*self.order("-b", 4, "--nnodes", 2, "--node-rank", 0, "--timeout", 1,
                                          "--rendezvous", f"127.0.0.1:{port}"), expect=None)
            self.assertNotEqual(said.code, 0)
            self.assertIn(str(port), said.err)


def steps_in(folder):
    return sum(len(event["loss"]) for event in kinds_in(folder, "steps"))


if __name__ == "__main__":
    unittest.main()
