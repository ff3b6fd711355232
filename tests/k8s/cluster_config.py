"""Certificates, tokens, configuration files and command lines of the test cluster's programs."""

import json
import os
import secrets
import subprocess
import sys
from pathlib import Path

NODE = "tacho-node"
NODE_ADDRESS = "10.214.0.1"
PODS, SERVICES = "10.215.0.0/24", "10.216.0.0/24"
FIRST_SERVICE = "10.216.0.1"  # the API server's
SERVER = f"https://{NODE_ADDRESS}:6443"
PAUSE_IMAGE = "localhost/pause:1"

# Users of the API server with their groups.
USERS = {
    "admin": "system:masters",
    "system:kube-controller-manager": "",
    "system:kube-scheduler": "",
    "system:kube-proxy": "",
    f"system:node:{NODE}": "system:nodes",
}
CONFIG_FILES = {"admin": "admin.conf", "system:kube-controller-manager": "controllers.conf",
                "system:kube-scheduler": "scheduler.conf", "system:kube-proxy": "proxy.conf",
                f"system:node:{NODE}": "kubelet.conf"}

CONTAINERD = """\
version = 2
root = "{folder}/containerd"
state = "{folder}/system/containerd"
disabled_plugins = ["io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.devmapper"]
[grpc]
address = "{folder}/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "{pause}"
# Without CAP_SYS_RESOURCE no process may be protected from the out-of-memory killer.
restrict_oom_score_adj = true
tolerate_missing_hugetlb_controller = true
disable_hugetlb_controller = true
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
BinaryName = "{programs}/bin/runc"
SystemdCgroup = false
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "{programs}/cni"
conf_dir = "{folder}/cni"
"""


