"""Base class of the tests with several ranks."""

import socket

from tacho_case import SharedHomeCase, events_of, is_gone, processes_of, wait_until
from toy_data import write_images

ORDER = ("--threads", 1, "--seed", 1, "--mkldnn", "off", "--no-tensorboard", "--json")
# Authenticates machines that are started by hand.
SECRET = {"TACHO_JOB_SECRET": "the-secret-of-the-job-under-test"}
CLOSE = 1e-5  # relative; sums are in another order


class DistCase(SharedHomeCase):
    model = "lenet5"
    train_samples = 400

    def prepare(self):
        type(self).data = ("--data", "fashion-mnist", "--data-dir",
                           write_images(self.home / "images", self.train_samples, 70))

    def order(self, *args):
        return ("train", self.model, *self.data, *ORDER, *args)

    def train(self, *args, expect=0):
        return self.tacho(*self.order(*args), expect=expect).json

    def begin(self, *args):
        """Starts a run; returns its tacho, its folder and the process ids of its ranks once they train."""
        before = self.folders()
        going = self.start(*self.order(*args))
        folder = self.new_run_folder(before)
        pids = wait_until(lambda: pids_in(folder), "ranks")
        wait_until(lambda: kinds_in(folder, "steps"), "step")
        return going, folder, pids

    def free_port(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return probe.getsockname()[1]

    def assert_close(self, first, second, tolerance=CLOSE):
        """Compares two lists of losses."""
        self.assertEqual(len(first), len(second))
        for step, (a, b) in enumerate(zip(first, second), 1):
            self.assertLessEqual(abs(a - b), tolerance * abs(a), f"step {step}: {a} and {b}")

    def assert_same_run(self, one, several):
        """Compares losses and evaluation results."""
        self.assertEqual(several["outcome"], "ok")
        self.assert_close(one["steps"]["loss"], several["steps"]["loss"])
        for a, b in zip(one["epochs"], several["epochs"], strict=True):
            self.assertEqual((a["top1"], a["top5"], a["samples"], a["train_top1"], a["steps"]),
                             (b["top1"], b["top5"], b["samples"], b["train_top1"], b["steps"]))
            self.assert_close([a["eval_loss"], a["train_loss"]], [b["eval_loss"], b["train_loss"]])

    def assert_all_end(self, pids):
        wait_until(lambda: all(map(is_gone, pids)), f"end of {pids}", seconds=10)
        self.assertEqual(processes_of(self.home), [])


def kinds_in(folder, kind):
    return [event for event in events_of(folder) if event["kind"] == kind]


def pids_in(folder):
    return [rank["pid"] for event in kinds_in(folder, "ranks") for rank in event["ranks"]]
