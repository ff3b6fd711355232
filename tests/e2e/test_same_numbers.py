"""Language models compute what PyTorch computes: logits, loss, gradients, five steps."""

import os
import re
import subprocess
import unittest
from pathlib import Path

from tacho_case import DEBIAN_PYTHON, TachoCase, skip_without_torch

COMPARE = Path(__file__).parents[1] / "gpu" / "compare_models.py"


def setUpModule():
    skip_without_torch("numpy, torch")


class SameNumbers(TachoCase):
    def compare(self, models, count):
        said = subprocess.run([DEBIAN_PYTHON, COMPARE, os.environ["MODEL_PROBE"], *models,
                               "--device", "cpu", "--layers", "2", "--batch", "2"],
                              capture_output=True, text=True, env=self.environment())
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        for model in models:
            row = re.search(rf"(?m)^{model} +([-+.e\d ]+) +ok", said.stdout)
            figures = [float(figure) for figure in row.group(1).split()]
            self.assertEqual(len(figures), count, said.stdout)
            self.assertLess(max(figures), 1e-5, said.stdout)

    def test_gpt2_and_llama_equal_their_twins(self):
        self.compare(("gpt2", "llama-125m"), 5)

    def test_adapters_equal_those_of_the_twins_also_merged(self):
        self.compare(("gpt2-lora", "llama-125m-lora"), 6)


if __name__ == "__main__":
    unittest.main()
