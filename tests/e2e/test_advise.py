"""Tests of `tacho catalog` and `tacho recommend`."""

import csv
import io
import json
import os
import subprocess
import unittest
from pathlib import Path

from tacho_case import TACHO, TachoCase

MADE_GPU_TRACE = (os.environ.get("MADE_GPU_TRACE")
                  or Path(TACHO).parents[1] / "test-bin" / "made_gpu_trace")

ASKED = ["recommend", "--model", "resnet50", "--data", "imagenet", "--target", "top1=0.75"]


class Prices(TachoCase):
    def test_machines_are_listed_by_cloud_and_gpu(self):
        machines = self.tacho("catalog", "ls", "--json", "--cloud", "aws,gcp", "--gpu",
                              "A100").json
        self.assertEqual({machine["cloud"] for machine in machines}, {"aws", "gcp"})
        for machine in machines:
            self.assertTrue(machine["gpu"].startswith("A100"))
            self.assertRegex(machine["date"], r"^\d{4}-\d\d-\d\d$")
            self.assertTrue(machine["source"])
        self.assertIn("unknown GPU 'A10O'", self.tacho("catalog", "ls", "--gpu", "A10O",
                                                       expect=2).err)

    def test_an_update_with_an_invalid_price_changes_nothing(self):
        file = self.home / "prices.csv"
        text = self.tacho("catalog", "ls", "--csv", "--cloud", "lambda").out
        file.write_text(text)
        self.tacho("catalog", "update", "--from", file)
        self.assertEqual(self.tacho("catalog", "ls", "--csv").out, text)
        rows = list(csv.DictReader(io.StringIO(text)))
        file.write_text(text.replace(rows[3]["on_demand_usd_h"], "free"))
        said = self.tacho("catalog", "update", "--from", file, expect=2)
        self.assertRegex(said.err,
                         r"prices\.csv: line \d+: on_demand_usd_h: 'free' is not a number")
        self.assertEqual(self.tacho("catalog", "ls", "--csv").out, text)
        self.tacho("catalog", "update", "--shipped")
        self.assertNotEqual(self.tacho("catalog", "ls", "--csv").out, text)

    def test_own_machines_have_prices(self):
        self.tacho("catalog", "add-machine", "tower", "--price", "0.3", "--gpu", "RTX4090",
                   "--gpus", "2", "--vcpus", "16", "--memory-gib", "64")
        machine, = self.tacho("catalog", "ls", "--json", "--cloud", "own").json
        self.assertEqual((machine["instance"], machine["gpus"], machine["on_demand_usd_h"]),
                         ("tower", 2, 0.3))
        self.assertNotIn("tower", self.tacho("catalog", "ls", "--csv").out)
        said = self.tacho("catalog", "add-machine", "other", "--price", "1", "--gpu", "RTX409",
                          "--vcpus", "1", "--memory-gib", "1", expect=2)
        self.assertIn("RTX4090", said.err)
        self.assertIn("did you mean 'tower'",
                      self.tacho("catalog", "remove-machine", "towr", expect=2).err)
        self.tacho("catalog", "remove-machine", "tower")
        self.assertIn("add-machine here --price",
                      self.tacho("catalog", "ls", "--cloud", "own", expect=2).err)


