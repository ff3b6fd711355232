import signal
import unittest

from tacho_case import SharedHomeCase, events_of, learned, wait_until
from toy_data import write_images

# An evaluation never gets better than the first.
STILL = ("--lr", "1e-7", "--momentum", 0)


class FineTuning(SharedHomeCase):
    def prepare(self):
        type(self).images = write_images(self.home / "images")

    def words(self, *args, batch=32):
        return ("train", "mlp", "--data", "fashion-mnist", "--data-dir", self.images, "--threads",
                1, "--batch", batch, "--seed", 1, "--json", *args)

    def train(self, *args, batch=32, expect=0):
        return self.tacho(*self.words(*args, batch=batch), expect=expect)

    def checkpoints(self, record):
        folder = self.home / "runs" / record["key"] / "checkpoints"
        return sorted(path.name for path in folder.iterdir())

    def test_options_are_recorded(self):
        record = self.train("--epochs", 2, "--milestones", "1,3", "--warmup-steps", 2, "--freeze",
                            "fc1", "--head-lr", "0.1", "--accumulate-samples", 64, "--mean", "0.3",
                            "--std", "0.35", "--flip", "on", "--ema", "0.9").json
        spec = record["spec"]
        self.assertEqual(spec["schedule"]["kind"], "milestones")
        self.assertEqual(spec["schedule"]["milestones"], "1,3")
        self.assertEqual((spec["freeze"], spec["accumulate"], spec["flip"]), ("fc1", 2, "on"))
        self.assertIn("trains 1290 of 101770 parameters", record["notes"])

    def test_what_cannot_be_frozen_is_named_with_what_can(self):
        record = self.train("--epochs", 1, "--freeze", "layer1", expect=1).json
        self.assertEqual(record["outcome"], "failed")
        self.assertIn("begins with 'layer1'; the model has fc1.weight", record["reason"])

    def test_training_stops_when_it_gets_no_better(self):
        record = self.train("--epochs", 9, "--patience", 2, *STILL).json
        self.assertEqual((record["outcome"], len(record["epochs"])), ("ok", 3))
        self.assertIn("the best was epoch 1", record["reason"])

    def test_the_best_checkpoint_is_kept(self):
        record = self.train("--epochs", 3, "--keep", "best", *STILL).json
        self.assertEqual(self.checkpoints(record),
                         ["epoch-00001.safetensors", "epoch-00003.safetensors"])

    def test_a_killed_run_resumes_from_its_best_checkpoint(self):
        words = self.words("--epochs", 60, "--keep", "best", *STILL)
        whole = self.tacho(*words).json
        before = self.folders()
        going = self.start(*words)
        folder = self.new_run_folder(before)
        wait_until(lambda: sum(e["kind"] == "checkpoint" for e in events_of(folder)) >= 3,
                   "three checkpoints")
        going.process.send_signal(signal.SIGINT)
        going.ended()
        run = next(row["id"] for row in self.runs() if row["key"] == folder.name)
        record = self.tacho("train", "--resume", run, "--checkpoint", "best", "--json").json
        self.assertEqual(record["started"]["resumed_epochs"], 1)
        self.assertEqual(learned(record), learned(whole))

    def test_without_a_best_checkpoint_none_can_be_served(self):
        record = self.train("--epochs", 2, *STILL).json
        said = self.tacho("infer", record["id"], "--checkpoint", "best", expect=2)
        self.assertIn("train with --keep best", said.err)

    def test_two_processes_train_like_one(self):
        options = ("--epochs", 2, "--freeze", "fc1.weight", "--head-lr", "0.05", "--ema", "0.9")
        one = self.train(*options).json
        two = self.train(*options, "--nproc", 2, batch=16).json
        for alone, shared in zip(one["epochs"], two["epochs"]):
            self.assertAlmostEqual(alone["eval_loss"], shared["eval_loss"], places=3)


if __name__ == "__main__":
    unittest.main()
