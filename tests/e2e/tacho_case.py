"""Base classes of the end-to-end tests: a temporary TACHO_HOME, and tacho in it."""

import functools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from dataclasses import dataclass
from pathlib import Path

TACHO = os.path.abspath(
    os.environ.get("TACHO") or Path(__file__).parents[2] / "build" / "bin" / "tacho")
STEPPED_CLOCK = Path(TACHO).parents[1] / "test-bin" / "libstepped_clock.so"
DEBIAN_PYTHON = "/usr/bin/python3"  # has Debian's packages
INTERRUPTED = 128 + signal.SIGINT  # the exit code after Ctrl-C
PATIENCE_SECONDS = 300  # enough even with eight other busy programs


@dataclass
class Said:
    """Exit code and output of a tacho that has ended."""
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


def clock_stepped_at(file):
    """Environment in which the wall clock jumps forward by an hour once the file exists."""
    assert STEPPED_CLOCK.exists(), f"{STEPPED_CLOCK} is not built"
    return {"LD_PRELOAD": str(STEPPED_CLOCK), "STEP_CLOCK_AT": str(file)}


def skip_without_torch(modules):
    """For setUpModule: skips the tests if Debian's Python cannot import these modules."""
    there = shutil.which(DEBIAN_PYTHON) and subprocess.run(
        [DEBIAN_PYTHON, "-c", f"import {modules}"], stderr=subprocess.DEVNULL).returncode == 0
    if not there:
        reason = f"{DEBIAN_PYTHON} has no {modules}; apt-get install python3-torch"
        print(f"SKIPPED: {reason}", file=sys.stderr)
        raise unittest.SkipTest(reason)


@functools.cache
def commands():
    """The words of all commands that help shows: (), ("runs",), ("runs", "ls"), …"""
    script = subprocess.run([TACHO, "completion", "bash"], check=True, capture_output=True,
                            text=True).stdout
    paths = re.findall(r"(?m)^ +'(tacho[^']*)'\) words=", script)
    return [tuple(path.split()[1:]) for path in paths]


def wait_until(condition, what, seconds=PATIENCE_SECONDS):
    """Polls until condition() is true, and returns its value."""
    deadline = time.monotonic() + seconds
    while not (answer := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"no {what} within {seconds} s")
        time.sleep(0.002)
    return answer


def events_of(folder):
    """The complete lines of a run's events.jsonl; none if the file does not exist."""
    try:
        text = (Path(folder) / "events.jsonl").read_text()
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in text.split("\n")[:-1] if line]


def epochs_in(folder):
    return [event for event in events_of(folder) if event["kind"] == "epoch"]


def processes_of(home):
    """Ids of the processes with this TACHO_HOME, without zombies."""
    mark = b"TACHO_HOME=" + os.fsencode(home)
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if mark in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:
            pass  # ended, or not readable
    return found


def is_gone(pid):
    """True if a process has released everything. A dying process loses its environment before
    its locks, and its first thread may end before the others."""
    try:
        process = Path(f"/proc/{pid}")
        return state_of(process) == "Z" and len(os.listdir(process / "task")) == 1
    except (FileNotFoundError, ProcessLookupError):
        return True


def stop(pid):
    """Sends SIGSTOP and waits for its effect; until then a later signal may arrive first."""
    os.kill(pid, signal.SIGSTOP)
    threads = Path(f"/proc/{pid}/task")
    wait_until(lambda: all(state_of(thread) == "T" for thread in threads.iterdir()), "stop")


def state_of(process):
    return (process / "stat").read_text().rpartition(")")[2].split()[0]


def learned(record):
    """The values that must be identical when a run is repeated or resumed."""
    epochs = [(e["epoch"], e["train_loss"], e["eval_loss"], e["top1"]) for e in record["epochs"]]
    return {"steps": record["steps"]["loss"], "epochs": epochs}


class Going:
    """A running tacho."""

    def __init__(self, args, env, cwd=None):
        self._out = tempfile.TemporaryFile("w+", newline="")
        self._err = tempfile.TemporaryFile("w+", newline="")
        self.process = subprocess.Popen([TACHO, *args], stdin=subprocess.DEVNULL, stdout=self._out,
                                        stderr=self._err, env=env, cwd=cwd)

    def worker(self):
        """Waits for the worker and returns its process id."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return wait_until(lambda: [int(pid) for pid in children.read_text().split()], "worker")[0]

    def signal(self, number):
        self.process.send_signal(number)

    def err_so_far(self):
        return os.pread(self._err.fileno(), 1 << 20, 0).decode()

    def ended(self, seconds=PATIENCE_SECONDS):
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"{self.process.args} did not end within {seconds} s") from None
        texts = []
        for stream in (self._out, self._err):
            stream.seek(0)
            texts.append(stream.read())
            stream.close()
        return Said(code, *texts)


class TachoCase(unittest.TestCase):
    """A fresh TACHO_HOME for every test."""

    def setUp(self):
        self.home = self.new_folder()
        self.addCleanup(end_all, self.home)

    def new_folder(self):
        folder = tempfile.mkdtemp(prefix="tacho-e2e-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        return Path(folder)

    def environment(self, env=None):
        # Tests ignore disturbances by other programs; see test_busy.py.
        return {**os.environ, "TACHO_HOME": str(self.home), "TACHO_INCLUDE_DISTURBED": "1",
                **(env or {})}

    def tacho(self, *args, expect=0, env=None, cwd=None):
        """Runs tacho. expect: the exit code, or None for any."""
        going = self.start(*args, env=env, cwd=cwd)
        said = going.ended()
        if expect is not None and said.code != expect:
            self.fail(f"tacho {' '.join(map(str, args))}: exit code {said.code}, expected {expect}"
                      f"\n{said.out[-400:]}{said.err}")
        return said

    def start(self, *args, env=None, cwd=None):
        return Going([str(arg) for arg in args], self.environment(env), cwd)

    def runs(self):
        return self.tacho("runs", "ls", "--all", "--json").json

    def folders(self):
        folder = self.home / "runs"
        return set(folder.iterdir()) if folder.exists() else set()

    def new_run_folder(self, before):
        """Waits for a run folder that is not in `before`."""
        return wait_until(lambda: self.folders() - before, "run's folder").pop()

    def assert_one_error_line(self, said, *words):
        lines = said.err.splitlines()
        self.assertEqual(len(lines), 1, f"expected one line on standard error: {said.err!r}")
        self.assertTrue(lines[0].startswith("tacho: "), lines[0])
        for word in words:
            self.assertIn(word, lines[0])


class SharedHomeCase(TachoCase):
    """One TACHO_HOME for all tests of a class, filled by prepare()."""

    @classmethod
    def setUpClass(cls):
        cls.home = Path(tempfile.mkdtemp(prefix="tacho-e2e-"))
        cls.addClassCleanup(shutil.rmtree, cls.home, ignore_errors=True)
        cls.addClassCleanup(end_all, cls.home)
        cls("prepare").prepare()

    def setUp(self):
        self.addCleanup(end_all, self.home)

    def prepare(self):
        pass


def end_all(home):
    """Kills all processes of a test: those with its TACHO_HOME."""
    for pid in processes_of(home):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
