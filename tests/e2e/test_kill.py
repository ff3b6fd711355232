import json
import os
import random
import signal
import time
import unittest

from tacho_case import (INTERRUPTED, SharedHomeCase, epochs_in, events_of, is_gone, learned,
                        processes_of, stop, wait_until)
from toy_data import write_images

EPOCHS = 14
ORDER = ("--batch", 32, "--threads", 1, "--seed", 1)


class KillCase(SharedHomeCase):
    """Runs with the same options in one home, some interrupted and one not."""
    model = "lenet5"
    epochs = EPOCHS
    images = {"train": 320, "evaluate": 64}

    def prepare(self):
        images = write_images(self.home / "images", **type(self).images)
        type(self).order = ("train", self.model, "--data", "fashion-mnist", "--data-dir", images,
                            "--epochs", self.epochs, *ORDER, "--json")
        type(self).uninterrupted = self.tacho(*self.order).json

    def begin(self, *command, cwd=None):
        """Starts a run; returns its tacho and its folder."""
        before = self.folders()
        going = self.start(*(command or self.order), cwd=cwd)
        return going, self.new_run_folder(before)

    def begin_and_reach(self, epochs):
        """Starts a run and waits until `epochs` are done and saved."""
        going, folder = self.begin()
        wait_until(lambda: len(checkpoints_in(folder)) >= epochs, f"checkpoint {epochs}")
        return going, folder

    def id_of(self, folder):
        [run] = [run for run in self.runs() if run["key"] == folder.name]
        return run["id"]

    def outcome_of(self, folder):
        [run] = [run for run in self.runs() if run["key"] == folder.name]
        return run["outcome"]

    def wait_for_the_end_of(self, *pids):
        wait_until(lambda: all(map(is_gone, pids)), f"end of {pids}", seconds=15)
        self.assertEqual(processes_of(self.home), [])

    def assert_resumed_equals_uninterrupted(self, folder):
        record = self.tacho("train", "--resume", self.id_of(folder), "--json").json
        self.assertEqual(record["outcome"], "ok")
        self.assertEqual(learned(record), learned(self.uninterrupted))
        self.assertEqual(record["metrics"]["steps_done"],
                         self.uninterrupted["metrics"]["steps_done"])
        return record


