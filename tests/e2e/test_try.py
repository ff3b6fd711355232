"""tacho try: on real PyTorch programs on processors."""

import json
import shutil
import signal
import tempfile
import unittest
from pathlib import Path

from tacho_case import DEBIAN_PYTHON, INTERRUPTED, SharedHomeCase, TachoCase, skip_without_torch, wait_until

TRAIN = """
import sys
import torch
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.randn(512, 3, 16, 16), torch.randint(0, 10, (512,)))
loader = DataLoader(data, batch_size=16, shuffle=True)
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(),
    torch.nn.Linear(8, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(1000):
    for images, labels in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        open("steps.txt", "a").write("step\\n")
"""
# PyTorch raises in the process whose loader lost a worker, as soon as the worker is dead.
DEATH_OF_WORKERS_SEEN = """
import multiprocessing, os
plain = multiprocessing.Process.kill
def kill(worker):
    plain(worker)
    os.waitid(os.P_PID, worker.pid, os.WEXITED | os.WNOWAIT)
multiprocessing.Process.kill = kill
"""
SLOWED = """
import os, time
if os.environ.get("OMP_WAIT_POLICY") != "passive":
    time.sleep(0.3)
"""


def setUpModule():
    skip_without_torch("torch")


class Training(SharedHomeCase):
    """One report of a training, read in several tests."""

    def prepare(self):
        type(self).folder = Path(tempfile.mkdtemp(prefix="tacho-e2e-"))
        type(self).addClassCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "train.py").write_text(TRAIN)
        going = self.start(
            "try", "--json", "--trial", "200ms", "--budget", "1h", "--changes",
            "set-to-none,bf16,loader-prefetch,loader-workers,compile,channels-last", "--",
            DEBIAN_PYTHON, "train.py", cwd=self.folder)
        # Measuring what may save time would take minutes.
        wait_until(lambda: going.process.poll() is not None or len(self.comparisons()) > 1, "first trials")
        going.signal(signal.SIGINT)
        type(self).report = going.ended().json
        type(self).tried = {"+".join(one["changes"]): one for one in self.report["tried"]}

    def comparisons(self):
        return self.tacho("compare", "ls", "--json").json

    def test_measures_the_step(self):
        self.assertEqual(self.report["metric"], "step_s")
        self.assertGreater(self.report["original"], 0.0001)
        self.assertLess(self.report["original"], 1)

    def test_leaves_the_files_alone(self):
        self.assertEqual([file.name for file in self.folder.iterdir()], ["train.py"])

    def test_says_what_has_no_effect(self):
        self.assertEqual(self.tried["loader-prefetch"]["outcome"], "no_effect")
        self.assertIn("no DataLoader with workers", self.tried["loader-prefetch"]["why"])
        self.assertEqual(self.tried["compile"]["outcome"], "no_effect")  # torch 1.13

    def test_compares_losses(self):
        self.assertEqual(self.tried["set-to-none"]["losses"], "same")
        self.assertEqual(self.tried["channels-last"]["losses"], "same")
        self.assertGreater(self.tried["bf16"]["loss_difference"], 1e-5)
        self.assertGreater(self.tried["bf16"]["loss_difference_of_seeds"], 0.001)

    def test_says_what_it_changed_and_how_to_keep_it(self):
        workers = self.tried["loader-workers"]
        self.assertIn("num_workers=", workers["effect"], json.dumps(self.report))
        self.assertIn("+loader = DataLoader(data, batch_size=16, shuffle=True, num_workers=", workers["keep"][0])
        self.assertEqual(self.tried["channels-last"]["effect"], "1 convolutions")

    def test_recommends_only_what_is_faster_with_the_same_results(self):
        for one in self.report["tried"]:
            if one["recommended"]:
                self.assertEqual(one["outcome"], "faster")
                self.assertIn(one["losses"], ("same", "as_other_seed"))
                self.assertLess(one["ratio_high"], 1)

    def test_an_interrupted_trial_is_no_failure(self):
        outcomes = {one["outcome"] for one in self.report["tried"]}
        self.assertNotIn("failed", outcomes, json.dumps(self.report))

    def test_stores_ordinary_comparisons(self):
        shown = self.tacho("compare", "show", self.report["comparisons"][0], "--json").json
        self.assertEqual([one["name"] for one in shown["variants"]][0], "original")


class Others(TachoCase):
    def test_any_program_gets_its_whole_time_compared(self):
        folder = self.new_folder()
        (folder / "slow.py").write_text(SLOWED)
        report = self.tacho("try", "--json", "--budget", "2m", "--changes", "passive-wait,bf16", "--",
                            DEBIAN_PYTHON, "slow.py", cwd=folder).json
        self.assertEqual(report["metric"], "wall_s")
        tried = {one["changes"][0]: one for one in report["tried"]}
        self.assertEqual(set(tried), {"passive-wait"})
        self.assertEqual(tried["passive-wait"]["outcome"], "faster", json.dumps(report))
        self.assertEqual(report["best"], "passive-wait")
        self.assertEqual(tried["passive-wait"]["keep"],
                         [f"OMP_WAIT_POLICY=passive {DEBIAN_PYTHON} slow.py"])

    def test_a_program_that_fails_is_an_error(self):
        said = self.tacho("try", "--", DEBIAN_PYTHON, "-c", "raise SystemExit(3)", expect=1)
        self.assertIn("the program fails without any change: exit code 3", said.err)

    def test_usage(self):
        for words, why in (((), "no program to try"),
                           (("--changes", "chanels-last", "--", "true"), "channels-last"),
                           (("--budget", "0s", "--", "true"), "--budget"),
                           (("--", "no-such-program"), "no-such-program")):
            said = self.tacho("try", *words, expect=2)
            self.assertIn(why, said.err)

    def test_the_users_own_sitecustomize_runs(self):
        folder = self.new_folder()
        (folder / "sitecustomize.py").write_text("import os; os.environ['OWN'] = '1'")
        (folder / "train.py").write_text("import os; assert os.environ['OWN'] == '1'\n" + TRAIN)
        report = self.tacho("try", "--json", "--trial", "100ms", "--budget", "2m", "--changes", "set-to-none", "--",
                            DEBIAN_PYTHON, "train.py", cwd=folder, env={"PYTHONPATH": str(folder)}).json
        self.assertEqual(report["metric"], "step_s")

    def test_ends_a_program_with_data_loader_workers(self):
        folder = self.new_folder()
        (folder / "train.py").write_text(DEATH_OF_WORKERS_SEEN + TRAIN.replace(
            "shuffle=True)", "shuffle=True, num_workers=2)"))
        report = self.tacho("try", "--json", "--trial", "100ms", "--budget", "2m", "--changes", "set-to-none", "--",
                            DEBIAN_PYTHON, "train.py", cwd=folder).json
        self.assertEqual(report["metric"], "step_s")

    def test_ctrl_c_shows_what_was_measured(self):
        folder = self.new_folder()
        (folder / "train.py").write_text(TRAIN)
        going = self.start("try", "--trial", "100ms", "--", DEBIAN_PYTHON, "train.py", cwd=folder)
        wait_until(lambda: len(self.runs()) >= 3, "third trial")
        going.signal(signal.SIGINT)
        said = going.ended()
        self.assertEqual(said.code, INTERRUPTED, said.err)
        self.assertIn("original", said.out)


if __name__ == "__main__":
    unittest.main()
