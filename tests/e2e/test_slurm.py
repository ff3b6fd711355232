"""Training with a real Slurm of two nodes on one machine: ranks distinguish nodes by number, so that
ranks of one node share memory and those of different nodes do not."""

import os
import sys
import tempfile
import unittest
from pathlib import Path

from dist_case import SECRET
from slurm_cluster import SlurmCluster, ended, why_not
from tacho_case import TACHO, SharedHomeCase, events_of, processes_of, wait_until

BATCH_SCRIPT = Path(__file__).parents[2] / "deploy" / "slurm" / "train.sbatch"
ON_TWO_CPUS = ("--ntasks-per-node=1", "--cpus-per-task=1", "--gpus-per-node=0")
WORKER = os.path.abspath(os.environ.get("TACHO_WORKER") or Path(TACHO).with_name("tacho-worker"))
# Writes its place, then runs the real worker.
NOTING_WORKER = f"""#!/bin/sh
echo $RANK $GROUP_RANK $LOCAL_RANK $LOCAL_WORLD_SIZE >> $TACHO_HOME/places
exec {WORKER} "$@"
"""
SMALL = ("lenet5", "--data", "fashion-mnist", "--train-samples", 640, "--eval-samples", 320,
         "--threads", 1, "--epochs", 2, "--seed", 1)
LONG = ("lenet5", "--data", "fashion-mnist", "--eval-samples", 320, "--threads", 1, "-b", 16,
        "--epochs", 1000, "--seed", 1)


def setUpModule():
    global cluster
    if reason := why_not():
        if os.environ.get("TACHO_COMPONENTS") == "required" and os.geteuid() == 0:
            raise AssertionError(reason)
        print(f"SKIPPED: no Slurm cluster here: {reason}", file=sys.stderr)
        raise unittest.SkipTest(reason)
    cluster = SlurmCluster.start()
    tempfile.tempdir = str(cluster.folder)  # removed with the cluster


