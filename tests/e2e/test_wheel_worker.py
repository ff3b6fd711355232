"""The wheel of the worker, which is large: a part of script/test-heavy."""

import json
import unittest

from wheel_case import WheelCase


class WorkerWheel(WheelCase):
    OPTIONS = ((), ("--worker",))

    def test_it_trains_until_it_is_removed(self):
        self.assertRegex(self.wheels[1].name, r"^tacho_worker-.*\.whl$")
        self.assertTrue(any(name.startswith("libtorch_cpu") for name in self.libraries_carried("tacho-worker")))
        train = ("tacho", "train", "lenet5", "--data", "synthetic", "--train-samples", "256", "-e", "1", "--json")
        record = json.loads(self.installed(*train)[0])
        self.assertEqual(record["outcome"], "ok")
        self.pip("uninstall", "-y", "tacho-worker")
        self.installed("tacho", "runs", "ls")
        self.assertIn("tacho-worker is missing", self.installed(*train, expect=1)[1])


if __name__ == "__main__":
    unittest.main()
