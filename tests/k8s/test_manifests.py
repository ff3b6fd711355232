"""The Jobs that Tacho makes, held against Kubernetes' published schema (npm's kubernetes-models).

Nothing here needs a cluster: script/test-kubernetes is for whoever has one."""

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

    def test_every_kind_of_job_is_as_the_schema_has_it(self):
        self.assertGreaterEqual(len(self.lines), 3)
        said = check(self.lines)
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)

    def test_what_is_wrong_or_unknown_is_found(self):
        """Or the test above would promise nothing."""
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
