"""Wheels, installed in a virtual environment without network."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tacho_case import DEBIAN_PYTHON, TACHO, TachoCase

ROOT = Path(__file__).resolve().parents[2]
OF_THE_SYSTEM = {"libc.so.6", "libdl.so.2", "libgcc_s.so.1", "libm.so.6", "libpthread.so.0", "libresolv.so.2",
                 "libstdc++.so.6"}


def make_wheel(folder, *options):
    """Returns the file."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([ROOT / "script/wheel", *options, folder], check=True, stdout=sys.stderr,
                   env={**os.environ, "TACHO_BIN": str(Path(TACHO).parent)})
    wheel, = folder.glob("*.whl")
    return wheel


class WheelCase(TachoCase):
    OPTIONS = ((),)  # of script/wheel, for each wheel to install

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="tacho-wheel-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.venv = cls.folder / "v"
        subprocess.run([DEBIAN_PYTHON, "-m", "venv", cls.venv], check=True)
        cls.wheels = [make_wheel(cls.folder / f"wheel-{i}", *options) for i, options in enumerate(cls.OPTIONS)]
        cls.pip("install", "--no-index", *cls.wheels)
        cls.package, = cls.venv.glob("lib/python3*/site-packages/tacho")

    @classmethod
    def pip(cls, *words):
        subprocess.run([cls.venv / "bin/pip", "-q", "--disable-pip-version-check", *words], check=True)

    def installed(self, *words, expect=0):
        """Runs a program of the virtual environment, and returns its output."""
        done = subprocess.run([self.venv / "bin" / words[0], *words[1:]], cwd=self.folder, text=True,
                              capture_output=True, env=self.environment({"TACHO_WORKER": ""}))
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def libraries_carried(self, program):
        """The names of the libraries that a program takes from the wheels; all others are the system's."""
        said = subprocess.run(["ldd", self.package / "bin" / program], check=True, text=True,
                              stdout=subprocess.PIPE).stdout
        files = {line.split()[2] for line in said.splitlines() if "=>" in line}
        own = {file for file in files if "site-packages/tacho/bin/../lib/tacho/" in file}
        self.assertLessEqual({Path(file).name for file in files - own}, OF_THE_SYSTEM)
        return {Path(file).name for file in own}
