"""Tests on a real Kubernetes; started by script/test-kubernetes --with-cluster in its own namespaces."""

import signal
import subprocess
import sys
import unittest

import cluster_case
from cluster_case import IMAGE, USER, ClusterCase, Place, as_user, wait_until

INTERRUPTED = 128 + signal.SIGINT


def setUpModule():
    unittest.addModuleCleanup(lambda: Place.cluster and Place.cluster.stop())
    cluster_case.start()


class Contract(ClusterCase):
    def test_contract_of_launchers(self):
        """src/machine/launch/contract_test.cpp"""
        environment = {
            **self.environment, "TACHO_K8S_IMAGE": IMAGE,
            "TACHO_K8S_MOUNT": str(self.home), "TACHO_K8S_HOST_PATH": str(self.home), "TACHO_K8S_USER": str(USER),
            "TACHO_K8S_NAMESPACE": self.namespace, "TACHO_K8S_PULL_POLICY": "Never",
            "TACHO_K8S_COMPLETION_MODE": "Indexed" if Place.minor >= 24 else "NonIndexed"}
        done = subprocess.run(as_user(Place.build / "test-bin/launch_contract_test", "--gtest_filter=*/kubernetes"),
                              env=environment, cwd=self.home, stdout=subprocess.PIPE, text=True, timeout=1200)
        print(done.stdout, file=sys.stderr)
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("SKIPPED", done.stdout)
        self.assert_nothing_is_left()


class Sweeps(ClusterCase):
    def test_a_sweep_of_trainings_ends_well_and_leaves_nothing(self):
        code, out = self.tacho("sweep", self.grid(4), "--launcher", "kubernetes", *self.options())
        self.assertEqual(code, 0, out)
        runs = self.runs()
        self.assertEqual([run["outcome"] for run in runs], ["ok"] * 4)
        self.assert_nothing_is_left()

    def test_a_program_may_not_run_as_root_or_write_outside_its_home(self):
        command = {"command": ["/bin/sh", "-c", f"[ $(id -u) = {USER} ] && ! touch /usr/x"]}
        code, out = self.tacho("sweep", self.grid(1, **command), *self.options())
        self.assertEqual(code, 0, out)
        self.assert_nothing_is_left()

    def test_cancelling_a_sweep_removes_its_job(self):
        process = self.start_tacho("sweep", self.grid(3, command=["sleep", "600"]), *self.options())
        wait_until("a running pod", self.has_running_pod)
        code, out = self.tacho("sweep", "cancel", "1")
        self.assertEqual(code, 0, out)
        self.ended(process)
        self.assert_nothing_is_left()

    def test_interrupting_a_sweep_removes_its_job_and_it_can_be_resumed(self):
        wait = f"until [ -e {self.home}/go ]; do sleep 0.1; done"
        process = self.start_tacho("sweep", self.grid(3, command=["/bin/sh", "-c", wait]), *self.options())
        wait_until("a running pod", self.has_running_pod)
        process.send_signal(signal.SIGINT)
        code, out = self.ended(process)
        self.assertEqual(code, INTERRUPTED, out)
        self.assert_nothing_is_left()
        (self.home / "go").touch()
        code, out = self.tacho("sweep", "resume", "1")
        self.assertEqual(code, 0, out)
        self.assert_nothing_is_left()

    def test_after_a_kill_another_tacho_adopts_the_job(self):
        wait = f"echo >> {self.home}/began; until [ -e {self.home}/go ]; do sleep 0.1; done"
        process = self.start_tacho("sweep", self.grid(2, command=["/bin/sh", "-c", wait]), *self.options())
        began = self.home / "began"
        wait_until("two running tasks", lambda: began.exists() and len(began.read_text().split("\n")) == 3)
        process.kill()
        self.ended(process)
        self.assertEqual(len(self.objects("jobs")), 1)
        (self.home / "go").touch()
        code, out = self.tacho("sweep", "resume", "1")
        self.assertEqual(code, 0, out)
        self.assertEqual(began.read_text(), "\n\n")  # nothing ran twice
        self.assert_nothing_is_left()

    def has_running_pod(self):
        return any(pod["status"]["phase"] == "Running" for pod in self.objects("pods"))


