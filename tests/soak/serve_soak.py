#!/usr/bin/env python3
"""Long test of `tacho serve` with many requests: uncached lists, runs and live views, invalid requests,
connections that open and close, and a store that changes. Memory and open files must not grow after the
first fifth.
  tests/soak/serve_soak.py [--requests 1000000] [--clients 4]"""

import argparse
import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TACHO = os.environ.get("TACHO") or ROOT / "build" / "bin" / "tacho"
SAMPLES = 25  # of memory and open files
MOST_GROWTH_KIB = 24 << 10
MOST_NEW_FILES = 20


class Server:
    def __init__(self, home):
        self.environment = {**os.environ, "TACHO_HOME": home}
        self.environment.pop("TACHO_TOKEN", None)
        self.process = subprocess.Popen([TACHO, "serve", "--port", "0"], env=self.environment, text=True,
                                        stdout=subprocess.PIPE)
        line = self.process.stdout.readline()
        port, token = re.search(r":(\d+)/\?token=(\S+)", line).groups()
        self.port = int(port)
        self.headers = {"Authorization": f"Bearer {token}"}

    def tacho(self, *words):
        subprocess.run([TACHO, *words], env=self.environment, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def resident_kib(self):
        return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{self.process.pid}/status").read_text())[1])

    def open_files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


def question(rng):
    """Method, path and body of a random request."""
    run = rng.randrange(1, 9)  # some do not exist
    return rng.choice((
        lambda: ("GET", f"/api/v1/runs?limit={rng.randrange(1, 50)}&offset={rng.randrange(20)}", None),
        lambda: ("GET", f"/api/v1/runs?word={rng.randrange(10**9)}", None),
        lambda: ("GET", f"/api/v1/runs?word={'x' * rng.randrange(12_000)}", None),
        lambda: ("GET", f"/api/v1/runs?where=wall_s<{rng.random()}&sort=wall_s", None),
        lambda: ("GET", "/api/v1/groups?by=model", None),
        lambda: ("GET", f"/api/v1/runs/{run}", None),
        lambda: ("GET", f"/api/v1/runs/{run}/steps?points={rng.randrange(1, 500)}", None),
        lambda: ("GET", f"/api/v1/runs/{run}/report", None),
        lambda: ("GET", f"/api/v1/runs/{run}/log", None),
        lambda: ("GET", "/api/v1/export/runs", None),
        lambda: ("GET", f"/api/v1/nowhere/{rng.randrange(10**9)}", None),
        lambda: ("GET", "/", None),
        lambda: ("GET", "/metrics", None),
        lambda: ("POST", f"/api/v1/runs/{run}/cancel", "{}"),
        lambda: ("POST", "/api/v1/jobs", json.dumps({"surprise": "x" * rng.randrange(100_000)})),
        lambda: ("POST", "/api/v1/predict", "{" * rng.randrange(50)),
    ))()


class Client(threading.Thread):
    """Sends requests until all are sent; every hundredth opens and closes a live view."""

    def __init__(self, server, work, seed):
        super().__init__(daemon=True)
        self.server, self.work, self.rng = server, work, random.Random(seed)
        self.failures = []

    def run(self):
        connection = None
        while self.work.take():
            connection = connection or http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=120)
            try:
                if self.rng.random() < 0.01:
                    connection = self.watch(connection)
                    continue
                method, path, body = question(self.rng)
                kind = {"Content-Type": "application/json"} if body is not None else {}
                token = self.server.headers if self.rng.random() < 0.95 else {}
                connection.request(method, path, body, {**kind, **token})
                response = connection.getresponse()
                response.read()
                if response.status >= 500 and response.status != 503:
                    self.failures.append(f"{method} {path[:80]}: {response.status}")
                if self.rng.random() < 0.05:
                    connection.close()
                    connection = None
            except (OSError, http.client.HTTPException) as failure:
                # The server does not read a rejected body and may close the connection while it is sent.
                if not isinstance(failure, (BrokenPipeError, ConnectionResetError, http.client.RemoteDisconnected)):
                    self.failures.append(repr(failure))
                connection = None

    def watch(self, connection):
        connection.request("GET", "/api/v1/runs/1/live", headers=self.server.headers)
        connection.getresponse().read(10)
        connection.close()


class Work:
    def __init__(self, requests):
        self.lock = threading.Lock()
        self.left = requests

    def take(self):
        with self.lock:
            self.left -= 1
            return self.left >= 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--clients", type=int, default=4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tacho-soak-") as home:
        server = Server(home)
        for _ in range(5):
            server.tacho("run", "--", "sh", "-c", "for i in 1 2 3; do echo step $i loss: 0.$i; done")
        work = Work(options.requests)
        clients = [Client(server, work, seed) for seed in range(options.clients)]
        began = time.monotonic()
        for client in clients:
            client.start()
        samples = []
        for i in range(1, SAMPLES + 1):
            while work.left > options.requests * (1 - i / SAMPLES) and any(c.is_alive() for c in clients):
                time.sleep(0.05)
            server.tacho("run", "--", "true")  # changes the store, so that cached answers are outdated
            samples.append((server.resident_kib(), server.open_files()))
            print(f"{options.requests - max(0, work.left):>9,} requests: {samples[-1][0] / 1024:.1f} MiB, "
                  f"{samples[-1][1]} files", flush=True)
        for client in clients:
            client.join()
        took = time.monotonic() - began
        failures = [failure for client in clients for failure in client.failures]
        code = server.end()
    early = max(resident for resident, _ in samples[SAMPLES // 5 - 1:SAMPLES // 5 + 2])
    late = max(resident for resident, _ in samples[-3:])
    files = samples[-1][1] - samples[SAMPLES // 5][1]
    print(f"{options.requests:,} requests in {took:.0f} s, {options.requests / took:.0f} per second; after a fifth "
          f"{early / 1024:.1f} MiB, at the end {late / 1024:.1f} MiB; {len(failures)} failures, exit code {code}")
    wrong = [*failures[:5]]
    if late - early > MOST_GROWTH_KIB:
        wrong.append(f"memory grew by {(late - early) / 1024:.1f} MiB")
    if files > MOST_NEW_FILES:
        wrong.append(f"{files} more files are open")
    if code != 0:
        wrong.append(f"exit code {code}")
    sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main()