class Recommend(TachoCase):
    def test_the_cheapest_comes_first_with_intervals_and_its_command(self):
        offers = self.tacho(*ASKED, "--clouds", "aws,gcp", "--max-nodes", "2", "--json").json[
            "offers"]
        prices = [offer["dollars"]["value"] for offer in offers]
        self.assertEqual(prices, sorted(prices))
        for offer in offers:
            for figure in ("step_s", "epochs", "hours", "dollars"):
                self.assertLess(0, offer[figure]["low90"])
                self.assertLess(offer[figure]["low90"], offer[figure]["value"])
                self.assertLess(offer[figure]["value"], offer[figure]["high90"])
            self.assertTrue(offer["command"].startswith("tacho train resnet50 --data imagenet"))
        front = [offer for offer in offers if offer["on_front"]]
        self.assertEqual(front[0], offers[0])
        hours = [offer["hours"]["value"] for offer in front]
        self.assertEqual(hours, sorted(hours, reverse=True))

    def test_the_table_fits_eighty_columns(self):
        for line in self.tacho(*ASKED, "--max-nodes", "4", "--deadline", "2h").out.splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_offers_meet_the_deadline(self):
        first = self.tacho(*ASKED, "--deadline", "30m", "--json").json["offers"][0]
        self.assertLessEqual(first["hours"]["value"], 0.5)

    def test_invalid_and_unanswerable_requests_are_rejected(self):
        def problem(*more, code=2):
            said = self.tacho("recommend", "--model", "resnet50", "--data", "imagenet", *more,
                              expect=code)
            self.assertEqual(said.out, "")
            self.assertEqual(said.err.count("\n"), 1, said.err)
            return said.err
        self.assertIn("no prediction: ", problem("--target", "top1=0.9", code=1))
        self.assertIn("between 0 and 1", problem("--target", "75"))
        self.assertIn("a loss such as loss=0.3", problem("--target", "top5=0.9"))
        self.assertRegex(problem("--target", "0.75", "--deadline", "1m", code=1),
                         r"no machine meets the deadline of 1 min 00 s; the fastest, .*, takes")
        self.assertIn("12h, 90m or 2d", problem("--target", "0.75", "--deadline", "soon"))
        self.assertIn("unknown GPU", problem("--target", "0.75", "--gpus", "Z9"))
        self.assertIn("budget must be above 0", problem("--target", "0.75", "--budget", "-1"))
        said = self.tacho("recommend", "--model", "resnt50", "--data", "imagenet", "--target",
                          "0.75", expect=2).err
        self.assertIn("did you mean 'resnet50'", said)
        said = self.tacho("recommend", "--model", "resnet50", "--data", "imagenett", "--target",
                          "0.75", expect=2).err
        self.assertIn("did you mean 'imagenet'", said)
        self.assertIn("give --model and --data",
                      self.tacho("recommend", "--model", "resnet50", expect=2).err)

    def test_a_gpu_is_not_one_whose_name_begins_the_same(self):
        offers = self.tacho(*ASKED, "--gpus", "L4", "--json").json["offers"]
        self.assertEqual({offer["gpu"] for offer in offers}, {"L4"})
        machines = self.tacho("catalog", "ls", "--json", "--gpu", "L4").json
        self.assertEqual({machine["gpu"] for machine in machines}, {"L4"})

    def test_every_offer_is_a_trade_off_of_its_own(self):
        offers = self.tacho(*ASKED, "--json").json["offers"]
        for offer in offers:
            for other in offers:
                if (other is not offer and other["gpu"] == offer["gpu"]
                        and other["gpus"] == offer["gpus"]):
                    self.assertFalse(other["hours"]["value"] <= offer["hours"]["value"]
                                     and other["dollars"]["value"] <= offer["dollars"]["value"])

    def test_without_a_target_the_usual_one_is_named(self):
        said = self.tacho("recommend", "--model", "resnet50", "--data", "imagenet", "--top",
                          "1").out
        self.assertRegex(said, r"resnet50 on imagenet to 0\.75\ntarget 0\.75: usual in \d+ published")

    def test_predict_and_recommend_give_the_same_step(self):
        told = self.tacho("predict", "resnet50", "--gpu", "T4", "-b", "128", "--precision", "amp",
                          "--input-shape", "3x224x224", "--data-kind", "real", "--json").json
        offers = self.tacho(*ASKED, "--gpus", "T4", "--precision", "fp16", "--batch", "128",
                            "--json").json["offers"]
        unlimited = [offer for offer in offers if offer["gpus"] == 1 and not offer["input_share"]]
        self.assertTrue(unlimited)
        for offer in unlimited:
            self.assertAlmostEqual(offer["step_s"]["value"], 128 / told["samples_per_s"], places=6)

    def test_machines_with_few_cores_are_marked_input_bound(self):
        self.tacho("catalog", "add-machine", "starved", "--price", "1", "--gpu", "A100-SXM4-80GB",
                   "--gpus", "8", "--vcpus", "4", "--memory-gib", "64")
        offers = self.tacho(*ASKED, "--clouds", "own", "--json").json["offers"]
        self.assertRegex(offers[0]["warnings"][0], "not worth it, input-bound")
        self.assertGreater(offers[0]["input_share"], 0.25)


class FromRun(TachoCase):
    def ingest(self, kind):
        folder = self.home / "runs" / "20261115-000001-abcdef"
        (folder / "gpu").mkdir(parents=True)
        (folder / "spec.json").write_text(json.dumps(
            {"version": 1, "key": folder.name, "created_at": 1.7e9,
             "spec": {"model": "mlp", "data": "fashion-mnist", "batch": 64, "epochs": 1,
                      "optimizer": {"kind": "sgd", "learning_rate": 0.1}, "seed": 1,
                      "device": "cuda", "mkldnn": "auto"}}))
        if kind:
            subprocess.run([MADE_GPU_TRACE, folder / "gpu" / "7.tgt", kind], check=True)
        self.tacho("runs", "ingest", folder)

    def test_a_traced_run_is_scaled_to_other_gpus(self):
        self.ingest("sync")
        made = self.tacho("recommend", "--from-run", "1", "--steps", "100000", "--json").json
        self.assertIn("run 1", made["title"])
        self.assertGreater(len({offer["gpu"] for offer in made["offers"]}), 3)
        for offer in made["offers"]:
            self.assertEqual(offer["gpus"], 1)
            self.assertLess(offer["step_s"]["low90"], offer["step_s"]["high90"])
            self.assertAlmostEqual(offer["hours"]["value"], offer["step_s"]["value"] * 1e5 / 3600)

    def test_a_run_without_a_trace_cannot_be_scaled(self):
        self.ingest(None)
        self.assertIn("no GPU trace to scale",
                      self.tacho("recommend", "--from-run", "1", expect=2).err)


if __name__ == "__main__":
    unittest.main()