class Reasons(ClusterCase):
    def test_a_missing_image_is_the_reason_of_the_failure(self):
        code, out = self.tacho("sweep", self.grid(2, command=["true"]),
                               *self.options(image="localhost/absent:1", give_up_seconds=3))
        self.assertEqual(code, 1, out)
        self.assertRegex(out, r"runs wait: (ErrImagePull|ImagePullBackOff): ")
        for run in self.runs():
            self.assertEqual(run["outcome"], "failed")
        code, out = self.tacho("runs", "show", "last")
        self.assertRegex(" ".join(out.split()), r"(ErrImagePull|ImagePullBackOff): .*localhost/absent:1")
        self.assert_nothing_is_left()

    def test_a_quota_is_the_reason_of_the_wait(self):
        self.cluster.apply({"apiVersion": "v1", "kind": "ResourceQuota",
                            "metadata": {"name": "none", "namespace": self.namespace},
                            "spec": {"hard": {"pods": "0"}}})
        wait_until("the quota", lambda: "hard" in self.objects("resourcequotas")[0].get("status", {}))
        process = self.start_tacho("sweep", self.grid(1, command=["true"]), *self.options())
        out = self.wait_for_output(process, "exceeded quota")
        self.assertIn("runs wait: FailedCreate: ", out)
        # The controller tries again after ever longer times; a deleted quota is noticed then.
        self.cluster.must("-n", self.namespace, "delete", "resourcequota", "none")
        code, out = self.ended(process)
        self.assertEqual(code, 0, out)
        self.assert_nothing_is_left()

    def test_a_node_that_is_too_small_is_the_reason_of_the_wait(self):
        process = self.start_tacho("sweep", self.grid(1, needs={"cores": 500}, command=["true"]), *self.options())
        out = self.wait_for_output(process, "runs wait: ")
        self.assertIn("Unschedulable: 0/1 nodes are available", out)
        process.send_signal(signal.SIGINT)
        code, out = self.ended(process)
        self.assertEqual(code, INTERRUPTED, out)
        self.assert_nothing_is_left()

    def test_running_out_of_memory_is_a_result(self):
        # Doubles a variable of the shell until the container's limit.
        eat = "a=x; while :; do a=$a$a; done"
        code, out = self.tacho("sweep", self.grid(1, needs={"memory": "64M"}, command=["/bin/sh", "-c", eat]),
                               *self.options())
        self.assertIn("out of memory", out)
        self.assertEqual(code, 0, out)
        self.assert_nothing_is_left()

    def test_an_old_server_is_refused_for_indexed_jobs(self):
        if Place.minor >= 24:
            self.skipTest(f"Kubernetes 1.{Place.minor} has Indexed Jobs")
        code, out = self.tacho("sweep", self.grid(1, command=["true"]), *self.options(completion_mode="Indexed"))
        self.assertNotEqual(code, 0)
        self.assertIn("the API server's version is 1.20, and Indexed Jobs need 1.24", out)


class Faults(ClusterCase):
    def setUp(self):
        super().setUp()
        wait = f"echo >> {self.home}/began; until [ -e {self.home}/go ]; do sleep 0.1; done"
        self.process = self.start_tacho("sweep", self.grid(3, command=["/bin/sh", "-c", wait]), *self.options())
        self.began = self.home / "began"
        wait_until("two running tasks", lambda: self.begun() == 2)

    def begun(self):
        return self.began.read_text().count("\n") if self.began.exists() else 0

    def let_them_end(self):
        (self.home / "go").touch()
        code, out = self.ended(self.process)
        self.assertEqual(code, 0, out)
        self.assert_nothing_is_left()

    def test_the_api_server_is_killed_and_comes_back(self):
        self.cluster.kill("apiserver")
        (self.home / "go").touch()
        self.assertIsNone(self.process.poll())
        self.cluster.restart("apiserver")
        self.let_them_end()
        self.assertEqual(self.begun(), 3)

    def test_the_api_server_is_away_when_the_sweep_ends(self):
        (self.home / "go").touch()
        wait_until("the third task", lambda: self.begun() == 3)
        self.cluster.kill("apiserver")
        wait_until("three ends", lambda: len(list(self.home.glob("sweeps/*/batches/*/ended/*.json"))) == 3)
        self.cluster.restart("apiserver")
        self.let_them_end()

    def test_the_node_agent_is_killed_and_comes_back(self):
        self.cluster.kill("kubelet")
        wait_until("the node's failure", lambda: not self.cluster.node_is_ready())
        self.assertIsNone(self.process.poll())
        self.cluster.restart("kubelet")
        wait_until("the node", self.cluster.node_is_ready)
        self.let_them_end()
        self.assertEqual(self.begun(), 3)  # the tasks ran meanwhile

    def test_deleted_pods_are_replaced(self):
        pods = [pod["metadata"]["name"] for pod in self.objects("pods")]
        self.cluster.must("-n", self.namespace, "delete", "pods", "--grace-period=1", "--wait=false", *pods)
        wait_until("tasks in new pods", lambda: self.begun() >= 4)
        self.let_them_end()
        # The second of the deleted pods may have ended its task meanwhile.
        self.assertIn(self.begun(), (4, 5))

    def test_the_controllers_and_the_scheduler_are_killed_and_come_back(self):
        for name in ("controllers", "scheduler"):
            self.cluster.kill(name)
        (self.home / "go").touch()
        for name in ("controllers", "scheduler"):
            self.cluster.restart(name)
        self.let_them_end()
        self.assertEqual(self.begun(), 3)


if __name__ == "__main__":
    unittest.main()
