"""The Python wheel, installed in a virtual environment without network."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tacho_case import DEBIAN_PYTHON, TACHO, TachoCase

ROOT = Path(__file__).resolve().parents[2]
GOAL_BYTES = 25 << 20
TRAIN = """
import tacho
run = tacho.init(name="base")
for step in range(10):
    run.log({"loss": 1 / (step + 1)})
"""


class Wheel(TachoCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="tacho-wheel-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        subprocess.run([ROOT / "script/wheel", cls.folder], check=True, stdout=sys.stderr,
                       env={**os.environ, "TACHO_BIN": str(Path(TACHO).parent)})
        cls.wheel, = cls.folder.glob("tacho-*.whl")
        cls.venv = cls.folder / "v"
        subprocess.run([DEBIAN_PYTHON, "-m", "venv", cls.venv], check=True)
        subprocess.run([cls.venv / "bin/pip", "install", "-q", "--no-index",
                        "--disable-pip-version-check", cls.wheel], check=True)
        cls.package, = cls.venv.glob("lib/python3*/site-packages/tacho")
        (cls.folder / "train.py").write_text(TRAIN)

    def installed(self, *words, expect=0):
        """Runs a program of the virtual environment, and returns its output."""
        done = subprocess.run([self.venv / "bin" / words[0], *words[1:]], cwd=self.folder, text=True,
                              capture_output=True, env=self.environment({"TACHO_WORKER": ""}))
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def test_it_is_small_and_for_the_c_library_of_this_machine(self):
        self.assertLess(self.wheel.stat().st_size, GOAL_BYTES)
        self.assertRegex(self.wheel.name, r"^tacho-.*-py3-none-manylinux_2_\d+_(x86_64|aarch64)\.whl$")

    def test_the_same_files_give_the_same_bytes(self):
        again = self.new_folder()
        subprocess.run([ROOT / "script/wheel", again], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "TACHO_BIN": str(Path(TACHO).parent)})
        self.assertEqual((again / self.wheel.name).read_bytes(), self.wheel.read_bytes())

    def test_its_programs_use_its_libraries(self):
        for program in ("tacho", "tacho-take"):
            said = subprocess.run(["ldd", self.package / "bin" / program], check=True, text=True,
                                  stdout=subprocess.PIPE).stdout
            files = [line.split()[2] for line in said.splitlines() if "=>" in line]
            own = [file for file in files if "site-packages/tacho/bin/../lib/tacho/" in file]
            others = [Path(file).name for file in set(files) - set(own)]
            self.assertIn("libsqlite3.so.0", [Path(file).name for file in own])
            self.assertLessEqual(set(others), {"libc.so.6", "libgcc_s.so.1", "libm.so.6",
                                           "libresolv.so.2", "libstdc++.so.6"})

    def test_the_command_and_the_module_record_runs(self):
        self.installed("tacho", "run", "--", self.venv / "bin/python", "train.py")
        self.installed("python", "train.py")
        for run in (1, 2):
            record = self.tacho("runs", "show", run, "--json").json
            self.assertEqual(record["outcome"], "ok")
            self.assertEqual([f["values"]["loss"] for f in record["figures"]],
                             [1 / (step + 1) for step in range(10)])
        self.assertEqual(self.installed("tacho", "--version")[0], self.tacho("--version").out)

    def test_doctor_is_content_and_train_says_what_is_missing(self):
        self.assertIn("TACHO_WORKER", self.installed("tacho", "doctor")[0])
        err = self.installed("tacho", "train", "lenet5", "--data", "synthetic", expect=1)[1]
        self.assertRegex(err, r"^tacho: \S+/tacho-worker is missing, and training needs it; build it .*\n$")


if __name__ == "__main__":
    unittest.main()
