"""Machines that meet by a file in a folder that they share.

Each machine has its own home, and its processes listen at free ports of this machine."""

import json
import os
import re
import subprocess
import unittest

from dist_case import SECRET, DistCase
from tacho_case import end_all, epochs_in, wait_until


class SharedFolder(DistCase):
    train_samples = 240
    RUN = ("-b", 4, "-e", 2, "--backend", "gloo", "--timeout", 60)

    def setUp(self):
        super().setUp()
        self.file = self.new_folder() / "meet.job"
        self.homes = [self.home, self.new_folder(), self.new_folder()]
        for home in self.homes[1:]:
            self.addCleanup(end_all, home)

    def words(self, node, *args, nodes=2, run=None):
        return self.order(*(run or self.RUN), "--nnodes", nodes, "--node-rank", node, "--rendezvous",
                          f"file:{self.file}", *args)

    def machine(self, node, *args, nodes=2, run=None, env=None):
        return self.start(*self.words(node, *args, nodes=nodes, run=run),
                          env={"TACHO_HOME": str(self.homes[node]), **(env or {})})

    def point(self):
        """The content of the file, once machine 0 has written it."""
        return json.loads(wait_until(lambda: self.file.exists() and self.file.read_text(), "file"))

    def write_point(self, **fields):
        """Leaves the file of another job at a port where nobody listens."""
        self.file.write_text(json.dumps({"tacho_rendezvous": 1, "attempt": "of-a-killed-job",
                                         "address": f"127.0.0.1:{self.free_port()}",
                                         "secret": "the-secret-of-a-killed-job", **fields}))
        self.file.chmod(0o600)

    def assert_together(self, machines):
        """Returns the record of machine 0."""
        said = [machine.ended() for machine in machines]
        self.assertEqual([one.code for one in said], [0] * len(said),
                         "".join(one.err for one in said))
        self.assertFalse(self.file.exists())
        return said[0].json


class Meeting(SharedFolder):
    def test_the_losses_are_those_of_two_processes(self):
        whole = self.train(*self.RUN, "--nproc", 2)
        first = self.machine(0)
        point = self.point()
        self.assertEqual(self.file.stat().st_mode & 0o7777, 0o600)
        other = self.machine(1)
        record = self.assert_together([first, other])
        self.assertEqual(record["steps"]["loss"], whole["steps"]["loss"])
        self.assertEqual([rank["node"] for rank in record["ranks"]["ranks"]], [0, 1])
        kept = [file for home in self.homes for file in home.rglob("*")
                if file.is_file() and point["secret"].encode() in file.read_bytes()]
        self.assertEqual(kept, [])

    def test_the_others_wait_for_machine_0(self):
        others = [self.machine(node, nodes=3) for node in (1, 2)]
        for other in others:
            wait_until(lambda: "for machine 0 to write " + str(self.file) in other.err_so_far(),
                       "line")
        self.assert_together([self.machine(0, nodes=3), *others])

    def test_the_printed_command_starts_the_other_machine(self):
        first = self.machine(0)
        shown = wait_until(lambda: re.search(r"^.* --node-rank 1 .*\n", first.err_so_far(),
                                             re.MULTILINE), "command for the other machine")
        self.assertNotIn("SECRET", first.err_so_far())
        other = subprocess.run(["sh", "-c", shown.group(0)], capture_output=True, text=True,
                               env=self.environment({"TACHO_HOME": str(self.homes[1])}))
        self.assertEqual(other.returncode, 0, other.stderr)
        self.assert_together([first])

    def test_a_given_secret_is_not_in_the_file(self):
        first = self.machine(0, env=SECRET)
        self.assertNotIn("secret", self.point())
        without = self.tacho(*self.words(1), expect=2, env={"TACHO_HOME": str(self.homes[1])})
        self.assert_one_error_line(without, str(self.file), "TACHO_JOB_SECRET", "--job-secret-file")
        self.assert_together([first, self.machine(1, env=SECRET)])

    def test_communication_is_measured_by_file_too(self):
        words = ("bench", "comms", "--quick", "--max-size", "64K", "--backend", "gloo", "--nproc", 1,
                 "--no-gradients", "--nnodes", 2, "--rendezvous", f"file://{self.file}")
        other = self.start(*words, "--node-rank", 1, env={"TACHO_HOME": str(self.homes[1])})
        self.tacho(*words, "--node-rank", 0)
        self.assertEqual(other.ended().code, 0)