class Configuration:
    def __init__(self, programs, folder, cgroup):
        self.programs, self.folder, self.cgroup = programs, folder, cgroup

    def write(self):
        self._certificates()
        tokens = {user: secrets.token_hex(16) for user in USERS}
        lines = [f'{token},{user},{i},"{USERS[user]}"' for i, (user, token) in enumerate(tokens.items())]
        self._write("tokens.csv", "\n".join(lines) + "\n")
        for user, token in tokens.items():
            self._write(CONFIG_FILES[user], json.dumps(self._client(user, token)))
        self._write("containerd.toml", CONTAINERD.format(folder=self.folder, programs=self.programs,
                                                         pause=PAUSE_IMAGE))
        self._write("kubelet.json", json.dumps(self._kubelet()))
        # Routed and not bridged, so that answers of services pass the node's address translation.
        (self.folder / "cni").mkdir()
        self._write("cni/10-pods.conflist", json.dumps({
            "cniVersion": "0.4.0", "name": "pods", "plugins": [
                {"type": "ptp", "ipam": {"type": "host-local", "ranges": [[{"subnet": PODS}]],
                                         "routes": [{"dst": "0.0.0.0/0"}],
                                         "dataDir": f"{self.folder}/system/cni"}},
                {"type": "portmap", "capabilities": {"portMappings": True}}]}))

    def command(self, name):
        return getattr(self, f"_run_{name}")()

    def _run_etcd(self):
        return [self._program("etcd"), f"--data-dir={self.folder}/etcd", "--listen-peer-urls=http://127.0.0.1:2380",
                "--listen-client-urls=http://127.0.0.1:2379", "--advertise-client-urls=http://127.0.0.1:2379",
                "--initial-advertise-peer-urls=http://127.0.0.1:2380",
                "--initial-cluster=default=http://127.0.0.1:2380", "--unsafe-no-fsync"]

    def _run_containerd(self):
        return [self._program("containerd"), "--config", f"{self.folder}/containerd.toml"]

    def _run_apiserver(self):
        return [self._program("kube-apiserver"), "--etcd-servers=http://127.0.0.1:2379",
                f"--advertise-address={NODE_ADDRESS}", "--secure-port=6443", f"--service-cluster-ip-range={SERVICES}",
                f"--token-auth-file={self.folder}/tokens.csv", "--authorization-mode=Node,RBAC",
                f"--client-ca-file={self.folder}/ca.crt", f"--tls-cert-file={self.folder}/server.crt",
                f"--tls-private-key-file={self.folder}/server.key",
                f"--kubelet-client-certificate={self.folder}/client.crt",
                f"--kubelet-client-key={self.folder}/client.key",
                "--kubelet-preferred-address-types=InternalIP",
                "--service-account-issuer=https://kubernetes.default.svc",
                f"--service-account-key-file={self.folder}/accounts.pub",
                f"--service-account-signing-key-file={self.folder}/accounts.key",
                "--enable-admission-plugins=NodeRestriction", "--allow-privileged=true", "--profiling=false"]

    def _run_controllers(self):
        # A node without a sign of life for 20 s has failed; by default 40 s.
        return [self._program("kube-controller-manager"), f"--kubeconfig={self.folder}/controllers.conf",
                f"--service-account-private-key-file={self.folder}/accounts.key",
                f"--root-ca-file={self.folder}/ca.crt", "--use-service-account-credentials=true",
                "--leader-elect=false", "--node-monitor-grace-period=20s"]

    def _run_scheduler(self):
        return [self._program("kube-scheduler"), f"--kubeconfig={self.folder}/scheduler.conf",
                "--leader-elect=false"]

    def _run_kubelet(self):
        old = ["--container-runtime=remote"] if self._is_before_1_24() else []
        return [self._program("kubelet"), f"--config={self.folder}/kubelet.json",
                f"--kubeconfig={self.folder}/kubelet.conf", f"--hostname-override={NODE}",
                f"--node-ip={NODE_ADDRESS}", f"--root-dir={self.folder}/kubelet", *old,
                f"--container-runtime-endpoint=unix://{self.folder}/containerd.sock"]

    def _run_proxy(self):
        # Limits of connection tracking belong to the machine.
        return [self._program("kube-proxy"), f"--kubeconfig={self.folder}/proxy.conf",
                f"--hostname-override={NODE}", "--proxy-mode=iptables", f"--cluster-cidr={PODS}",
                "--conntrack-max-per-core=0", "--conntrack-tcp-timeout-established=0",
                "--conntrack-tcp-timeout-close-wait=0", "--oom-score-adj=0"]

    def _run_names(self):
        return [sys.executable, "-B", Path(__file__).with_name("name_server.py"), NODE_ADDRESS]

    def _is_before_1_24(self):
        said = subprocess.run([self._program("kubelet"), "--version"], check=True, stdout=subprocess.PIPE,
                              text=True).stdout  # Kubernetes v1.20.2
        return int(said.split(".")[1]) < 24

    def _kubelet(self):
        self._write("resolv.conf", "")
        return {
            "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
            "authentication": {"anonymous": {"enabled": False}, "webhook": {"enabled": True},
                               "x509": {"clientCAFile": f"{self.folder}/ca.crt"}},
            "authorization": {"mode": "Webhook"},
            "cgroupDriver": "cgroupfs", "cgroupRoot": f"/{self.cgroup}",
            "clusterDNS": [NODE_ADDRESS], "clusterDomain": "cluster.local",
            "resolvConf": f"{self.folder}/resolv.conf",
            "failSwapOn": False, "oomScoreAdj": 0,
            "evictionHard": {"memory.available": "100Mi", "nodefs.available": "1%", "nodefs.inodesFree": "1%",
                             "imagefs.available": "1%"},
            "imageGCHighThresholdPercent": 100, "imageGCLowThresholdPercent": 99,
            "nodeStatusUpdateFrequency": "5s", "syncFrequency": "10s",
        }

    def _client(self, user, token):
        return {"apiVersion": "v1", "kind": "Config", "current-context": "test",
                "clusters": [{"name": "test", "cluster": {"server": SERVER,
                                                          "certificate-authority": f"{self.folder}/ca.crt"}}],
                "users": [{"name": user, "user": {"token": token}}],
                "contexts": [{"name": "test", "context": {"cluster": "test", "user": user}}]}

    def _certificates(self):
        names = ["DNS:kubernetes", "DNS:kubernetes.default", "DNS:kubernetes.default.svc", "DNS:localhost",
                 f"IP:{NODE_ADDRESS}", f"IP:{FIRST_SERVICE}", "IP:127.0.0.1"]
        self._openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test-ca",
                      "-keyout", "ca.key", "-out", "ca.crt")
        for file, subject, extension in (
                ("server", "/CN=kube-apiserver", f"subjectAltName={','.join(names)}"),
                ("client", "/O=system:masters/CN=kube-apiserver", "extendedKeyUsage=clientAuth")):
            self._openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", subject, "-keyout", f"{file}.key",
                          "-out", f"{file}.csr")
            self._write(f"{file}.ext", extension + "\n")
            self._openssl("x509", "-req", "-in", f"{file}.csr", "-CA", "ca.crt", "-CAkey", "ca.key",
                          "-CAcreateserial", "-days", "2", "-extfile", f"{file}.ext", "-out", f"{file}.crt")
        self._openssl("genrsa", "-out", "accounts.key", "2048")
        self._openssl("rsa", "-in", "accounts.key", "-pubout", "-out", "accounts.pub")

    def _openssl(self, *words):
        subprocess.run(["openssl", *words], check=True, cwd=self.folder, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def _program(self, name):
        return self.programs / "bin" / name

    def _write(self, name, text):
        file = os.open(self.folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(file, "w") as out:
            out.write(text)
