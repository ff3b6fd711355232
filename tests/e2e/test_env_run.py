"""tacho run and tacho train in the environment TACHO_ENVIRONMENT, a value of --env."""

import csv
import io
import os
import shutil
import signal
import subprocess
import unittest
from pathlib import Path

from small_image import open_image
from tacho_case import TachoCase, processes_of, wait_until

KIND = os.environ.get("TACHO_ENVIRONMENT", "bare")
CONTAINERS = KIND in ("podman", "docker")  # their processes belong to a monitor or a daemon
MIB = 1 << 20
SYSTEM = ["--env-bind", "/usr", "--env-bind", "/etc/alternatives"]  # torch and its libraries
needs_image = unittest.skipIf(KIND == "bare", "a bare program has no image")
needs_worker = unittest.skipUnless(os.environ.get("TACHO_WORKER"), "no tacho-worker was built")
needs_root = unittest.skipUnless(os.geteuid() == 0, "limits need permission to create cgroups")


class InEnvironment(TachoCase):
    @classmethod
    def setUpClass(cls):
        cls.where = KIND
        if KIND != "bare":
            cls.image = open_image(KIND)
            cls.addClassCleanup(cls.image.close)
            cls.where = cls.image.handed_over()

    def setUp(self):
        super().setUp()
        self.work = self.new_folder()

    def run_in(self, *words, expect=0, **options):
        return self.tacho("run", "-E", self.where, *words, expect=expect, cwd=self.work, **options)

    def record(self, *words, **options):
        return self.run_in("--json", *words, **options).json

    def start_in(self, script, *options):
        """Starts a program and waits until its script has written the file `up`."""
        going = self.start("run", "-E", self.where, *options, "--", "sh", "-c", script,
                           cwd=self.work)
        wait_until((self.work / "up").exists, "program")
        return going

    def assert_nothing_is_left(self):
        wait_until(lambda: not processes_of(self.home), "end of all processes")
        if CONTAINERS:
            names = subprocess.run([KIND, "ps", "--all", "--format", "{{.Names}}"], check=True,
                                   capture_output=True, text=True).stdout
            for folder in self.folders():
                self.assertNotIn(folder.name, names)