class Slurm(SharedHomeCase):
    def prepare(self):
        said = self.tacho("train", *SMALL, "-b", 32, "--json")
        type(self).alone = said.json["steps"]["loss"]

    def environment(self, env=None):
        return {**super().environment(env), "TMPDIR": str(cluster.folder)}

    def srun(self, *command, env=None):
        """Starts srun with the secret that ranks on several nodes need."""
        secret = SECRET if "-N2" in command else {}
        return cluster.client("srun", *command, env=self.environment({**secret, **(env or {})}))

    def record_by(self, *command, env=None):
        said = ended(self.srun(*command, "--json", env=env))
        self.assertEqual(said.code, 0, said.err)
        return said.json

    def submit(self, *command):
        """Waits for the end of a job and returns its state and output."""
        job, folder = self.submitted(*command)
        cluster.wait_for(job)
        return cluster.state_of(job), (folder / f"tacho-{job}.log").read_text()

    def submitted(self, *command):
        folder = self.new_folder()
        said = cluster.ask("sbatch", "--parsable", *command, env=self.environment(), cwd=folder)
        self.assertEqual(said.code, 0, said.err)
        return said.out.strip(), folder

    def last_record(self):
        return self.tacho("runs", "show", "last", "--json").json

    def training(self, *command):
        """Starts a long run under srun and waits for its first steps."""
        before = self.folders()
        going = self.srun("-N2", *command, "tacho", "train", *LONG)
        self.wait_for_event(self.new_run_folder(before), "steps")
        return going

    def wait_for_event(self, folder, kind, count=1):
        def seen():
            return [event for event in events_of(folder) if event["kind"] == kind][count - 1:]
        return wait_until(seen, f"{kind} {count}", seconds=30)[0]

    def process_of_rank(self, rank, name):
        mark = b"SLURM_PROCID=%d" % rank
        for pid in processes_of(self.home):
            process = Path(f"/proc/{pid}")
            if ((process / "comm").read_text().strip() == name
                    and mark in (process / "environ").read_bytes().split(b"\0")):
                return pid
        raise AssertionError(f"rank {rank} has no {name}")

    def assert_cancelled(self, record):
        self.assertEqual(record["outcome"], "cancelled", record["reason"])
        self.assertEqual(record["reason"], "stopped by a signal")

    def assert_nothing_left(self):
        wait_until(lambda: not processes_of(self.home), "end of all")

    def assert_learned_as_alone(self, record):
        self.assertEqual(record["outcome"], "ok")
        losses = record["steps"]["loss"]
        self.assertEqual(len(losses), len(self.alone))
        for one, other in zip(losses, self.alone):
            self.assertAlmostEqual(one, other, delta=1e-5)

    def test_two_nodes_write_one_record_and_learn_the_same_as_one_process(self):
        before = len(self.runs())
        record = self.record_by("-N2", "tacho", "train", *SMALL, "-b", 16)
        self.assertEqual(len(self.runs()), before + 1)
        places = [(rank["rank"], rank["node"]) for rank in record["ranks"]["ranks"]]
        self.assertEqual(places, [(0, 0), (1, 1)])
        self.assertEqual(record["ranks"]["backend"], "gloo")
        self.assert_learned_as_alone(record)

    def test_ranks_on_two_nodes_without_a_secret_are_told_what_to_do(self):
        said = ended(cluster.client("srun", "-N2", "tacho", "train", *SMALL, "-b", 16,
                                    env=self.environment()))
        self.assertEqual(said.code, 2)
        self.assertIn("set TACHO_JOB_SECRET to the same value on all", said.err)

    def test_ranks_have_the_places_of_srun_and_share_memory_on_a_node(self):
        # By rank: node, rank on the node, ranks on the node.
        expected = {"block": ["0 0 2", "0 1 2", "1 0 2", "1 1 2"],
                    "cyclic": ["0 0 2", "1 0 2", "0 1 2", "1 1 2"]}
        for distribution, places in expected.items():
            with self.subTest(distribution):
                record, noted = self.placed("-N2", "--ntasks-per-node=2",
                                            f"--distribution={distribution}", batch=8)
                self.assertEqual(noted, [f"{rank} {place}" for rank, place in enumerate(places)])
                nodes = [rank["node"] for rank in record["ranks"]["ranks"]]
                self.assertEqual(nodes, [int(place[0]) for place in places])
                self.assertEqual(record["ranks"]["backend"], "shm+gloo")
                self.assert_learned_as_alone(record)

    def test_nodes_may_have_different_numbers_of_ranks(self):
        record, noted = self.placed("-N2", "-n3", batch=8)
        places = [tuple(map(int, line.split())) for line in noted]
        self.assertEqual([rank for rank, *_ in places], [0, 1, 2])
        for node in (0, 1):
            there = [(local, size) for _, on, local, size in places if on == node]
            self.assertEqual(there, [(local, len(there)) for local in range(len(there))])
        self.assertEqual(record["ranks"]["backend"], "shm+gloo")

    def test_ranks_of_one_node_share_memory(self):
        record, noted = self.placed("-N1", "-n2", batch=16)
        self.assertEqual(noted, ["0 0 0 2", "1 0 1 2"])
        self.assertEqual(record["ranks"]["backend"], "shm")
        self.assert_learned_as_alone(record)

    def placed(self, *tasks, batch):
        """Trains and returns the record and the places of its workers."""
        worker, places = self.home / "worker.sh", self.home / "places"
        worker.write_text(NOTING_WORKER)
        worker.chmod(0o700)
        places.unlink(missing_ok=True)
        record = self.record_by(*tasks, "tacho", "train", *SMALL, "-b", batch,
                                env={"TACHO_WORKER": str(worker)})
        return record, sorted(places.read_text().splitlines())

    def test_a_cancelled_job_is_cancelled_in_the_record(self):
        going = self.training()
        cluster.ask("scancel", cluster.running_job())
        self.assertNotEqual(ended(going).code, 0)
        record = self.last_record()
        self.assert_cancelled(record)
        self.assert_nothing_left()

    def test_a_step_killed_by_slurm_is_recorded_as_failed_later(self):
        going = self.training()
        cluster.ask("scancel", f"{cluster.running_job()}.0")
        self.assertNotEqual(ended(going).code, 0)
        self.assert_nothing_left()
        # Its lock is released a moment later.
        wait_until(lambda: self.last_record()["outcome"] != "running", "end of the run")
        record = self.last_record()
        self.assertEqual(record["outcome"], "failed")
        self.assertIn("killed", record["reason"])

    def test_a_rank_that_is_killed_ends_the_job_and_is_named(self):
        for name in ("tacho", "tacho-worker"):
            with self.subTest(name):
                going = self.training("--kill-on-bad-exit=0")
                os.kill(self.process_of_rank(1, name), 9)
                self.assertNotEqual(ended(going).code, 0)
                record = self.last_record()
                self.assertEqual(record["outcome"], "failed")
                self.assertIn("rank 1", record["reason"])
                self.assert_nothing_left()

    def test_the_batch_script_trains_on_its_nodes(self):
        state, said = self.submit(*ON_TWO_CPUS, BATCH_SCRIPT, *SMALL, "-b", 16)
        self.assertEqual(state, "COMPLETED", said)
        self.assertIn("2 on 2 nodes by gloo", said)
        self.assert_learned_as_alone(self.last_record())

    def test_the_batch_script_without_a_model_prints_its_usage(self):
        state, said = self.submit(*ON_TWO_CPUS, BATCH_SCRIPT)
        self.assertEqual(state, "FAILED")
        self.assertIn("usage: sbatch train.sbatch MODEL", said)

    def test_a_cancelled_batch_job_can_be_resumed(self):
        before = self.folders()
        job, _ = self.submitted(*ON_TWO_CPUS, BATCH_SCRIPT, *LONG, "--train-samples", 320)
        folder = self.new_run_folder(before)
        self.wait_for_event(folder, "checkpoint")
        record = self.cancelled(job)
        self.assert_cancelled(record)

        job, _ = self.submitted(*ON_TWO_CPUS, BATCH_SCRIPT, "--resume", record["id"])
        again = self.wait_for_event(folder, "start", 2)
        self.assertEqual(again["resumed_epochs"], record["checkpoints"][-1]["epoch"])
        self.wait_for_event(folder, "checkpoint", len(record["checkpoints"]) + 1)
        resumed = self.cancelled(job)
        self.assertEqual(resumed["id"], record["id"])
        self.assertGreater(len(resumed["epochs"]), len(record["epochs"]))

    def cancelled(self, job):
        cluster.ask("scancel", job)
        cluster.wait_for(job)
        self.assert_nothing_left()
        return self.last_record()

    def test_a_plain_batch_script_trains_alone(self):
        script = self.home / "alone.sbatch"
        command = " ".join(map(str, ("tacho", "train", *SMALL, "-b", 32)))
        options = "--nodes=2 --ntasks=2 --output=tacho-%j.log"
        script.write_text(f"#!/bin/sh\n#SBATCH {options}\n{command}\n")
        state, said = self.submit(script)
        self.assertEqual(state, "COMPLETED", said)
        record = self.last_record()
        self.assertEqual(record["metrics"].get("ranks", 1), 1)
        self.assertEqual(record["steps"]["loss"], self.alone)


if __name__ == "__main__":
    unittest.main()
