"""A served model and Redis in containers as in deploy/compose.yaml: not as root, with a read-only file
system, without capabilities."""

import http.client
import json
import os
import re
import resource
import shutil
import socket
import subprocess
import tarfile
import unittest

import test_env_build
from tacho_case import SharedHomeCase, wait_until
from toy_data import write_sentences

TACHO_IMAGE = f"localhost/tacho-e2e-infer:{os.getpid()}"
REDIS_IMAGE = f"localhost/redis-e2e-infer:{os.getpid()}"
PODMAN = ["podman", "--runtime", "runc", "--cgroup-manager", "cgroupfs"]
GUARDED = ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--user", "10001",
           "--network", "host", "--tmpfs", "/tmp"]
REQUIRED = os.environ.get("TACHO_COMPONENTS") == "required" and os.geteuid() == 0


def limits():
    """The limits of this process: podman would raise them, which may not be allowed. The process limit
    must not exceed the system's maximum."""
    most = int(open("/proc/sys/kernel/pid_max").read())
    files = resource.getrlimit(resource.RLIMIT_NOFILE)
    processes = [min(limit if limit >= 0 else most, most) for limit in resource.getrlimit(resource.RLIMIT_NPROC)]
    return [f"--ulimit={name}={soft}:{hard}" for name, (soft, hard) in (("nofile", files), ("nproc", processes))]


def podman(*words):
    done = subprocess.run([*PODMAN, *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"podman {' '.join(map(str, words))}: {done.stderr}")
    return done.stdout.strip()


def write_redis_base(archive):
    """The small base with this machine's redis-server and its libraries."""
    plain = archive.with_suffix("")
    test_env_build.write_small_base(archive)
    with tarfile.open(archive) as small, tarfile.open(plain, "w") as tar:
        for entry in small:
            tar.addfile(entry, small.extractfile(entry) if entry.isfile() else None)
        program = os.path.realpath(shutil.which("redis-server"))
        tar.add(program, "./bin/redis-server", filter=readable)
        listed = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
        for library in re.findall(r"(/\S+) \(0x", listed):
            tar.add(os.path.realpath(library), f".{library}", filter=readable)
    return plain


def readable(entry):
    entry.mode |= 0o555
    return entry


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@unittest.skipUnless(REQUIRED or all(map(shutil.which, ("podman", "busybox", "redis-server"))),
                     "SKIPPED: podman, busybox and redis-server are not all installed")
class Served(SharedHomeCase):
    def prepare(self):
        cls = type(self)
        cls.addClassCleanup(cls.remove)
        base = self.home / "base.tar.gz"
        test_env_build.write_small_base(base)
        built = self.start("env", "build", "podman", "--base", base, "--tag", TACHO_IMAGE).ended(300)
        self.assertEqual(built.code, 0, built.err)
        podman("import", write_redis_base(self.home / "redis.tar.gz"), REDIS_IMAGE)
        data = write_sentences(self.home / "sentences")
        self.tacho("train", "lstm", "--data", "sst2", "--data-dir", data, "-b", 20, "-e", 4, "--seed", 1)
        for path in self.home.rglob("*"):  # the container has another user
            path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
        self.home.chmod(0o755)
        cls.run_key = next((self.home / "runs").iterdir()).name
        cls.redis_port, cls.port = free_port(), free_port()
        cls.redis = podman("run", "-d", *limits(), "--memory", "256m", *GUARDED, REDIS_IMAGE, "redis-server", "--port",
                           cls.redis_port, "--bind", "127.0.0.1", "--save", "", "--dir", "/tmp")
        cls.server = podman("run", "-d", *limits(), "--memory", "2g", *GUARDED, "-v", f"{self.home}:/tacho:ro", "-e",
                            "HOME=/tmp", "-e", "TACHO_HOME=/tmp/tacho", TACHO_IMAGE, "tacho", "infer",
                            f"/tacho/runs/{cls.run_key}", "--port", cls.port, "--cache",
                            f"redis://127.0.0.1:{cls.redis_port}")
        wait_until(lambda: self.ask("GET", "/ready")[0] == 200, "server")

    @classmethod
    def remove(cls):
        for name in ("redis", "server"):
            if hasattr(cls, name):
                subprocess.run([*PODMAN, "rm", "-f", "-t", "0", getattr(cls, name)], capture_output=True)
        subprocess.run([*PODMAN, "rmi", "-f", TACHO_IMAGE, REDIS_IMAGE], capture_output=True)

    def setUp(self):
        pass  # both keep running

    def ask(self, method, path, body=None):
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            client.request(method, path, body and json.dumps(body), {"Content-Type": "application/json"})
            answer = client.getresponse()
            return answer.status, answer.read().decode()
        except OSError:
            return None, ""
        finally:
            client.close()

    def predict(self, text):
        status, body = self.ask("POST", "/predict", {"text": [text]})
        self.assertEqual(status, 200, body)
        return json.loads(body)["predictions"][0]

    def test_answers_come_from_the_model_then_from_redis(self):
        text = "neutral1 good1 neutral2"
        first = self.predict(text)
        self.assertEqual(first["label"], "positive")
        wait_until(lambda: self.predict(text)["cached"], "cached answer")
        self.assertEqual(self.predict(text)["probabilities"], first["probabilities"])

    def test_redis_can_be_killed_and_restarted(self):
        podman("kill", "--signal", "KILL", self.redis)
        self.assertEqual(self.predict("neutral3 bad1 neutral4")["label"], "negative")
        podman("start", self.redis)
        wait_until(lambda: "tacho_infer_cache_up 1\n" in self.ask("GET", "/metrics")[1], "cache")
        wait_until(lambda: self.predict("neutral3 bad1 neutral4")["cached"], "cached answer")

    def test_zz_it_shuts_down_cleanly(self):
        podman("stop", "-t", "30", self.server)
        self.assertEqual(podman("inspect", "--format", "{{.State.ExitCode}}", self.server), "0")


if __name__ == "__main__":
    unittest.main()
