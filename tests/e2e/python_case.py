"""Base class of the tests of the Python package."""

import os
import subprocess
import sys
from pathlib import Path

from tacho_case import TACHO, TachoCase

PACKAGE = Path(__file__).resolve().parents[2] / "python"


class PythonCase(TachoCase):
    python_path = [PACKAGE]

    def environment(self, env=None):
        # Without the variables of a tacho run around this test.
        path = f"{Path(TACHO).parent}:{os.environ['PATH']}"
        return super().environment({"PYTHONPATH": os.pathsep.join(map(str, self.python_path)), "PATH": path,
                                    "TACHO_RUN_FOLDER": "", **(env or {})})

    def begin(self, code, **env):
        return subprocess.Popen([sys.executable, "-c", code], text=True, env=self.environment(env),
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def python(self, code, expect=0, **env):
        """Runs a program to its end and returns what it printed to standard error."""
        process = self.begin(code, **env)
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, expect, out + err)
        return err

    def record(self, run="last"):
        return self.tacho("runs", "show", run, "--json").json
