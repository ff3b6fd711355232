"""Predictions are recorded before a run and compared with it afterwards."""

import json
import unittest

from tacho_case import TachoCase
from toy_data import write_images


class Ledger(TachoCase):
    def test_the_third_run_of_a_configuration_is_predicted_and_compared(self):
        self.assertIn("nothing was predicted yet", self.tacho("ledger").out)
        images = write_images(self.home / "images")
        for seed in range(3):
            record = self.tacho("train", "mlp", "--data", "fashion-mnist", "--data-dir", images,
                                "--batch", 32, "--epochs", 6, "--threads", 1, "--seed", seed,
                                "--json").json
        scores = self.tacho("ledger", "--json").json
        score = next(one for one in scores if (one["model"], one["metric"]) == ("mlp", "top1"))
        self.assertEqual((score["made"], score["measured"]), (2, 2))
        self.assertLess(score["median_error"], 0.15)
        self.assertNotEqual(score["machine"], "")
        self.tacho("runs", "rm", record["id"])
        self.assertEqual(self.tacho("ledger", "--json").json, scores)

        text = self.tacho("curve", "1", "--seen", "3").out
        self.assertEqual([line.split()[0] for line in text.splitlines()[1:]], ["4", "5", "6"])
        self.assertIn("give a later one with --epochs", self.tacho("curve", "1", expect=2).err)

    def test_predictions_of_a_sweep_are_compared_with_its_runs(self):
        images = write_images(self.home / "images")
        grid = self.home / "grid.yaml"  # runs long enough for narrow prediction intervals
        grid.write_text(json.dumps({
            "base": {"model": "mlp", "data": "fashion-mnist", "data-dir": str(images), "epochs": 60,
                     "threads": 1, "no-checkpoints": True, "no-tensorboard": True},
            "matrix": {"batch": [8, 12, 16, 24, 32, 48], "seed": [1, 2]}}))
        self.tacho("sweep", grid, "--slots", "1")
        scores = {one["metric"]: one for one in self.tacho("ledger", "--json").json
                  if one["model"] == "all"}
        self.assertTrue(scores)  # which ones depends on the runs of this machine
        for metric, score in scores.items():
            self.assertIn(metric, ("step_s", "peak_memory", "total_s", "top1"))
            self.assertGreater(score["made"], 0, metric)
            self.assertEqual(score["measured"], score["made"], metric)
        for line in self.tacho("ledger").out.splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_trainings_of_a_comparison_are_predicted(self):
        images = write_images(self.home / "images")
        self.tacho("compare", "--vary", "batch=16,32", "--repeat", 2, "--max-repeat", 2, "--", "train", "mlp",
                   "--data", "fashion-mnist", "--data-dir", images, "--epochs", 6, "--threads", 1)
        scores = {one["metric"]: one for one in self.tacho("ledger", "--json").json if one["model"] == "mlp"}
        self.assertGreater(scores["top1"]["made"], 0)
        self.assertEqual(scores["top1"]["measured"], scores["top1"]["made"])


if __name__ == "__main__":
    unittest.main()
