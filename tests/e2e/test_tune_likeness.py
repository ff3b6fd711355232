"""script/tune-likeness: it compares jobs as Tacho does, says so, notices when it does not, and tunes."""

import re
import subprocess
import unittest
from pathlib import Path

from tacho_case import TACHO, TachoCase, skip_without_torch

SCRIPT = Path(__file__).parents[2] / "script" / "tune-likeness"
LESSONS = ("--lessons", "300")
# A tacho whose first term is another than the one that it believes with.
DRIFTED = """#!/bin/sh
"{tacho}" "$@" || exit
sed -i 's/"terms":\\[{{"labels":\\[\\],"shape":-1,"deviation":[0-9.]*/"terms":[{{"labels":[],"shape":-1,"deviation":0.1/' "$5"
"""


def setUpModule():
    skip_without_torch("numpy, torch")


class TuneLikeness(TachoCase):
    def tune(self, *words, tacho=TACHO):
        return subprocess.run([SCRIPT, "--tacho", tacho, *LESSONS, *words], capture_output=True,
                              env=self.environment({}), text=True, timeout=100)

    def test_it_believes_of_hidden_gpus_what_tacho_believes(self):
        said = self.tune("--check")
        self.assertEqual(said.returncode, 0, said.stderr)
        count, worst = re.search(r"(\d+) lessons of hidden GPUs: .* at most (\S+)", said.stdout).groups()
        self.assertGreater(int(count), 20)
        self.assertLess(float(worst), 1e-4)
        self.assertRegex(said.stdout, r"hidden gpu +\d+\.\d % +\d+\.\d %")
        self.assertRegex(said.stdout, r"hidden model +\d+\.\d % +\d+\.\d %")

    def test_it_stops_when_it_compares_otherwise_than_tacho(self):
        drifted = self.home / "drifted"
        self.home.mkdir(parents=True, exist_ok=True)
        drifted.write_text(DRIFTED.format(tacho=TACHO))
        drifted.chmod(0o755)
        said = self.tune("--check", tacho=drifted)
        self.assertEqual(said.returncode, 1, said.stdout)
        self.assertIn("no longer compares jobs as src/predict/likeness.cpp", said.stderr)

    def test_it_prints_what_it_found_as_cpp(self):
        said = self.tune("--seconds", "3")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertRegex(said.stdout, r"after [1-9]\d* steps?\n")
        self.assertRegex(said.stdout, r"\n      \{\{\}, -1, \d\.\d{3}\},\n")
        self.assertRegex(said.stdout, r"\n      \{(\{\w+, [\d.]+F\}(, )?)+\},\n")


if __name__ == "__main__":
    unittest.main()
