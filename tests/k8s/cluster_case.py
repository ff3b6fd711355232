"""What the tests on the cluster share: the cluster, tacho as an ordinary user, and a home that pods reach."""

import json
import os
import shutil
import subprocess
import sys
import time
import unittest
from pathlib import Path

import yaml
from cluster import Cluster
from cluster_config import PAUSE_IMAGE

ROOT = Path(__file__).parents[2]
SWEEPER = "sweeper"  # a user of the API server
USER = 1000  # pods never run as root, and the owner of the home is the user of its pods
IMAGE = "localhost/tacho:latest"
# The names of images in the cluster by those of the archives that make-images wrote.
IMAGES = {"tacho": (IMAGE,), "pause": (PAUSE_IMAGE,)}
PATIENCE_SECONDS = 240


class Place:
    """The one cluster of all tests."""
    cluster = None
    shared = None  # the folder that pods and this machine share
    build = tools = None
    minor = 0


def start():
    folder = Path(os.environ["TACHO_CLUSTER"])
    (folder / "cluster").mkdir()
    cluster = Place.cluster = Cluster(folder / "programs", folder / "cluster", folder.name)
    seconds = cluster.start()
    for archive, names in IMAGES.items():
        cluster.import_image(folder / "images" / f"{archive}.tar", *names)
    Place.minor = cluster.minor_version()
    Place.shared = folder / "shared"
    Place.shared.mkdir()
    os.chown(Place.shared, USER, USER)
    # Reachable for the user even if the repository and the cache are in private folders.
    Place.build = folder / "build"
    Place.build.mkdir()
    subprocess.run(["mount", "--bind", ROOT / "build", Place.build], check=True)
    Place.tools = folder / "tools"
    Place.tools.mkdir()
    shutil.copy(folder / "programs/bin/kubectl", Place.tools)
    print(f"Kubernetes 1.{Place.minor} with one node, ready after {seconds:.1f} s", file=sys.stderr)


def as_user(*words):
    return ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--no-new-privs", *map(str, words)]


def wait_until(what, condition, seconds=PATIENCE_SECONDS):
    return Place.cluster.wait_for(what, condition, seconds)


class ClusterCase(unittest.TestCase):
    """A test with a namespace and a home of its own."""

    def setUp(self):
        self.cluster = Place.cluster
        self.outputs = 0
        self.namespace = self.id().split(".")[-1].removeprefix("test_").replace("_", "-")[:40].strip("-")
        self.cluster.must("create", "namespace", self.namespace)
        wait_until("the service account", lambda: self.cluster.kubectl(
            "-n", self.namespace, "get", "serviceaccount", "default").returncode == 0)
        self.home = Place.shared / self.namespace
        self.home.mkdir()
        os.chown(self.home, USER, USER)
        # With the permissions that sweeps need, and no others.
        self.cluster.must("-n", self.namespace, "apply", "-f", ROOT / "deploy/kubernetes/rights.yaml")
        self.cluster.must("-n", self.namespace, "create", "rolebinding", "tacho", "--role=tacho", f"--user={SWEEPER}")
        self.environment = {**self.cluster.environment, "KUBECONFIG": str(self.limited_configuration()),
                            "HOME": str(self.home), "TACHO_HOME": str(self.home),
                            "PATH": f"{Place.build}/bin:{Place.tools}:{self.cluster.environment['PATH']}"}

    def tearDown(self):
        self.cluster.revive()
        if any(problem for _, problem in getattr(self._outcome, "errors", [])):
            print(self.cluster.kubectl("-n", self.namespace, "get", "jobs,pods,events").stdout, file=sys.stderr)
        self.cluster.must("delete", "namespace", self.namespace, "--wait=false")
        shutil.rmtree(self.home, ignore_errors=True)

    def limited_configuration(self):
        configuration = json.loads((self.cluster.folder / "admin.conf").read_text())
        configuration["users"][0]["user"]["as"] = SWEEPER
        file = self.home / "kubeconfig"
        file.touch(mode=0o600)
        file.write_text(json.dumps(configuration))
        os.chown(file, USER, USER)
        return file

    def start_tacho(self, *words):
        """Its output is in a file, so that it can be read while tacho runs."""
        self.outputs += 1
        with (self.home / f"output-{self.outputs}").open("w") as out:
            process = subprocess.Popen(as_user("tacho", *words), stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=subprocess.STDOUT, env=self.environment, cwd=self.home)
        process.output = Path(out.name)
        return process

    def tacho(self, *words, seconds=PATIENCE_SECONDS):
        """Output and exit code of a command that has ended."""
        process = self.start_tacho(*words)
        return self.ended(process, seconds)

    def ended(self, process, seconds=PATIENCE_SECONDS):
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            self.fail(f"did not end within {seconds} s: {process.output.read_text()}\n{self.cluster.log()}")
        return process.returncode, process.output.read_text()

    def grid(self, runs, needs=None, slots=2, **base):
        """Writes a grid of short trainings, or of the command in `base`."""
        training = {"model": "mnist-cnn", "data": "synthetic", "batch": 8, "steps": 3, "eval-samples": 16, "threads": 1}
        grid = {"name": "cluster", "base": base or training, "repeat": runs,
                "needs": {"cores": 0.5, **(needs or {})}, "launcher": {"kind": "kubernetes", "slots": slots}}
        file = self.home / "grid.yaml"
        file.write_text(yaml.safe_dump(grid))
        return file

    def options(self, **more):
        mode = "Indexed" if Place.minor >= 24 else "NonIndexed"
        options = {"image": IMAGE, "host-path": Place.shared, "mount": Place.shared, "namespace": self.namespace,
                   "pull-policy": "IfNotPresent", "poll-seconds": 1, "completion-mode": mode,
                   **{name.replace("_", "-"): value for name, value in more.items()}}
        return [word for name, value in options.items() for word in ("--set", f"{name}={value}")]

    def objects(self, kind):
        return self.cluster.get("-n", self.namespace, kind)["items"]

    def assert_nothing_is_left(self):
        self.assertEqual(self.objects("jobs"), [])
        wait_until("the end of all pods", lambda: not self.objects("pods"))

    def wait_for_output(self, process, words, seconds=PATIENCE_SECONDS):
        """Returns the output once it contains the words."""
        deadline = time.monotonic() + seconds
        while words not in (read := process.output.read_text()):
            if process.poll() is not None or time.monotonic() > deadline:
                self.fail(f"never said {words!r}: {read}\n{self.cluster.log()}")
            time.sleep(0.05)
        return read

    def runs(self):
        code, out = self.tacho("runs", "ls", "--json")
        self.assertEqual(code, 0, out)
        return json.loads(out)
