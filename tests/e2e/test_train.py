import json
import unittest

from tacho_case import (SharedHomeCase, TachoCase, clock_stepped_at, events_of, learned,
                        wait_until)
from toy_data import write_image_folder, write_images, write_sentences

SMALL = ("--train-samples", 640, "--threads", 1, "--batch", 32, "--epochs", 3, "--seed", 1)
STEPS = 640 // 32 * 3


class TrainOnFashionMnist(SharedHomeCase):
    """The dataset of Debian's package."""

    def prepare(self):
        command = ("train", "lenet5", "--data", "fashion-mnist", *SMALL, "--json")
        type(self).first = self.tacho(*command)
        step = self.home / "step"
        before = self.folders()
        going = self.start(*command, env=clock_stepped_at(step))
        folder = self.new_run_folder(before)
        wait_until(lambda: any(event["kind"] == "start" for event in events_of(folder)), "start")
        step.touch()
        type(self).second = going.ended()

    def test_with_json_only_json_is_printed(self):
        record = self.first.json
        self.assertEqual(self.first.err, "")
        self.assertEqual((record["id"], record["outcome"], record["reason"]), (1, "ok", ""))

    def test_every_step_and_epoch_is_recorded(self):
        record = self.first.json
        self.assertEqual(len(record["steps"]["loss"]), STEPS)
        self.assertEqual(len(record["steps"]["seconds"]), STEPS)
        self.assertEqual([e["epoch"] for e in record["epochs"]], [1, 2, 3])
        self.assertEqual([e["steps"] for e in record["epochs"]], [20, 20, 20])
        self.assertEqual(record["input"]["eval_samples"], 10000)

    def test_metrics_are_plausible(self):
        metrics = self.first.json["metrics"]
        self.assertEqual(metrics["steps_done"], STEPS)
        self.assertEqual(metrics["parameters"], 61706)
        self.assertTrue(0 < metrics["top1"] <= metrics["top5"] <= 1, metrics)
        for key in ("samples_per_s", "step_s", "wall_s", "user_s", "peak_memory"):
            self.assertGreater(metrics[key], 0, key)

    def test_the_same_seed_gives_the_same_losses(self):
        self.assertEqual(learned(self.first.json), learned(self.second.json))

    def test_a_changed_wall_clock_does_not_change_durations(self):
        for name, value in self.second.json["metrics"].items():
            if name.endswith("_s") and not name.endswith("_per_s"):
                self.assertTrue(0 <= value < 600, f"{name} is {value}")


class TrainOnToyImages(SharedHomeCase):
    def prepare(self):
        type(self).images = write_images(self.home / "images")

    def train(self, *args, model="mlp", expect=0):
        return self.tacho("train", model, "--data", "fashion-mnist", "--data-dir", self.images,
                          "--threads", 1, "--batch", 32, "--seed", 1, *args, expect=expect)

    def test_the_output_shows_the_run_and_its_epochs(self):
        said = self.train("--epochs", 3)
        number = self.runs()[0]["id"]
        self.assertTrue(said.out.startswith(f"run {number}  mlp on fashion-mnist, batch 32"))
        lines = said.out.splitlines()
        head = next(i for i, line in enumerate(lines) if line.startswith("epoch  train loss"))
        self.assertEqual([line.split()[0] for line in lines[head + 1:head + 4]], ["1", "2", "3"])
        self.assertIn("epoch 3/3", said.err)
        self.assertNotIn("\033", said.out + said.err)

    def test_mllog_prints_mlperf_lines_and_nothing_else(self):
        said = self.train("--epochs", 2, "--mllog")
        self.assertEqual(said.err, "")
        lines = said.out.splitlines()
        self.assertEqual([line for line in lines if not line.startswith(":::MLLOG ")], [])
        entries = [json.loads(line.removeprefix(":::MLLOG ")) for line in lines]
        keys = [entry["key"] for entry in entries]
        self.assertEqual(keys.count("run_start"), 1)
        self.assertEqual(keys.count("eval_accuracy"), 2)
        self.assertEqual(keys[-1], "run_stop")
        self.assertEqual(entries[-1]["metadata"], {"status": "success"})
        self.assertEqual([e["time_ms"] for e in entries], sorted(e["time_ms"] for e in entries))

    def test_json_and_mllog_together_are_rejected(self):
        said = self.train("--steps", 1, "--json", "--mllog", expect=2)
        self.assert_one_error_line(said, "--json", "--mllog")

    def test_a_target_that_is_reached_ends_the_run(self):
        record = self.train("--epochs", 50, "--target", "0.01", "--json").json
        self.assertEqual((record["outcome"], len(record["epochs"])), ("ok", 1))
        self.assertEqual(record["reason"], "reached the target in epoch 1")

    def test_steps_end_the_run_within_an_epoch(self):
        record = self.train("--epochs", 3, "--steps", 25, "--json").json
        self.assertEqual(len(record["steps"]["loss"]), 25)
        self.assertEqual([e["steps"] for e in record["epochs"]], [20, 5])

    def test_a_step_count_that_overflows_does_not_end_the_run(self):
        said = self.train("--epochs", 9 * 10**18, "--steps", 3, "--json", expect=None)
        if said.code == 2:
            self.assert_one_error_line(said, "--epochs")
        else:
            self.assertEqual(len(said.json["steps"]["loss"]), 3)

    def test_throughput_counts_real_samples(self):
        record = self.train("--train-samples", 8, "--epochs", 4, "--json").json
        metrics = record["metrics"]
        self.assertAlmostEqual(metrics["samples_per_s"] * metrics["step_s"], 8, places=3)

    def test_mkldnn_on_and_off_are_recorded(self):
        for choice, on in (("on", True), ("off", False)):
            with self.subTest(choice):
                record = self.train("--steps", 2, "--mkldnn", choice, "--json").json
                paths = record["started"]["paths"]
                self.assertEqual(paths["why"], "forced")
                for operation in ("convolution", "product", "recurrent"):
                    self.assertIs(paths[f"mkldnn_{operation}"], on)

    def test_stock_is_recorded_and_keeps_the_requested_threads(self):
        record = self.tacho("train", "mlp", "--data", "fashion-mnist", "--data-dir", self.images,
                            "--steps", 2, "--stock", "--threads", 3, "--json").json
        paths = record["started"]["paths"]
        self.assertEqual((paths["why"], paths["allocator"]), ("stock", "stock"))
        self.assertEqual(paths["threads"], 3)

    def test_checkpoints_and_tensorboard_files_are_written(self):
        record = self.train("--epochs", 2, "--json").json
        folder = self.home / "runs" / record["key"]
        self.assertTrue((folder / record["checkpoints"][-1]["file"]).is_file())
        self.assertEqual(len(list((folder / "tensorboard").glob("events.out.tfevents.*"))), 1)

    def test_checkpoints_and_tensorboard_files_can_be_disabled(self):
        record = self.train("--no-checkpoints", "--no-tensorboard", "--json").json
        folder = self.home / "runs" / record["key"]
        self.assertEqual(record["checkpoints"], [])
        self.assertEqual([f.name for f in folder.rglob("*") if "epoch-" in f.name], [])
        self.assertEqual(list(folder.rglob("events.out.*")), [])


