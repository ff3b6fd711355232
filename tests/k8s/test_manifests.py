"""The Jobs that Tacho makes, held against Kubernetes' published schema (npm's kubernetes-models).

Nothing here needs a cluster: script/test-kubernetes is for whoever has one."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).parent
MADE_MANIFESTS = os.environ["MADE_MANIFESTS"]
FILES = ("package.json", "package-lock.json", "check_jobs.mjs")


def setUpModule():
    global folder
    folder = Path(tempfile.mkdtemp(prefix="tacho-k8s-"))
    unittest.addModuleCleanup(shutil.rmtree, folder, ignore_errors=True)
    for name in FILES:
        shutil.copy(HERE / name, folder)
    reason = install()
    if reason and os.environ.get("TACHO_COMPONENTS") == "required":
        raise AssertionError(reason)
    if reason:
        print(f"SKIPPED: no schema to hold manifests against: {reason}", file=sys.stderr)
        raise unittest.SkipTest(reason)


def install():
    if not shutil.which("npm"):
        return "npm is not installed; run script/bootstrap"
    command = ["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=200)
    return f"npm ci: {done.stderr.strip()}" if done.returncode else ""


def check(lines):
    return subprocess.run(["node", "check_jobs.mjs"], cwd=folder, input="\n".join(lines),
                          capture_output=True, text=True, timeout=60)


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
