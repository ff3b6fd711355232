"""The wheel of the command and the module."""

import unittest

from wheel_case import WheelCase, make_wheel

GOAL_BYTES = 25 << 20
TRAIN = """
import tacho
run = tacho.init(name="base")
for step in range(10):
    run.log({"loss": 1 / (step + 1)})
"""


class Wheel(WheelCase):
    def test_it_is_small_and_for_the_c_library_of_this_machine(self):
        self.assertLess(self.wheels[0].stat().st_size, GOAL_BYTES)
        self.assertRegex(self.wheels[0].name, r"^tacho-.*-py3-none-manylinux_2_\d+_(x86_64|aarch64)\.whl$")

    def test_the_same_files_give_the_same_bytes(self):
        again = make_wheel(self.new_folder())
        self.assertEqual(again.name, self.wheels[0].name)
        self.assertEqual(again.read_bytes(), self.wheels[0].read_bytes())

    def test_its_programs_use_its_libraries(self):
        for program in ("tacho", "tacho-take"):
            self.assertIn("libsqlite3.so.0", self.libraries_carried(program))

    def test_the_command_and_the_module_record_runs(self):
        (self.folder / "train.py").write_text(TRAIN)
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
        self.assertRegex(
            err, r"^tacho: \S+/tacho-worker is missing, and training needs it; install .*tacho-worker.*\n$")


if __name__ == "__main__":
    unittest.main()
