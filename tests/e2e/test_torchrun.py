"""Training with the torchrun of Debian's python3-torch."""

import subprocess
import unittest

from tacho_case import DEBIAN_PYTHON, TACHO, TachoCase, processes_of, skip_without_torch

# torchrun 1.13 cannot parse its defaults, 0 and 0, under Python 3.11.
SPEAKING = ("--redirects", "1", "--tee", "1")
TRAIN = ("train", "lenet5", "--data", "fashion-mnist", "--train-samples", "640", "--eval-samples",
         "320", "--threads", "1", "--epochs", "2", "--seed", "1", "--json")


def setUpModule():
    skip_without_torch("torch.distributed.run")


class Torchrun(TachoCase):
    def test_its_ranks_write_one_record_and_learn_the_same_as_one_process(self):
        alone = self.tacho(*TRAIN, "-b", 32).json
        said = subprocess.run(
            [DEBIAN_PYTHON, "-m", "torch.distributed.run", "--no_python", "--standalone",
             "--nproc_per_node", "2", *SPEAKING, TACHO, *TRAIN, "-b", "16"],
            env=self.environment({"TMPDIR": str(self.home)}), capture_output=True, text=True,
            timeout=100)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual(len(self.runs()), 2)
        record = self.tacho("runs", "show", "last", "--json").json
        self.assertEqual(record["outcome"], "ok")
        places = [(rank["rank"], rank["node"]) for rank in record["ranks"]["ranks"]]
        self.assertEqual(places, [(0, 0), (1, 0)])
        self.assertEqual(record["ranks"]["backend"], "shm")
        self.assertEqual(len(record["steps"]["loss"]), len(alone["steps"]["loss"]))
        for one, other in zip(record["steps"]["loss"], alone["steps"]["loss"]):
            self.assertAlmostEqual(one, other, delta=1e-5)
        self.assertEqual(processes_of(self.home), [])


if __name__ == "__main__":
    unittest.main()
