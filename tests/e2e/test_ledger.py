"""Predictions are written down before a run and held against it afterwards."""

import unittest

from tacho_case import TachoCase
from toy_data import write_images


class Ledger(TachoCase):
    def test_the_third_run_of_a_task_was_foretold_and_is_measured(self):
        self.assertIn("nothing was foretold yet", self.tacho("ledger").out)
        images = write_images(self.home / "images")
        for seed in range(3):
            record = self.tacho("train", "mlp", "--data", "fashion-mnist", "--data-dir", images,
                                "--batch", 32, "--epochs", 6, "--threads", 1, "--seed", seed,
                                "--json").json
        scores = self.tacho("ledger", "--json").json
        score = next(one for one in scores if one["model"] == "mlp")
        self.assertEqual((score["metric"], score["made"], score["measured"]), ("top1", 2, 2))
        self.assertLess(score["median_error"], 0.15)
        self.assertNotEqual(score["machine"], "")
        self.tacho("runs", "rm", record["id"])
        self.assertEqual(self.tacho("ledger", "--json").json, scores)

        text = self.tacho("curve", "1", "--seen", "3").out
        self.assertEqual([line.split()[0] for line in text.splitlines()[1:]], ["4", "5", "6"])
        self.assertIn("name a later one with --epochs", self.tacho("curve", "1", expect=2).err)


if __name__ == "__main__":
    unittest.main()
