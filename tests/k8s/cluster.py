"""A Kubernetes cluster of one node on this machine, in a temporary folder.

etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kubelet, kube-proxy and containerd run as
children of this process, which must be alone in its network, mount and process namespaces
(script/test-kubernetes): addresses, firewall rules, mounts and containers vanish with them. There is no
network outside, no registry, and nothing that enforces NetworkPolicies.
"""

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

from cluster_config import NODE, NODE_ADDRESS, Configuration

CLIENT_SECONDS = 60

class Cluster:
    """Programs by name: etcd, apiserver, controllers, scheduler, containerd, kubelet, proxy, names."""

    def __init__(self, programs, folder, cgroup):
        self.programs, self.folder = Path(programs).resolve(), Path(folder).resolve()
        self._running, self._killed = {}, set()
        self.configuration = Configuration(self.programs, self.folder, cgroup)
        self.environment = {**os.environ, "KUBECONFIG": str(self.folder / "admin.conf"),
                            "PATH": f"{self.programs}/bin:{os.environ.get('PATH', os.defpath)}"}

    def start(self):
        began = time.monotonic()
        prepare_namespaces(self.folder)
        self.configuration.write()
        for name in ("etcd", "containerd", "apiserver"):
            self.restart(name)
        self.wait_for("the API server", lambda: self.kubectl("get", "--raw", "/readyz").returncode == 0)
        for name in ("controllers", "scheduler", "kubelet", "proxy", "names"):
            self.restart(name)
        self.wait_for("the node", self.node_is_ready)
        self.wait_for("the service account", lambda: self.kubectl(
            "get", "serviceaccount", "default").returncode == 0)
        return time.monotonic() - began

    def stop(self):
        """Ends the programs; containers end with the process namespace."""
        for process in reversed(self._running.values()):
            process.kill()
        for process in self._running.values():
            process.wait()
        self._running.clear()

    def kill(self, name):
        self._killed.add(name)
        process = self._running.pop(name)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def restart(self, name):
        assert name not in self._running
        command = [str(word) for word in self.configuration.command(name)]
        with (self.folder / f"{name}.log").open("a") as log:
            self._running[name] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                                   env=self.environment, cwd=self.folder, start_new_session=True)

    def revive(self):
        """Starts programs again that a test killed, so that its failure is not that of the next ones."""
        for name in [name for name in self._killed if name not in self._running]:
            self.restart(name)
        if self._killed:
            self.wait_for("the API server", lambda: self.kubectl("get", "--raw", "/readyz").returncode == 0)
            self.wait_for("the node", self.node_is_ready)
        self._killed.clear()

    def kubectl(self, *words, text=None, seconds=CLIENT_SECONDS):
        return subprocess.run(["kubectl", *map(str, words)], input=text, capture_output=True, text=True,
                              env=self.environment, timeout=seconds)

    def must(self, *words, **options):
        done = self.kubectl(*words, **options)
        if done.returncode != 0:
            raise AssertionError(f"kubectl {' '.join(map(str, words))}: {done.stderr}{done.stdout}")
        return done.stdout

    def get(self, *words):
        return json.loads(self.must("get", *words, "-o", "json"))

    def apply(self, document):
        return self.must("apply", "-f", "-", text=document if isinstance(document, str) else json.dumps(document))

    def minor_version(self):
        return int(json.loads(self.must("get", "--raw", "/version"))["minor"].rstrip("+"))

    def node_is_ready(self):
        done = self.kubectl("get", "node", NODE, "-o", "json")
        conditions = json.loads(done.stdout)["status"].get("conditions", []) if done.returncode == 0 else []
        return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)

    def import_image(self, archive, *names):
        """Imports an archive of 'podman save'; its image gets these names."""
        said = self._ctr("images", "import", archive)  # unpacking NAME (sha256:…)...done
        own_name = re.search(r"unpacking (\S+)", said)[1]
        for name in names:
            self._ctr("images", "tag", "--force", own_name, name)

    def wait_for(self, what, condition, seconds=120):
        deadline = time.monotonic() + seconds
        while not (answer := condition()):
            ended = [name for name, process in self._running.items() if process.poll() is not None]
            if ended or time.monotonic() > deadline:
                raise AssertionError(f"{what} did not come within {seconds} s; ended: {ended}\n{self.log()}")
            time.sleep(0.1)
        return answer

    def log(self, lines=15):
        parts = []
        for file in sorted(self.folder.glob("*.log")):
            last = file.read_text(errors="replace").splitlines()[-lines:]
            parts.append(f"--- {file.name}\n" + "\n".join(line[:400] for line in last))
        return "\n".join(parts)

    def _ctr(self, *words):
        return subprocess.run(["ctr", "-a", self.folder / "containerd.sock", "-n", "k8s.io", *words], check=True,
                              stdout=subprocess.PIPE, text=True, env=self.environment).stdout


def prepare_namespaces(folder):
    """Gives the node an address, and programs with fixed places their own folders there."""
    assert os.getpid() == 1, "start this with script/test-kubernetes, in its own namespaces"
    for words in (["ip", "link", "set", "lo", "up"],
                  ["ip", "link", "add", "node", "type", "veth", "peer", "name", "cable"],
                  ["ip", "addr", "add", f"{NODE_ADDRESS}/24", "dev", "node"],
                  ["ip", "link", "set", "node", "up"], ["ip", "link", "set", "cable", "up"],
                  ["ip", "route", "add", "default", "dev", "node"]):
        subprocess.run(words, check=True)
    Path("/proc/sys/net/ipv4/ip_forward").write_text("1")
    for place in ("run", "var/log", "var/lib/cni"):
        own = folder / "system" / place
        own.mkdir(parents=True)
        Path("/", place).mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "--bind", own, Path("/", place)], check=True)
