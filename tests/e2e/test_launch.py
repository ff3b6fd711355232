"""Starting and ending ranks, with a script instead of the worker."""

import os
import signal
import unittest
from pathlib import Path

from tacho_case import INTERRUPTED, TachoCase, is_gone, processes_of, wait_until

# Writes its place, then does what the test specifies for its rank.
WORKER = """#!/bin/sh
place="${RANK-alone}/${WORLD_SIZE-} node ${GROUP_RANK-} at ${MASTER_ADDR-}:${MASTER_PORT-}"
echo "$place" >> $TACHO_HOME/places
%s
"""
SYNTHETIC = ["train", "mlp", "-d", "synthetic"]
SLEEP = "exec sleep 600"


class Launch(TachoCase):
    def worker(self, script):
        path = self.home / "worker.sh"
        path.write_text(WORKER % script)
        path.chmod(0o700)
        self.temporary = self.new_folder()
        return {"TACHO_WORKER": str(path), "TMPDIR": str(self.temporary)}

    def places(self):
        file = self.home / "places"
        return sorted(file.read_text().splitlines()) if file.exists() else []

    def given(self, rank):
        return {"RANK": str(rank), "WORLD_SIZE": "2", "LOCAL_RANK": str(rank),
                "LOCAL_WORLD_SIZE": "2", "GROUP_RANK": "0", "MASTER_ADDR": "node1",
                "MASTER_PORT": "29500", "TORCHELASTIC_USE_AGENT_STORE": "True"}

    def test_a_run_of_one_process_has_no_place(self):
        self.tacho(*SYNTHETIC, expect=1, env=self.worker("exit 1"))
        self.assertEqual(self.places(), ["alone/ node  at :"])

    def test_nproc_starts_ranks_on_this_machine(self):
        self.tacho(*SYNTHETIC, "--nproc", 3, expect=1, env=self.worker("exit 1"))
        ports = {place.rpartition(":")[2] for place in self.places()}
        self.assertEqual(len(ports), 1)
        self.assertEqual([place.split()[0] for place in self.places()], ["0/3", "1/3", "2/3"])

    def test_the_record_has_the_lost_rank_and_its_last_line(self):
        env = self.worker("[ $RANK = 1 ] && echo unwell && kill -9 $$; sleep 0.3; exit 1")
        self.tacho(*SYNTHETIC, "--nproc", 2, expect=1, env=env)
        shown = self.tacho("runs", "show", "last").out
        self.assertIn("rank 1 was killed by signal 9 (Killed)", shown)
        self.assertIn("its last line: unwell", shown)

    def test_no_rank_outlives_a_killed_tacho(self):
        going = self.start(*SYNTHETIC, "--nproc", 3, env=self.worker(SLEEP))
        wait_until(lambda: len(self.places()) == 3, "three ranks")
        pids = processes_of(self.home)
        self.assertEqual(len(pids), 4)
        going.signal(signal.SIGKILL)
        going.ended()
        wait_until(lambda: all(is_gone(pid) for pid in pids), "end of all")

    def test_ctrl_c_reaches_all_ranks(self):
        going = self.start(*SYNTHETIC, "--nproc", 3, env=self.worker(SLEEP))
        wait_until(lambda: len(self.places()) == 3, "three ranks")
        going.signal(signal.SIGINT)
        self.assertEqual(going.ended().code, INTERRUPTED)
        self.assertEqual(self.runs()[0]["outcome"], "cancelled")
        self.assertEqual(processes_of(self.home), [])

    def test_a_run_may_be_resumed_with_another_number_of_ranks(self):
        env = self.worker("exit 1")
        self.tacho(*SYNTHETIC, "--nproc", 2, expect=1, env=env)
        (self.home / "places").unlink()
        self.tacho("train", "--resume", 1, "--nproc", 3, expect=1, env=env)
        self.assertEqual(len(self.places()), 3)
        said = self.tacho("train", "--resume", 1, "--batch", 3, expect=2, env=env)
        self.assert_one_error_line(said, "leave out --batch")

    def test_under_torchrun_rank_0_writes_the_record(self):
        self.tacho(*SYNTHETIC, expect=1, env={**self.worker("exit 1"), **self.given(0)})
        self.assertEqual(self.places(), ["0/2 node 0 at node1:21308"])
        self.assertEqual(len(self.runs()), 1)

    def test_under_torchrun_other_ranks_write_no_record(self):
        said = self.tacho(*SYNTHETIC, env={**self.worker("exit 0"), **self.given(1)})
        self.assertEqual(self.places(), ["1/2 node 0 at node1:21308"])
        self.assertIn("rank 1 of 2: its part of the record is with rank 0 on node1", said.err)
        self.assertEqual(os.listdir(self.temporary), [])
        self.assertEqual(self.runs(), [])

    def test_a_separate_rank_that_fails_leaves_its_log(self):
        env = {**self.worker("echo no route; exit 3"), **self.given(1)}
        said = self.tacho(*SYNTHETIC, expect=1, env=env)
        self.assertIn("rank 1 ended with exit code 3; its last line: no route; its log is", said.err)
        self.assertEqual(Path(said.err.split()[-1]).read_text(), "no route\n")

    def test_nproc_is_rejected_under_a_launcher(self):
        said = self.tacho(*SYNTHETIC, "--nproc", 2, expect=2, env=self.given(0))
        self.assert_one_error_line(said, "--nproc", "leave --nproc out")

    def test_an_incomplete_environment_is_rejected(self):
        said = self.tacho(*SYNTHETIC, expect=2, env={"RANK": "0"})
        self.assert_one_error_line(said, "WORLD_SIZE is not set")


if __name__ == "__main__":
    unittest.main()