class Program(InEnvironment):
    def test_output_and_exit_code_are_unchanged(self):
        said = self.run_in("--", "sh", "-c", "echo out; echo err >&2; pwd; exit 7", expect=7)
        self.assertEqual(said.out, f"out\n{self.work}\n")
        self.assertIn("err\n", said.err)
        record = self.tacho("runs", "show", "last", "--json").json
        self.assertEqual(record["outcome"], "failed")
        self.assertEqual(record["environment"]["kind"], KIND)
        self.assert_nothing_is_left()

    @unittest.skipUnless(KIND == "charliecloud", "other engines keep no folders of images")
    def test_a_ch_image_image_is_used_by_name(self):
        storage = self.new_folder()
        shutil.copytree(self.where.partition(":")[2], storage / "img/some%image+1", symlinks=True)
        said = self.tacho("run", "-E", "charliecloud:some/image:1", "--", "echo", "in it",
                          env={"CH_IMAGE_STORAGE": str(storage)})
        self.assertEqual(said.out, "in it\n")

    def test_a_killed_program_is_recorded_as_killed(self):
        record = self.record("--", "sh", "-c", "kill -9 $$", expect=128 + 9)
        self.assertEqual(record["reason"], "killed by signal 9 (Killed)")

    def test_arguments_and_variables_are_passed_unchanged(self):
        value = "two  words 'and' \"quotes\" $HOME"
        said = self.run_in("-q", "--env-var", f"SAID={value}", "--", "sh", "-c",
                           'printf "%s|%s" "$SAID" "$1" > said', "sh", "* '")
        self.assertEqual((self.work / "said").read_text(), f"{value}|* '", said.err)

    def test_the_record_has_the_environment_and_its_start_times(self):
        record = self.record("--", "sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done")
        facts = record["environment_facts"]
        self.assertEqual(facts["engine"], KIND)
        self.assertTrue(facts["engine_version"])
        if KIND != "bare":
            self.assertRegex(facts["image_digest"], "sha256:[0-9a-f]{64}$")
        figures = record["metrics"]
        self.assertGreater(figures["image_start_s"], 0)
        self.assertGreaterEqual(figures["image_end_s"], 0)
        around = figures["image_start_s"] + figures["wall_s"] + figures["image_end_s"]
        self.assertAlmostEqual(figures["total_s"], around, delta=1e-3)
        self.assertGreater(figures["user_s"], 0.01)
        used = figures["user_s"] + figures.get("system_s", 0)
        self.assertLess(used, figures["wall_s"] * 1.1 + 0.02)
        self.assertGreater(figures["minor_faults"], 0)
        # The memory of the program, without the engine.
        self.assertLess(figures["peak_memory"], 20 * MIB)
        shown = self.tacho("runs", "show", "last").out
        row, = csv.DictReader(io.StringIO(self.tacho("runs", "ls", "--csv", "-w",
                                                     f"environment={KIND}").out))
        self.assertEqual(row["image_digest"], facts["image_digest"])
        if KIND != "bare":
            self.assertIn(facts["image_digest"][:19], shown)
            self.assertIn(facts["engine_version"], self.tacho("report", "last").out)

    def test_its_processes_are_sampled(self):
        going = self.start_in("echo > up; while [ ! -e done ]; do sleep 0.05; done", "--json")
        folder = self.folders().pop()
        wait_until(lambda: (folder / "usage.jsonl").exists(), "samples")
        samples = (folder / "usage.jsonl").read_text
        wait_until(lambda: samples().count("\n") > 2, "samples")
        (self.work / "done").touch()
        self.assertGreater(going.ended().json["metrics"]["run_memory"], 0)

    def test_ctrl_c_reaches_the_program_and_leaves_no_process(self):
        going = self.start_in("trap 'echo tidied; exit 5' INT; echo > up; "
                              "while :; do sleep 0.05; done")
        going.signal(signal.SIGINT)
        said = going.ended()
        self.assertEqual((said.code, said.out), (5, "tidied\n"), said.err)
        self.assertEqual(self.runs()[0]["outcome"], "cancelled")
        self.assert_nothing_is_left()

    def test_a_program_that_ignores_signals_is_killed(self):
        going = self.start_in("trap '' INT TERM; echo > up; while :; do sleep 0.05; done")

        def ends():  # simultaneous signals count as one
            going.signal(signal.SIGINT)
            return going.process.poll() is not None
        wait_until(ends, "end")
        said = going.ended()
        self.assertNotEqual(said.code, 0)
        self.assertEqual(self.runs()[0]["outcome"], "cancelled")
        if KIND != "bare":
            self.assert_nothing_is_left()

    @needs_image
    def test_the_next_tacho_removes_leftovers_of_a_killed_one(self):
        going = self.start_in("trap '' INT TERM; echo > up; while :; do sleep 0.05; done")
        going.signal(signal.SIGKILL)
        going.ended()
        self.assertEqual(self.runs()[0]["outcome"], "failed")
        self.assert_nothing_is_left()

    @needs_root
    def test_memory_beyond_its_limit_is_the_outcome(self):
        record = self.record("--env-memory", "64M", "--", "dd", "if=/dev/zero", "of=/dev/null",
                             "bs=256M", "count=1", expect=128 + 9)
        self.assertEqual(record["outcome"], "out_of_memory")
        self.assertEqual(record["reason"], "exceeded its memory limit of 64.0 MiB")
        self.assert_nothing_is_left()

    def test_a_time_limit_is_the_outcome(self):
        # The first limit ends before a container has started.
        for limit, words in ("1ms", "1.00 ms"), ("500ms", "500 ms"):
            with self.subTest(limit):
                record = self.record("--time-limit", limit, "--", "sleep", "100", expect=128 + 15)
                self.assertEqual(record["outcome"], "timed_out")
                self.assertEqual(record["reason"], f"ended at its time limit of {words}")
                self.assert_nothing_is_left()

    @needs_image
    def test_a_program_missing_in_the_image_is_named(self):
        record = self.record("--", "no-such-program", expect=127)
        self.assertIn(f"'no-such-program' is not in {KIND}:", record["reason"])

    @needs_image
    def test_a_missing_image_is_one_error_line_without_a_run(self):
        said = self.tacho("run", "-E", f"{KIND}:not-there", "--", "true", expect=2)
        self.assert_one_error_line(said, "not-there", f"tacho env build {KIND}")
        said = self.run_in("--", "true", env={"PATH": "/not/there"}, expect=2)
        self.assert_one_error_line(said, f"{KIND} is not installed")
        self.assertEqual(self.runs(), [])

    def test_the_gpu_tracing_library_is_available_inside(self):
        self.run_in("-q", "--", "sh", "-c", "cat \"$CUDA_INJECTION64_PATH\" > library")
        self.assertGreater((self.work / "library").stat().st_size, 0)
        self.run_in("-q", "--no-trace", "--", "sh", "-c", "[ -z \"$CUDA_INJECTION64_PATH\" ]")