class KillAndInterrupt(KillCase):
    def kill_at_some_moment(self, seed, tacho, worker):
        """Kills at a random moment in the three epochs after the first."""
        rng = random.Random(seed)
        going, folder = self.begin_and_reach(rng.randrange(1, 4))
        worker_id = going.worker()
        epoch = epochs_in(folder)[0]
        # Independent of what the worker is doing.
        time.sleep(rng.random() * (epoch["train_seconds"] + epoch["eval_seconds"]))
        self.assertFalse([e for e in events_of(folder) if e["kind"] == "end"], "it was too fast")
        if tacho and worker:
            stop(worker_id)  # otherwise it could write its end after tacho is gone
        if tacho:
            going.signal(signal.SIGKILL)
        if worker:
            os.kill(worker_id, signal.SIGKILL)
        self.wait_for_the_end_of(going.process.pid, worker_id)
        return going.ended(), folder

    def test_after_killing_tacho_or_worker_the_run_resumes_to_the_same_losses(self):
        cases = ((True, False, "cancelled"), (False, True, "failed"), (True, True, "failed"))
        for seed, (tacho, worker, outcome) in enumerate(cases):
            with self.subTest(tacho=tacho, worker=worker):
                said, folder = self.kill_at_some_moment(seed, tacho, worker)
                self.assertEqual(said.code, -signal.SIGKILL if tacho else 1)
                self.assertEqual(self.outcome_of(folder), outcome)
                record = self.assert_resumed_equals_uninterrupted(folder)
                self.assertGreaterEqual(record["started"]["resumed_epochs"], 1)

    def test_a_run_killed_twice_resumes_to_the_same_losses(self):
        _, folder = self.kill_at_some_moment(10, tacho=True, worker=True)
        done = len(epochs_in(folder))
        again = self.start("train", "--resume", self.id_of(folder))
        worker = again.worker()
        wait_until(lambda: len(epochs_in(folder)) >= done + 2, "two epochs more")
        os.kill(worker, signal.SIGKILL)
        self.assertEqual(again.ended().code, 1)
        self.assert_resumed_equals_uninterrupted(folder)

    def test_a_run_killed_before_its_first_checkpoint_starts_over(self):
        going, folder = self.begin()
        wait_until(lambda: any(e["kind"] == "start" for e in events_of(folder)), "start")
        os.kill(going.worker(), signal.SIGKILL)
        self.assertEqual(going.ended().code, 1)
        self.assertEqual(self.outcome_of(folder), "failed")
        self.assert_resumed_equals_uninterrupted(folder)

    def test_an_incomplete_last_line_is_ignored(self):
        _, folder = self.kill_at_some_moment(11, tacho=True, worker=True)
        with open(folder / "events.jsonl", "a") as events:
            events.write('{"v":1,"t":17947')
        self.assertEqual(self.outcome_of(folder), "failed")
        self.assert_resumed_equals_uninterrupted(folder)

    def test_concurrent_commands_write_one_end_of_a_killed_run(self):
        _, folder = self.kill_at_some_moment(12, tacho=True, worker=True)
        last = events_of(folder)[-1]["t"]
        # Long enough that all are still reading when the first has finished.
        note = json.dumps({"v": 1, "t": last, "kind": "note", "text": "again"}) + "\n"
        with open(folder / "events.jsonl", "a") as events:
            events.write(note * 200_000)
        finders = [self.start("runs", "ls", "--json") for _ in range(4)]
        for finder in finders:
            self.assertEqual(finder.ended().code, 0)
        self.assertEqual(self.outcome_of(folder), "failed")
        ends = [event for event in events_of(folder) if event["kind"] == "end"]
        self.assertEqual(len(ends), 1)

    def test_ctrl_c_cancels_and_prints_how_to_resume(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number.name):
                going, folder = self.begin_and_reach(2)
                worker = going.worker()
                going.signal(number)
                said = going.ended()
                self.assertEqual((said.code, said.json["outcome"]), (128 + number, "cancelled"))
                self.assertIn(f"tacho train --resume {said.json['id']}\n", said.err)
                self.wait_for_the_end_of(worker)
                self.assert_resumed_equals_uninterrupted(folder)

    def test_a_second_ctrl_c_kills_an_unresponsive_worker(self):
        going, folder = self.begin_and_reach(2)
        worker = going.worker()
        stop(worker)  # reacts only to SIGKILL
        going.signal(signal.SIGINT)
        wait_until(lambda: pending_signals(worker) & 1 << (signal.SIGTERM - 1), "SIGTERM")
        self.assertIsNone(going.process.poll())
        going.signal(signal.SIGINT)
        said = going.ended()
        self.assertEqual((said.code, said.json["outcome"]), (INTERRUPTED, "cancelled"))
        self.wait_for_the_end_of(worker)
        self.assert_resumed_equals_uninterrupted(folder)

    def test_a_run_resumes_from_another_working_folder(self):
        images = self.home / "images"
        command = ["images" if arg == images else arg for arg in self.order]
        going, folder = self.begin(*command, cwd=self.home)
        wait_until(lambda: checkpoints_in(folder), "checkpoint")
        going.signal(signal.SIGINT)
        going.ended()
        self.assert_resumed_equals_uninterrupted(folder)

    def test_a_run_is_listed_as_running_and_not_disturbed(self):
        going, folder = self.begin_and_reach(1)
        worker = going.worker()
        stop(worker)  # keeps it running during the test
        run = self.id_of(folder)
        self.assertEqual(self.outcome_of(folder), "running")
        self.assertIn("running", self.tacho("runs", "show", run).out)
        for command in (("runs", "rm", run), ("train", "--resume", run)):
            refused = self.tacho(*command, expect=2)
            self.assert_one_error_line(refused, f"run {run} is still running")
        os.kill(worker, signal.SIGCONT)
        said = going.ended()
        self.assertEqual(said.code, 0)
        self.assertEqual(learned(said.json), learned(self.uninterrupted))


class KillWhileWriting(KillCase):
    """mnist-cnn's checkpoint has 9.6 MB, so that writing takes a while."""
    model = "mnist-cnn"
    epochs = 6
    images = {"train": 64, "evaluate": 32}

    def kill_within_a_checkpoint(self):
        """The folder of a run whose worker was killed while writing one, or None if it was too fast."""
        going, folder = self.begin()
        worker = going.worker()
        checkpoints = folder / "checkpoints"
        wait_until(lambda: half_written(checkpoints), "half a checkpoint")
        os.kill(worker, signal.SIGKILL)
        self.assertEqual(going.ended().code, 1)
        return folder if half_written(checkpoints) else None

    def test_a_worker_killed_while_it_writes_a_checkpoint_resumes_to_the_same_losses(self):
        for _ in range(15):
            if folder := self.kill_within_a_checkpoint():
                break
        self.assertIsNotNone(folder, "never caught between the first byte and the rename")
        self.assertEqual(self.outcome_of(folder), "failed")
        self.assert_resumed_equals_uninterrupted(folder)


def checkpoints_in(folder):
    return [event for event in events_of(folder) if event["kind"] == "checkpoint"]


def half_written(folder):
    try:
        return any(".tmp." in name for name in os.listdir(folder))
    except FileNotFoundError:
        return False


def pending_signals(pid):
    with open(f"/proc/{pid}/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    return int(fields["ShdPnd"], 16) | int(fields["SigPnd"], 16)


if __name__ == "__main__":
    unittest.main()
