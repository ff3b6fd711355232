"""The folder where the commands of the manual run, with the files they use and servers they need."""

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import urllib.request
from pathlib import Path

from doc_commands import ROOT, simple_commands
from tacho_case import TACHO, end_all, wait_until
from toy_data import write_image_folder, write_sentences

PATIENCE_SECONDS = 300  # enough on a busy machine
PORTS = {"8500": "infer", "8000": "serve"}
TOKEN = "a-token-for-the-manual"
GRID = """base: {model: mlp, data: fashion-mnist, train-samples: 320, eval-samples: 64, threads: 1}
matrix: {batch: [32, 64], lr: [0.01, 0.02]}
"""
JOBS = """model,family,framework,precision,layout,gpu,num_gpus,num_nodes,batch_per_gpu,gmacs,macts_M,\
params_M,input_shape,data_kind
resnet50,,,amp,,A100-SXM4-40GB,1,1,64,,,,,
"""
MY_GPU = "{name: Mine, multiprocessors: 60, fp32_tflops: 30, memory_gb: 24, memory_gb_per_s: 600}\n"


def python_of(page):
    """The Python program that a page shows."""
    return re.search(r"(?s)```python\n(.*?)```", page.read_text())[1]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Workspace:
    """A folder with the files of the pages, a TACHO_HOME, and the started servers."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tacho-docs-"))
        self.home = self.folder / "home"
        self.ports = {port: str(free_port()) for port in PORTS}
        self.servers = {}
        binaries = Path(TACHO).parent
        (self.folder / "build").mkdir()
        (self.folder / "build" / "bin").symlink_to(binaries)
        for name in ("examples", "deploy", "docs", "data"):
            (self.folder / name).symlink_to(ROOT / name)
        self.environment = {**os.environ, "TACHO_HOME": str(self.home), "TACHO_TOKEN": TOKEN,
                            "TACHO_INCLUDE_DISTURBED": "1",
                            "PATH": f"{binaries}:{os.environ['PATH']}"}
        self.lay_out_files()

    def lay_out_files(self):
        write_image_folder(write_sentences(self.folder / "DIR"))
        (self.folder / "train.py").write_text(python_of(ROOT / "docs" / "train.md"))
        for name in ("a.py", "b.py"):
            (self.folder / name).write_text("print(sum(range(200000)))\n")
        (self.folder / "reviews.txt").write_text("a gorgeous film\ntoo long and too dull\n")
        (self.folder / "dev.txt").symlink_to("reviews.txt")
        (self.folder / "friday.csv").write_text("0.1\n0.2\n0.4\n0.9\n")
        (self.folder / "losses.csv").write_text("step,loss\n1,2.5\n2,1.25\n3,0.5\n")
        (self.folder / "jobs.csv").write_text(JOBS)
        (self.folder / "grid.yaml").write_text(GRID)
        (self.folder / "my-gpu.yaml").write_text(MY_GPU)

    def fill_home(self):
        """Creates four trainings, and runs up to number 50 in three sweeps."""
        self.must("tacho data prepare sst2 --from DIR")
        for batch in (32, 32, 64, 64):
            self.must(f"tacho train lenet5 --data fashion-mnist -b {batch} --train-samples 320 "
                      "--eval-samples 64 --seed 1 --ops")
        (self.folder / "many.yaml").write_text("base: {command: ['true']}\nrepeat: 42\n")
        for grid in ("grid.yaml", "many.yaml", "grid.yaml"):
            self.must(f"tacho sweep {grid}")

    def shell(self, text, seconds=PATIENCE_SECONDS):
        for port, taken in self.ports.items():
            text = text.replace(f":{port}", f":{taken}")
        # A background process of the command would keep the pipes open.
        return subprocess.run(["bash", "-o", "pipefail", "-c", text], cwd=self.folder,
                              env=self.environment, stdin=subprocess.DEVNULL, timeout=seconds,
                              capture_output=True, text=True)

    def must(self, text):
        done = self.shell(text)
        assert done.returncode == 0, f"{text}: {done.stdout[-400:]}{done.stderr}"

    def serve(self, text, port):
        """Starts a server and waits until it responds."""
        self.end_server(port)
        words = [*simple_commands(text)[0], "--port", self.ports[port]]
        if words[0] == "tacho":
            words[0] = TACHO
        log = open(self.folder / f"{PORTS[port]}.log", "w+")
        process = subprocess.Popen(words, cwd=self.folder, env=self.environment, stdout=log,
                                   stderr=subprocess.STDOUT)
        self.servers[port] = (process, log)
        where = f"http://127.0.0.1:{self.ports[port]}/" + ("ready" if port == "8500" else "metrics")
        wait_until(lambda: process.poll() is not None or answers(where), f"answer of {text}",
                   PATIENCE_SECONDS)
        log.seek(0)
        assert process.poll() is None, log.read()
        return log.read()

    def end_server(self, port):
        if port in self.servers:
            process, log = self.servers.pop(port)
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE_SECONDS)
            log.close()

    def end_servers(self):
        for port in list(self.servers):
            self.end_server(port)

    def close(self):
        self.end_servers()
        end_all(self.home)
        shutil.rmtree(self.folder, ignore_errors=True)


def answers(address):
    asked = urllib.request.Request(address, headers={"Authorization": f"Bearer {TOKEN}"})
    try:
        with urllib.request.urlopen(asked, timeout=1) as answer:
            return answer.status == 200
    except OSError:
        return False
