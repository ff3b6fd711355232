"""Starts the process `tacho attach`, which records this process."""

import json
import os
import select
import sys

from .__main__ import PROGRAM
from ._events import event_line, warn

PATIENCE_SECONDS = 60


class Error(RuntimeError):
    """What went wrong, with the fix."""


def program():
    """The file of the program tacho: that of the wheel, or the one on PATH."""
    if os.path.exists(PROGRAM):
        return PROGRAM
    import shutil  # not for the command, which starts faster without it
    found = shutil.which("tacho")
    if found is None:
        raise Error("the program tacho is missing; install the wheel, or add the folder of "
                    "the program to PATH")
    return found


class Recorder:
    """Makes the run. Ends by itself when this process has ended in any way."""

    def __init__(self):
        import subprocess
        argv = getattr(sys, "orig_argv", None) or [sys.executable, *sys.argv]  # from Python 3.10
        self._process = subprocess.Popen(
            [program(), "attach", "--pid", str(os.getpid()), "--", *argv],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = self._process.stdout.readline()
        said = "" if line else self._process.stderr.read().decode(errors="replace").strip()
        self._process.stderr.close()
        self._process.wait()  # it has left a child that records
        if not line:
            raise Error(said or f"{program()} ended with exit code {self._process.returncode}")
        started = json.loads(line)
        self.run = started["run"]
        self.folder = started["folder"]

    def finish(self, **end):
        """Says how the run ended, and waits until its record is stored."""
        try:
            self._process.stdin.write(event_line("end", **end).encode())
            self._process.stdin.close()
            ends = select.poll()
            ends.register(self._process.stdout, select.POLLIN)
            over = bool(ends.poll(PATIENCE_SECONDS * 1000))
        except OSError:  # it was killed
            over = False
        if not over:
            warn("the record of this run is not complete yet; 'tacho runs ls' completes it")
