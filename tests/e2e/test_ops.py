import json
import unittest

from tacho_case import TachoCase

WARMUP = 5
BATCH = 16
CONVOLUTIONS = 28 * 28 * 6 * 25 + 10 * 10 * 16 * 150  # LeNet-5's multiply-adds for one image
FIRST = 28 * 28 * 6 * 25  # its input needs no gradient


class Ops(TachoCase):
    def train(self, *args, expect=0):
        return self.tacho("train", "lenet5", "--data", "synthetic", "--batch", BATCH, "--threads", 1,
                          "--steps", 20, "--eval-samples", 16, *args, expect=expect)

    def folder(self):
        return self.home / "runs" / self.runs()[0]["key"]

    def test_a_run_writes_its_operators(self):
        self.train("--ops", "--json")
        trace = json.loads((self.folder() / "ops.json").read_text())
        steps = len(trace["step_s"])
        self.assertEqual(trace["first_step"], WARMUP + 1)
        self.assertEqual(steps, 11)  # ten, then every fifth
        self.assertEqual(len(trace["operator_s"]), steps)
        for step, within in zip(trace["step_s"], trace["operator_s"]):
            self.assertTrue(0 < within <= step, (within, step))
        self.assertGreater(trace["peak_flops"], 1e8)
        self.assertGreater(trace["peak_bytes_per_s"], 1e8)

        flops = {"forward": 0, "backward": 0}
        for row in trace["rows"]:
            self.assertEqual(row["calls"] % steps, 0, row)
            if "conv" in row["name"]:
                flops[row["phase"]] += row["flops"]
        self.assertEqual(flops["forward"], steps * 2 * BATCH * CONVOLUTIONS)
        self.assertEqual(flops["backward"], steps * 2 * BATCH * (2 * CONVOLUTIONS - FIRST))
        self.assertEqual({row["phase"] for row in trace["rows"]},
                         {"forward", "backward", "optimizer", "other"})
        self.assertAlmostEqual(sum(row["self_s"] for row in trace["rows"]), sum(trace["operator_s"]), 6)

    def test_without_ops_nothing_is_written(self):
        said = self.train()
        self.assertNotIn("operators", said.out)
        self.assertFalse((self.folder() / "ops.json").exists())

    def test_the_output_names_the_report(self):
        said = self.train("--ops")
        self.assertIn("operators tacho report 1", said.out)

    def test_losses_are_equal_with_and_without(self):
        self.assertEqual(self.train("--json").json["steps"]["loss"],
                         self.train("--ops", "--json").json["steps"]["loss"])

    def test_a_failed_run_writes_its_operators(self):
        self.train("--ops", "--lr", "1e30", expect=1)
        self.assertIn("rows", json.loads((self.folder() / "ops.json").read_text()))

    def test_rank_0_of_several_writes(self):
        record = self.train("--ops", "--nproc", 2, "--json").json
        self.assertEqual(record["outcome"], "ok")
        self.assertGreater(len(json.loads((self.folder() / "ops.json").read_text())["rows"]), 10)


if __name__ == "__main__":
    unittest.main()
