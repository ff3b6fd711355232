"""Trainings that continue by themselves after a rank or a machine was killed.

TACHO_TEST_KILLS is the number of machines to kill, one after the other."""

import os
import signal
import time
import unittest

from dist_case import SECRET, DistCase
from tacho_case import epochs_in, wait_until

KILLS = int(os.environ.get("TACHO_TEST_KILLS", 3))


class OneMachine(DistCase):
    train_samples = 240
    RUN = ("-b", 4, "-e", 12, "--nproc", 3, "--timeout", 5)

    def prepare(self):
        super().prepare()
        type(self).whole = self.train(*self.RUN)

    def begin_job(self, job, *args):
        """Returns its tacho and the process ids of its ranks after the first epoch."""
        going, folder, pids = self.begin(*self.RUN, "--job", job, *args)
        wait_until(lambda: epochs_in(folder), "epoch")
        return going, pids

    def assert_is_whole(self, record):
        self.assertEqual(record["outcome"], "ok")
        self.assertEqual(record["steps"]["loss"], self.whole["steps"]["loss"])

    def test_a_killed_rank_restarts_the_training(self):
        going, pids = self.begin_job("night", "--max-restarts", 1)
        os.kill(pids[1], signal.SIGKILL)
        said = going.ended()
        self.assertEqual(said.code, 0, said.err)
        self.assertIn("restart 1 of 1: rank 1", said.err)
        self.assert_is_whole(said.json)
        # A job that is complete stays as it is, and keeps its options.
        again = self.train(*self.RUN, "--job", "night")
        self.assertEqual((again["id"], again["steps"]), (said.json["id"], said.json["steps"]))
        said = self.tacho(*self.order(*self.RUN, "--job", "night", "--lr", 0.5), expect=2)
        self.assert_one_error_line(said, "of this job has other options")

    def test_a_job_continues_when_its_command_runs_again(self):
        going, _ = self.begin_job("evening")
        going.process.kill()
        going.ended()
        self.assert_is_whole(self.train(*self.RUN, "--job", "evening"))

    def test_restarts_without_progress_end(self):
        said = self.tacho(*self.order(*self.RUN, "--lr", 1e9, "--max-restarts", 2), expect=1)
        self.assertIn("restart 2 of 2: ", said.err)
        self.assertIn("the loss became", said.json["reason"])

    def test_wrong_names_and_numbers(self):
        for words, why in ((("--job", "a/b"), "--job 'a/b': a name has"),
                           (("--job", "a", "--resume", 1), "--resume"),
                           (("--max-restarts", -1), "--max-restarts")):
            said = self.tacho(*self.order(*words), expect=2)
            self.assert_one_error_line(said, why)


class Machines(DistCase):
    """Three machines. A killed one runs its command again, as systemd or Kubernetes would do."""
    train_samples = 2400
    RUN = ("-b", 8, "-e", 5 * (KILLS + 1), "--backend", "gloo", "--timeout", 15)

    def machine(self, node, port):
        return self.start(*self.order(*self.RUN, "--nnodes", 3, "--node-rank", node, "--rendezvous",
                                      f"127.0.0.1:{port}", "--job", "three", "--max-restarts", 3 + KILLS),
                          env=SECRET)

    def test_each_machine_is_lost_and_comes_back(self):
        whole = self.train(*self.RUN, "--nproc", 3)
        port = self.free_port()
        before = self.folders()
        machines = [self.machine(node, port) for node in range(3)]
        folder = self.new_run_folder(before)
        for kill in range(KILLS):
            before = len(epochs_in(folder))
            wait_until(lambda: len(epochs_in(folder)) > before, "epoch")
            victim = (kill + 1) % 3  # the one with the record last
            machines[victim].process.kill()
            machines[victim].ended()
            began, before = time.monotonic(), len(epochs_in(folder))
            machines[victim] = self.machine(victim, port)
            wait_until(lambda: len(epochs_in(folder)) > before, "epoch after the restart")
            print(f"machine {victim} killed: the next epoch is done after {time.monotonic() - began:.1f} s")
        for node, machine in enumerate(machines):
            said = machine.ended()
            self.assertEqual(said.code, 0, f"machine {node}: {said.err}")
            if node == 0:
                self.assertEqual(said.json["outcome"], "ok")
                self.assertEqual(said.json["steps"]["loss"], whole["steps"]["loss"])


if __name__ == "__main__":
    unittest.main()
