"""script/tune-covariance computes the same posteriors as Tacho, detects differences, and tunes."""

import json
import re
import subprocess
import unittest
from pathlib import Path

from tacho_case import TACHO, TachoCase, skip_without_torch

SCRIPT = Path(__file__).parents[2] / "script" / "tune-covariance"
TERMS = Path(__file__).parents[2] / "data" / "model" / "covariance.json"
EXAMPLES = ("--examples", "300")
# A tacho that writes another first term than it predicts with.
DRIFTED = """#!/bin/sh
"{tacho}" "$@" || exit
sed -i 's/"terms":\\[{{"labels":\\[\\],"shape":-1,"deviation":[0-9.]*/"terms":[{{"labels":[],"shape":-1,"deviation":0.1/' "$5"
"""


def setUpModule():
    skip_without_torch("numpy, torch")


class TuneCovariance(TachoCase):
    def tune(self, *words, tacho=TACHO):
        return subprocess.run([SCRIPT, "--tacho", tacho, *EXAMPLES, *words], capture_output=True,
                              env=self.environment({}), text=True, timeout=100)

    def test_it_predicts_held_out_gpus_as_tacho_does(self):
        said = self.tune("--check")
        self.assertEqual(said.returncode, 0, said.stderr)
        count, worst = re.search(r"(\d+) examples of hidden GPUs: .* at most (\S+)", said.stdout).groups()
        self.assertGreater(int(count), 20)
        self.assertLess(float(worst), 1e-4)
        self.assertRegex(said.stdout, r"hidden gpu +\d+\.\d % +\d+\.\d %")
        self.assertRegex(said.stdout, r"hidden model +\d+\.\d % +\d+\.\d %")

    def test_it_stops_if_its_posteriors_differ_from_tachos(self):
        drifted = self.home / "drifted"
        self.home.mkdir(parents=True, exist_ok=True)
        drifted.write_text(DRIFTED.format(tacho=TACHO))
        drifted.chmod(0o755)
        said = self.tune("--check", tacho=drifted)
        self.assertEqual(said.returncode, 1, said.stdout)
        self.assertIn("the covariance differs from src/predict/speed/covariance_kernel.cpp", said.stderr)

    def test_it_prints_the_tuned_terms_as_a_file(self):
        said = self.tune("--seconds", "3")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertRegex(said.stdout, r"after [1-9]\d* steps?\n")
        tuned = json.loads(said.stdout[said.stdout.index("{"):])
        shipped = json.loads(TERMS.read_text())
        self.assertEqual(tuned.keys(), shipped.keys())
        self.assertLessEqual(len(tuned["terms"]), len(shipped["terms"]))
        self.assertEqual(tuned["terms"][0].keys(), shipped["terms"][0].keys())
        for term in tuned["terms"]:
            self.assertIn(term["shape"], range(-1, len(tuned["shapes"])))


if __name__ == "__main__":
    unittest.main()