@needs_worker
class Training(InEnvironment):
    def train(self, *words, expect=0, env=None):
        where = ["-E", self.where] + ([] if KIND == "bare" else SYSTEM)
        return self.tacho("train", "mnist-cnn", "--data", "synthetic", "--train-samples", "640",
                          "--eval-samples", "64", "--json", *where, *words, expect=expect, env=env)

    def test_it_trains_as_without_an_environment_and_reports_its_start(self):
        record = self.train("--steps", "5").json
        bare = self.tacho("train", "mnist-cnn", "--data", "synthetic", "--train-samples", "640",
                          "--eval-samples", "64", "--steps", "5", "--json").json
        self.assertEqual(record["steps"]["loss"], bare["steps"]["loss"])
        self.assertEqual(record["environment_facts"]["engine"], KIND)
        self.assertEqual(record["started"]["host"]["environment"], KIND)
        for name in ("image_start_s", "process_start_s", "startup_s", "first_step_s", "step_s",
                     "input_s", "eval_s", "image_end_s", "user_s", "run_memory", "minor_faults"):
            self.assertIn(name, record["metrics"])
        figures = record["metrics"]
        self.assertGreater(figures["total_s"], figures["wall_s"] + figures["image_start_s"])
        self.assert_nothing_is_left()

    def test_two_ranks_connect(self):
        record = self.train("--steps", "4", "--nproc", "2", "--batch", "32").json
        self.assertEqual(len(record["ranks"]["ranks"]), 2)
        self.assertEqual(record["ranks"]["backend"], "gloo" if CONTAINERS else "shm")
        self.assert_nothing_is_left()

    @unittest.skipUnless(CONTAINERS, "its ranks share their processes")
    def test_ranks_that_cannot_connect_are_reported(self):
        said = self.train("--nproc", "2", "--env-network", "none", expect=2)
        self.assert_one_error_line(said, "leave --env-network none out")
        said = self.train("--nproc", "2", "--backend", "shm", expect=2)
        self.assert_one_error_line(said, "--backend shm", "leave it out")

    def test_a_time_limit_ends_it(self):
        record = self.train("--epochs", "10000", "--time-limit", "2s", expect=1).json
        self.assertEqual(record["outcome"], "timed_out")
        self.assertEqual(record["reason"], "ended at its time limit of 2.00 s")
        self.assert_nothing_is_left()

    @needs_root
    def test_memory_beyond_its_limit_is_the_outcome(self):
        record = self.train("--epochs", "10", "--env-memory", "48M", expect=1).json
        self.assertEqual(record["outcome"], "out_of_memory")
        self.assert_nothing_is_left()

    def test_ctrl_c_and_resume(self):
        before = self.folders()
        going = self.start("train", "mnist-cnn", "--data", "synthetic", "--train-samples", "640",
                           "--eval-samples", "64", "--epochs", "3", "--json", "-E", self.where,
                           *([] if KIND == "bare" else SYSTEM))
        folder = self.new_run_folder(before)
        wait_until(lambda: any((folder / "checkpoints").glob("*")), "checkpoint")
        going.signal(signal.SIGINT)
        stopped = going.ended()
        self.assert_nothing_is_left()
        if stopped.json["outcome"] == "ok":
            return  # it ended before the signal
        record = self.tacho("train", "--resume", "last", "--json").json
        self.assertEqual(record["outcome"], "ok")
        self.assertEqual(record["metrics"]["epochs_done"], 3)
        self.assertEqual(record["environment_facts"]["engine"], KIND)

    def test_a_killed_tacho_ends_its_training(self):
        before = self.folders()
        going = self.start("train", "mnist-cnn", "--data", "synthetic", "--train-samples", "640",
                           "--epochs", "100000", "-E", self.where,
                           *([] if KIND == "bare" else SYSTEM))
        folder = self.new_run_folder(before)
        wait_until(lambda: (folder / "events.jsonl").exists()
                   and '"epoch"' in (folder / "events.jsonl").read_text(), "epoch")
        going.signal(signal.SIGKILL)
        going.ended()
        if KIND in ("apptainer", "singularity"):
            # Its processes are orphans now and keep the run's lock until they end.
            for pid in processes_of(self.home):
                os.kill(pid, signal.SIGTERM)
        self.assert_nothing_is_left()
        self.assertIn(self.runs()[0]["outcome"], ("cancelled", "failed"))

    @needs_image
    def test_the_images_worker_has_precedence(self):
        worker = self.image.root / "bin/tacho-worker"
        worker.write_text("#!/bin/sh\necho of the image\nexit 3\n")
        worker.chmod(0o755)
        try:
            where = self.image.handed_over()
            said = self.tacho("train", "mnist-cnn", "--data", "synthetic", "--json", "-E", where,
                              env={"TACHO_WORKER": ""}, expect=1)
        finally:
            worker.unlink()
            self.image.handed_over()
        self.assertIn("exit code 3; its last line: of the image", said.json["reason"])
        if Path(os.environ["TACHO_WORKER"]).parent == Path(os.environ["TACHO"]).parent:
            self.train("--steps", "2", env={"TACHO_WORKER": ""})


if __name__ == "__main__":
    unittest.main()
