"""A Slurm cluster of two nodes on this machine, in a temporary folder.

This process adopts all orphans of the cluster, so that stop() finds every process. The cluster is
stopped when the interpreter exits, also after Ctrl-C or SIGTERM.
"""

import atexit
import ctypes
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from tacho_case import TACHO, Said, wait_until

# Node names are addresses, so that ranks find the first node as in a cluster with a name service.
NODES = ("127.0.0.1", "127.0.0.2")
CPUS_A_NODE = 4  # tasks per node; they share the cores of the machine
PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "scancel", "squeue", "scontrol")
CLIENT_SECONDS = 60
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36

CONFIGURATION = """\
ClusterName=tacho
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1,bf_interval=1
JobAcctGatherType=jobacct_gather/linux
JobCompType=jobcomp/none
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides
FirstJobId={first_job}
NodeName={nodes[0]} NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs={cpus}
NodeName={nodes[1]} NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs={cpus}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def why_not():
    """The reason why no cluster can run here; "" if it can."""
    if os.geteuid() != 0:
        return "Slurm's daemons start tasks for others, which takes root"
    missing = [program for program in PROGRAMS if not shutil.which(program, path=search_path())]
    if missing:
        return f"{', '.join(missing)} not found; run script/bootstrap"
    return ""


def search_path():
    """A PATH with tacho and with the folders of Slurm's daemons."""
    return f"{os.path.dirname(TACHO)}:{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"


class SlurmCluster:
    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tacho-slurm-"))
        self._daemons = []
        self._log = (self.folder / "daemons.log").open("w+")
        self.environment = {"SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": search_path()}

    @classmethod
    def start(cls):
        libc().prctl(PR_SET_CHILD_SUBREAPER, 1)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.default_int_handler)
        cluster = cls()
        atexit.register(cluster.stop)
        cluster._start_munge()
        for _ in range(3):  # another process may take the chosen port
            cluster._configure()
            if cluster._come_up():
                return cluster
            end_processes(cluster._daemons[1:])
            del cluster._daemons[1:]
        raise AssertionError(f"Slurm does not start:\n{cluster.log()}")

    def stop(self):
        end_processes(self._daemons)
        end_descendants()
        self._log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    # Daemons that kill() and restart() accept: the controller, and each node's daemon by node name.
    CONTROLLER = "slurmctld"

    def kill(self, daemon):
        end_processes([self._daemons[self._place_of(daemon)]])

    def restart(self, daemon):
        """Starts a daemon again with its saved state. Tasks kept running: they are not its children."""
        place = self._place_of(daemon)
        command = ["slurmctld", "-D"] if daemon == self.CONTROLLER else ["slurmd", "-D", "-N", daemon]
        self._daemons[place] = self._started(*command)

    def saved_at(self):
        """Time of the controller's last saved job state; 0 if there is none."""
        state = self.folder / "state" / "job_state"
        return state.stat().st_mtime_ns if state.exists() else 0

    def _place_of(self, daemon):
        return (None, self.CONTROLLER, *NODES).index(daemon)

    def log(self):
        self._log.flush()
        return Path(self._log.name).read_text(errors="replace")[-4000:]

    def client(self, *command, env=None, cwd=None):
        """Starts srun, squeue, …."""
        limited = ["timeout", "--kill-after=5", str(CLIENT_SECONDS), *map(str, command)]
        return subprocess.Popen(limited, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, cwd=cwd or self.folder,
                                env=self.within(env or os.environ))

    def ask(self, *command, env=None, cwd=None):
        return ended(self.client(*command, env=env, cwd=cwd))

    def running_job(self):
        return self.ask("squeue", "--noheader", "--states=RUNNING", "--format=%i").out.strip()

    def wait_for(self, job):
        """Waits until its nodes are free. `sbatch --wait` polls only every ten seconds."""
        deadline = time.monotonic() + CLIENT_SECONDS
        while self.ask("squeue", "--noheader", "--jobs", job).out.strip():
            if time.monotonic() > deadline:
                raise AssertionError(f"job {job} does not end:\n{self.log()}")
            time.sleep(0.1)

    def state_of(self, job):
        words = self.ask("scontrol", "--oneliner", "show", "job", job).out.split()
        return next(word for word in words if word.startswith("JobState=")).partition("=")[2]

    def within(self, env):
        """Removes variables of another cluster, in whose job these tests may run."""
        outside = {name: value for name, value in env.items() if not name.startswith("SLURM_")}
        return {**outside, **self.environment}

    def _start_munge(self):
        key = self.folder / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(128))
        # munged requires folders that others cannot write, unlike /tmp.
        self._daemon("munged", "--foreground", "--force", "--num-threads=2", f"--key-file={key}",
                     *(f"--{what}={self.folder}/munge.{what.partition('-')[0]}"
                       for what in ("socket", "pid-file", "log-file", "seed-file")))
        wait_until((self.folder / "munge.socket").exists, "munged", seconds=10)

    def _configure(self):
        (self.folder / "state").mkdir(exist_ok=True)
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=socket.gethostname().partition(".")[0], folder=self.folder, nodes=NODES,
            cpus=CPUS_A_NODE, ports=free_ports(3),
            first_job=random.randrange(1, 60000)))  # the port of ranks depends on it

    def _come_up(self):
        self._daemon("slurmctld", "-D", "-c")
        for node in NODES:
            self._daemon("slurmd", "-D", "-N", node)
        deadline = time.monotonic() + 15
        while time.monotonic() < deadline:
            if any(daemon.poll() is not None for daemon in self._daemons):
                return False
            if self.ask("sinfo", "--noheader", "--format=%t %D").out.split() == ["idle", "2"]:
                return True
            time.sleep(0.1)
        return False

    def _daemon(self, *command):
        self._daemons.append(self._started(*command))

    def _started(self, *command):
        die_with_us = lambda: libc().prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log,
            start_new_session=True, preexec_fn=die_with_us, env=self.within(os.environ))


def ended(process):
    """Result of a client, which `timeout` ends."""
    out, err = process.communicate()
    return Said(process.returncode, out, err)


def libc():
    return ctypes.CDLL(None, use_errno=True)


def free_ports(count):
    """Ports below the range for outgoing connections and outside Tacho's range."""
    with_sockets = {}
    while len(with_sockets) < count:
        port = random.randrange(8192, 16384)
        probe = socket.socket()
        try:
            probe.bind(("", port))
            with_sockets[port] = probe
        except OSError:
            probe.close()
    for probe in with_sockets.values():
        probe.close()
    return list(with_sockets)


def end_processes(processes):
    for process in processes:
        process.kill()
        process.wait()


def children():
    found = []
    for thread in Path("/proc/self/task").iterdir():
        found += [int(pid) for pid in (thread / "children").read_text().split()]
    return found


def end_descendants():
    """Kills repeatedly, since orphans become children of this process."""
    while pids := children():
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            except (ProcessLookupError, ChildProcessError):
                pass  # already reaped