class FilesOfEarlierJobs(SharedFolder):
    def test_the_file_of_a_killed_job_does_not_mislead_the_next(self):
        killed = self.machine(0)
        old = self.point()
        killed.process.kill()
        killed.ended()
        end_all(self.home)
        self.assertTrue(self.file.exists())
        # The other machine is first, and goes to the dead address.
        other = self.machine(1)
        wait_until(lambda: "rank 1 of 2" in other.err_so_far(), "start of the ranks")
        first = self.machine(0)
        self.assertNotEqual(wait_until(lambda: (now := self.point()) != old and now, "new file"),
                            old)
        self.assert_together([first, other])

    def test_nobody_goes_to_a_dead_address_for_ever(self):
        self.write_point()
        said = self.tacho(*self.words(1, run=("--timeout", 2)), expect=1)
        self.assertIn("cannot connect to rank 0 at 127.0.0.1:", said.err)
        self.file.unlink()
        said = self.tacho(*self.words(1, run=("--timeout", 1)), expect=1)
        self.assertIn(f"machine 0 has not written {self.file} within 1 s", said.err)

    def test_a_lost_machine_comes_back_by_the_file(self):
        longer = (*self.RUN[:2], "-e", 16, *self.RUN[4:])
        run = (*longer, "--job", "three", "--max-restarts", 4)
        whole = self.train(*longer, "--nproc", 3)
        before = self.folders()
        machines = [self.machine(node, nodes=3, run=run) for node in range(3)]
        folder = self.new_run_folder(before)
        attempts = set()
        for victim in (1, 0):
            epochs = len(epochs_in(folder))
            wait_until(lambda: len(epochs_in(folder)) > epochs, "epoch")
            attempts.add(self.point()["attempt"])
            machines[victim].process.kill()
            machines[victim].ended()
            epochs = len(epochs_in(folder))
            machines[victim] = self.machine(victim, nodes=3, run=run)
            wait_until(lambda: len(epochs_in(folder)) > epochs, "epoch after the restart")
            attempts.add(self.point()["attempt"])
        record = self.assert_together(machines)
        self.assertEqual(record["steps"]["loss"], whole["steps"]["loss"])
        self.assertGreaterEqual(len(attempts), 3)


class Refusals(SharedFolder):
    def refused(self, *words):
        for node in (0, 1):
            self.assert_one_error_line(self.tacho(*self.words(node), expect=2), str(self.file),
                                       *words)
        self.assertEqual(self.folders(), set())  # no run has begun

    def test_files_that_others_could_have_written_or_read(self):
        self.write_point()
        self.file.chmod(0o644)
        self.refused("its mode is 0644; remove it")
        self.file.chmod(0o600)
        if os.geteuid() == 0:
            os.chown(self.file, 65534, -1)
            self.refused("user 65534 owns it", "remove it")
        self.file.rename(self.file.with_suffix(".elsewhere"))
        self.file.symlink_to(self.file.with_suffix(".elsewhere"))
        self.refused("links", "name another file")

    def test_files_of_other_programs(self):
        self.file.write_text("import torch\n")
        self.file.chmod(0o600)
        self.refused("not the rendezvous file of a job", "name another file")
        self.assertEqual(self.file.read_text(), "import torch\n")

    def test_folders_that_cannot_be_used(self):
        self.file = self.file.parent / "missing" / "meet.job"
        self.refused("is not a folder that you can", "name a file in one that all machines share")

    def test_wrong_options(self):
        for value in ("file:", "file://host0/meet.job", "file:/shared/"):
            said = self.tacho(*self.order("--nnodes", 2, "--node-rank", 0, "--rendezvous", value),
                              expect=2)
            self.assert_one_error_line(said, "--rendezvous", "write file:PATH or file:///PATH")


if __name__ == "__main__":
    unittest.main()