class TrainOnImageFiles(TachoCase):
    def setUp(self):
        super().setUp()
        self.images = self.new_folder()
        write_image_folder(self.images)

    def train(self, *args):
        return self.tacho("train", "lenet5", "--data", "image-folder", "--data-dir", self.images,
                          "--input", "3x16x16", "-b", 8, "--seed", 1, "--threads", 1, "--json", *args).json

    def test_a_model_learns_an_image_folder(self):
        record = self.train("-e", 3)
        self.assertEqual(record["input"]["classes"], 2)
        self.assertEqual(record["input"]["train_samples"], 48)
        self.assertGreaterEqual(record["metrics"]["top1"], 0.9)

    def test_the_losses_do_not_depend_on_the_number_of_workers(self):
        losses = [self.train("-e", 2, "--workers", workers)["steps"]["loss"] for workers in (0, 1, 2, 7)]
        self.assertEqual(losses[1:], losses[:1] * 3)

    def test_a_damaged_image_is_named_and_skipped(self):
        (self.images / "train/dark/3.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing")
        record = self.train("-e", 1)
        self.assertEqual(record["outcome"], "ok")
        self.assertTrue(any("dark/3.png" in note for note in record["notes"]), record["notes"])


class TrainOnNothing(TachoCase):
    def test_synthetic_data_needs_no_dataset(self):
        for model, *options in (("resnet18", "--input", "3x32x32", "--classes", 7), ("lstm", "--length", 9)):
            record = self.tacho("train", model, "--data", "synthetic", "-b", 4, "--steps", 2, *options,
                                "--no-checkpoints", "--json").json
            self.assertEqual((record["outcome"], len(record["steps"]["loss"])), ("ok", 2))

    def test_out_of_memory_is_an_outcome(self):
        said = self.tacho("train", "mlp", "--data", "synthetic", "--input", "1x16384x16384", "-b", 1000000,
                          "--json", expect=1)
        self.assertEqual(said.json["outcome"], "out_of_memory")


class TrainOnSentences(TachoCase):
    LSTM = ("train", "lstm", "--data", "sst2", "--threads", 1, "--batch", 32, "--epochs", 3,
            "--seed", 1, "--json")

    def test_an_lstm_learns_prepared_sentences(self):
        sentences = write_sentences(self.new_folder())
        self.tacho("data", "prepare", "sst2", "--from", sentences)
        record = self.tacho(*self.LSTM).json
        self.assertEqual(record["input"]["train_samples"], 600)
        self.assertGreaterEqual(record["metrics"]["top1"], 0.9)

    def test_a_data_dir_needs_no_preparation(self):
        sentences = write_sentences(self.new_folder())
        record = self.tacho(*self.LSTM, "--data-dir", sentences).json
        self.assertGreaterEqual(record["metrics"]["top1"], 0.9)


if __name__ == "__main__":
    unittest.main()
