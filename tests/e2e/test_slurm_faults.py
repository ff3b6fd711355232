"""The Slurm launcher while daemons and nodes of a real cluster are killed."""

import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from slurm_cluster import NODES, SlurmCluster, why_not
from tacho_case import TACHO, Said, processes_of

PROBE = os.environ.get("LAUNCH_PROBE", "")
TASKS = 20
AT_ONCE = 4
# A restarted controller assumes that tasks still run until their node registers, which may take many
# minutes. Nodes that reread their configuration register at once.
REGISTERED_SECONDS = 20
NO_UPDATE = 3
PATIENCE_SECONDS = 200  # Slurm delays restarted tasks by two minutes
# A task that Slurm restarts begins twice.
STEADY = "echo x >> begun-$KEY; sleep 1; echo x >> ended-$KEY"
HELD = "echo x >> begun-$KEY; until [ -e go ]; do sleep 0.1; done; echo x >> ended-$KEY"


def setUpModule():
    if reason := why_not():
        if os.environ.get("TACHO_COMPONENTS") == "required" and os.geteuid() == 0:
            raise AssertionError(reason)
        print(f"SKIPPED: no Slurm cluster here: {reason}", file=sys.stderr)
        raise unittest.SkipTest(reason)


class Faults(unittest.TestCase):
    def setUp(self):
        # One cluster per test, since faults have effects for a while.
        global cluster
        cluster = SlurmCluster.start()
        self.addCleanup(cluster.stop)
        self.folder = Path(tempfile.mkdtemp(dir=cluster.folder))

    def probe(self, *words):
        options = (f"tacho={TACHO}", "poll-seconds=0", f"at-once={AT_ONCE}", *self.options)
        command = [PROBE, "slurm", str(self.folder), *map(str, words), *options]
        # TACHO_HOME identifies the processes of tasks.
        env = {**cluster.within(os.environ), "TACHO_HOME": str(self.folder)}
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
        return Said(done.returncode, done.stdout, done.stderr)

    options = ()

    def submit(self, count, script):
        said = self.probe("submit", "b", count, script)
        self.assertEqual(said.code, 0, said.err)

    def updates(self):
        """Updates by task; empty without any."""
        said = self.probe("poll", "b")
        self.assertIn(said.code, (0, NO_UPDATE), said.err)
        return said.json if said.code == 0 else {}

    def job(self):
        return (self.folder / "batches" / "b" / "job").read_text().strip()

    def states(self):
        return [task["state"] for task in self.updates().values()]

    def wait_for(self, condition, what):
        begun = looked = time.monotonic()
        while not (answer := condition()):
            now = time.monotonic()
            if now > begun + PATIENCE_SECONDS:
                self.fail(f"no {what} within {PATIENCE_SECONDS} s: {self.probe('poll', 'b')}\n{cluster.log()}")
            if now > looked + REGISTERED_SECONDS:
                looked = now
                cluster.ask("scontrol", "reconfigure")
            time.sleep(0.1)
        return answer

    def all_ended(self):
        updates = self.updates()
        return updates if updates and {task["state"] for task in updates.values()} <= {"ended", "lost"} else None

    def wait_for_end(self):
        return self.wait_for(self.all_ended, "end of all")

    def count(self, what):
        return {path.name: len(path.read_text().splitlines()) for path in self.folder.glob(what)}

    def assert_each_ended_once(self, updates, tasks=TASKS, may_be_lost=0):
        self.assertEqual(len(updates), tasks)
        left = {key: task for key, task in updates.items() if task["state"] != "lost"}
        told = (updates, self.said_by_tasks(), cluster.log())
        self.assertGreaterEqual(len(left), tasks - may_be_lost, told)
        for key in set(updates) - set(left):
            self.assertIn("Slurm reports FAILED", updates[key]["reason"], told)
        self.assertEqual({(task["state"], task["status"]) for task in left.values()}, {("ended", "exit code 0")}, told)
        self.assertLessEqual({f"ended-{key}" for key in left}, set(self.count("ended-*")))

    def wait_until_saved(self):
        """A restarted controller ends tasks that it had not saved before it was killed. It saves
        some seconds after a change, such as this one."""
        before = cluster.saved_at()
        changed = cluster.ask("scontrol", "update", f"JobId={self.job()}", "Comment=saved")
        self.assertEqual(changed.code, 0, changed.err)
        self.wait_for(lambda: cluster.saved_at() > before, "saved state")

    def said_by_tasks(self):
        return {path.name: path.read_text() for path in self.folder.glob("batches/b/slurm-*.log")}

    def assert_nothing_left(self):
        self.assertEqual(self.probe("forget", "b").code, 0)
        queue = lambda: cluster.ask("squeue", "--noheader").out.strip()
        self.wait_for(lambda: not queue(), "empty queue")
        self.wait_for(lambda: not processes_of(self.folder), "end of all processes")
        self.assertFalse((self.folder / "batches" / "b").exists())
        shown = cluster.ask("scontrol", "--oneliner", "show", "jobs").out
        states = {word for word in shown.split() if word.startswith("JobState=")}
        self.assertLessEqual(states, {f"JobState={end}" for end in ("COMPLETED", "CANCELLED", "FAILED")})

    def nodes_are_up(self):
        """A controller that was killed before it saved its state finds unknown tasks on a node and
        drains the node."""
        states = dict(line.split() for line in
                      cluster.ask("sinfo", "--noheader", "--Node", "--format=%N %t").out.splitlines())
        for node, state in states.items():
            if state.startswith(("dr", "down")):
                cluster.ask("scontrol", "update", f"NodeName={node}", "State=RESUME")
        return len(states) == len(NODES) and set(states.values()) <= {"idle", "mix", "alloc", "comp"}

    def test_a_missing_controller_is_not_an_update_and_nothing_is_lost(self):
        self.submit(2, HELD)
        self.wait_for(lambda: self.states() == ["running"] * 2, "both")
        self.wait_until_saved()
        cluster.kill(cluster.CONTROLLER)
        self.assertEqual(self.probe("poll", "b").code, NO_UPDATE)
        cluster.restart(cluster.CONTROLLER)
        self.wait_for(self.nodes_are_up, "nodes")
        (self.folder / "go").touch()
        self.assert_each_ended_once(self.wait_for_end(), tasks=2)
        self.assert_nothing_left()

    def test_restarted_daemons_change_nothing(self):
        self.submit(TASKS, STEADY)
        ended = 0
        for daemon in 2 * (cluster.CONTROLLER, *NODES):
            # Killing daemons faster than they start tasks would allow no progress.
            self.wait_for(lambda: len(self.count("ended-*")) > ended or self.all_ended(), "another end")
            ended = len(self.count("ended-*"))
            if self.all_ended():
                break
            cluster.kill(daemon)
            cluster.restart(daemon)
            self.wait_for(self.updates, "updates")
            self.wait_for(self.nodes_are_up, "nodes")
        # Slurm may have ended tasks that had just started when its controller was killed.
        self.assert_each_ended_once(self.wait_for_end(), may_be_lost=2 * AT_ONCE)
        self.assert_nothing_left()

    def test_a_task_of_a_failed_node_is_restarted_on_another(self):
        self.submit(1, HELD)
        node = self.wait_for(lambda: [task["where"] for task in self.updates().values()
                                      if task["state"] == "running"], "it")[0]
        self.wait_for((self.folder / "begun-t0").exists, "begin")
        self.fail_node(node)
        self.wait_for(lambda: self.states() == ["waiting"], "requeuing")
        cluster.ask("scontrol", "update", f"JobId={self.job()}", "StartTime=now")  # not in two minutes
        self.wait_for(lambda: [task for task in self.updates().values()
                               if task["state"] == "running" and task["where"] != node], "other node")
        (self.folder / "go").touch()
        self.assert_each_ended_once(self.wait_for_end(), tasks=1)
        cluster.restart(node)
        # The second attempt waited for the first, which was still running.
        self.assertEqual(self.count("begun-*"), {"begun-t0": 1})
        self.assert_nothing_left()

    def test_a_task_of_a_failed_node_is_lost_without_requeue(self):
        self.options = ("requeue=no",)
        self.submit(1, HELD)
        node = self.wait_for(lambda: [task["where"] for task in self.updates().values()
                                      if task["state"] == "running"], "it")[0]
        self.fail_node(node)
        updates = self.wait_for_end()
        self.assertEqual(updates["t0"]["state"], "lost", updates)
        self.assertIn("NODE_FAIL", updates["t0"]["reason"])

    def fail_node(self, node):
        """Marks a node as down, as after five minutes without response. Its processes continue."""
        cluster.kill(node)
        down = ("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=test")
        self.assertEqual(cluster.ask(*down).code, 0)

    def test_a_task_whose_supervisor_was_killed_is_lost_and_leaves_nothing(self):
        self.submit(1, HELD)
        self.wait_for((self.folder / "begun-t0").exists, "begin")
        for pid in processes_of(self.folder):
            if b"take-task" in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(pid, 9)
        updates = self.wait_for_end()
        self.assertEqual(updates["t0"]["state"], "lost", updates)
        self.assert_nothing_left()

    def test_a_tacho_killed_while_submitting_starts_nothing_twice(self):
        self.submit(4, STEADY)
        (self.folder / "batches" / "b" / "job").unlink()  # written last
        self.submit(4, STEADY)
        self.assert_each_ended_once(self.wait_for_end(), tasks=4)
        self.assertEqual(self.count("begun-*"), {f"begun-t{i}": 1 for i in range(4)})
        self.assert_nothing_left()

    def test_half_of_twenty_are_cancelled_and_nothing_is_left(self):
        self.submit(TASKS, STEADY)
        self.wait_for(lambda: self.states().count("ended") >= TASKS // 2, "half")
        self.assertEqual(self.probe("cancel", "b").code, 0)
        updates = self.wait_for_end()
        ends = [task["ended_by"] for task in updates.values()]
        self.assertEqual({task["state"] for task in updates.values()}, {"ended"})
        self.assertIn("cancel", ends)
        self.assertGreaterEqual(ends.count("itself"), TASKS // 2)
        self.assertLess(len(self.count("ended-*")), TASKS)
        self.assert_nothing_left()

    def test_an_error_of_sbatch_is_reported_and_leaves_nothing(self):
        self.options = ("partition=nowhere",)
        said = self.probe("submit", "b", 1, STEADY)
        self.assertEqual(said.code, 1)
        self.assertIn("sbatch: ", said.err)
        self.assertIn("nvalid partition", said.err)
        self.assertFalse((self.folder / "batches" / "b").exists())


if __name__ == "__main__":
    unittest.main()
