"""Checks Tacho's Jobs with Kubernetes' published schema (npm's kubernetes-models).

Needs no cluster; script/test-kubernetes uses one."""

import json
import os
import subprocess
import unittest

from schema import Schema

MADE_MANIFESTS = os.environ["MADE_MANIFESTS"]


def setUpModule():
    global check
    check = Schema().check


class Manifests(unittest.TestCase):
    def setUp(self):
        made = subprocess.run([MADE_MANIFESTS], capture_output=True, text=True, check=True)
        self.lines = made.stdout.splitlines()

    def test_every_kind_of_job_matches_the_schema(self):
        self.assertGreaterEqual(len(self.lines), 3)
        result = check(self.lines)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_invalid_and_unknown_fields_are_detected(self):
        """Checks the test above."""
        for path, value in ((("spec", "completions"), "20"), (("spec", "completionsMode"), "Indexed"),
                            (("spec", "template", "spec", "volumes"), {}),
                            (("spec", "template", "spec", "securityContext", "runAsRoot"), False)):
            with self.subTest(path):
                job = json.loads(self.lines[0])
                part = job
                for key in path[:-1]:
                    part = part[key]
                part[path[-1]] = value
                self.assertEqual(check([json.dumps(job)]).returncode, 1)


if __name__ == "__main__":
    unittest.main()
