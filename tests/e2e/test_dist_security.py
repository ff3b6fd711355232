"""Attacks on the port of a run on two machines: they change nothing and learn nothing.

TACHO_TEST_ATTACKS is the number of attacked runs."""

import json
import os
import re
import socket
import subprocess
import threading
import unittest
from pathlib import Path

from dist_case import SECRET, DistCase
from tacho_case import end_all, processes_of, wait_until

ATTACKS = int(os.environ.get("TACHO_TEST_ATTACKS", 4))
SILENT = 200  # idle connections that stay open


def greeting(rank, size):
    """The first message of a rank, with another batch than the run's."""
    member = {"rank": rank, "node": rank, "host": "elsewhere", "machine": "m", "address": "1.2.3.4",
              "pid": 1}
    return [{"kind": "hello", "tacho": version, "member": member, "size": size,
             "terms": ["batch 77"]} for version in (1, 2, 99)]


def lines():
    proof = {"kind": "proof", "nonce": "0" * 64, "mac": "0" * 64}
    messages = [*greeting(1, 2), *greeting(1, 3), *greeting(7, 2), proof, {"kind": "bye", "why": "x"}]
    return [b"GET / HTTP/1.1\r\n\r\n", b"\0\xff\n", b"[" * 4000 + b"\n",
            *(json.dumps(message).encode() + b"\n" for message in messages)]


def listens(port):
    mark = f":{port:04X} 00000000:0000 0A"
    return mark in Path("/proc/net/tcp").read_text()


class Attacker:
    """Connects to a port until end() and keeps the responses."""

    def __init__(self, port):
        self.address = ("127.0.0.1", port)
        self.answers = []
        self.connections = 0
        self._open = []
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._attack)
        self._thread.start()

    def _attack(self):
        # Waits, since connecting to a port without a listener may occupy that port.
        while not self._end.is_set() and not listens(self.address[1]):
            self._end.wait(0.002)
        while not self._end.is_set():
            try:
                self._hold_silent_ones()
                for line in lines():
                    self._say(line)
            except OSError:
                pass  # rank 0 no longer listens
            self._end.wait(0.05)  # leaves CPU time for the ranks

    def _hold_silent_ones(self):
        while len(self._open) < SILENT and not self._end.is_set():
            self._open.append(socket.create_connection(self.address, 10))
            self.connections += 1
        while len(self._open) > SILENT // 2:
            self._open.pop(0).close()

    def _say(self, line):
        with socket.create_connection(self.address, 10) as connection:
            self.connections += 1
            try:
                connection.sendall(line)
                while part := connection.recv(4096):
                    self.answers.append(part)
            except ConnectionError:
                pass  # closed before everything was read

    def wait_for_flood(self):
        wait_until(lambda: self.connections > SILENT, "flood")

    def end(self):
        self._end.set()
        self._thread.join()
        for connection in self._open:
            connection.close()


class UnauthenticatedConnections(DistCase):
    RUN = ("-b", 4, "--nnodes", 2, "--steps", 60, "--timeout", 60)

    def other_home(self):
        home = self.new_folder()
        self.addCleanup(end_all, home)
        return {"TACHO_HOME": str(home)}

    def pair(self, port, before_the_other=lambda: None):
        """Returns the record of machine 0."""
        words = (*self.RUN, "--rendezvous", f"127.0.0.1:{port}")
        before = self.folders()
        first = self.start(*self.order(*words, "--node-rank", 0), env=SECRET)
        self.new_run_folder(before)
        before_the_other()
        other = self.start(*self.order(*words, "--node-rank", 1),
                           env={**self.other_home(), **SECRET})
        said, others = first.ended(), other.ended()
        self.assertEqual((said.code, others.code), (0, 0), said.err + others.err)
        return said.json

    def test_without_the_secret_change_nothing_and_learn_nothing(self):
        calm = self.pair(self.free_port())
        self.assertEqual(calm["ranks"]["backend"], "gloo")
        connections = 0
        for _ in range(ATTACKS):
            port = self.free_port()
            attacker = Attacker(port)
            try:
                record = self.pair(port, attacker.wait_for_flood)
            finally:
                attacker.end()
            self.assertEqual(record["outcome"], "ok")
            self.assertEqual(record["steps"]["loss"], calm["steps"]["loss"])
            self.assertGreater(attacker.connections, SILENT)
            connections += attacker.connections
            answered = b"".join(attacker.answers)
            rest = re.sub(rb'{"kind":"challenge","nonce":"[0-9a-f]{64}"}\n?', b"", answered)
            self.assertEqual(rest, b"")
        print(f"{ATTACKS} of {ATTACKS} runs as undisturbed, beside {connections} connections")

    def test_the_command_printed_by_machine_0_starts_the_other(self):
        port = self.free_port()
        before = self.folders()
        first = self.start(*self.order(*self.RUN, "--rendezvous", f"127.0.0.1:{port}",
                                       "--node-rank", 0))
        shown = wait_until(lambda: re.search(r"^TACHO_JOB_SECRET=(\w+) .*\n", first.err_so_far(),
                                             re.MULTILINE), "command for the other machine")
        secret, command = shown.group(1).encode(), shown.group(0)
        self.assertIn("--node-rank 1", command)
        folder = self.new_run_folder(before)
        words = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in processes_of(self.home)]
        self.assertEqual([word for word in words if secret in word], [])
        other = subprocess.run(["sh", "-c", command], env=self.environment(self.other_home()),
                               capture_output=True, text=True, timeout=60)
        said = first.ended()
        self.assertEqual((said.code, other.returncode), (0, 0), said.err + other.stderr)
        kept = [file for file in (*folder.rglob("*"), self.home / "tacho.db")
                if file.is_file() and secret in file.read_bytes()]
        self.assertEqual(kept, [])
        self.assertNotIn(secret, said.out.encode())

    def test_a_machine_without_the_secret_is_told_what_to_do(self):
        words = self.order(*self.RUN, "--rendezvous", "127.0.0.1:29500", "--node-rank", 1)
        said = self.tacho(*words, expect=2)
        self.assert_one_error_line(said, "TACHO_JOB_SECRET", "--job-secret-file")
        said = self.tacho(*words, expect=2, env={"TACHO_JOB_SECRET": "short"})
        self.assert_one_error_line(said, "TACHO_JOB_SECRET", "openssl rand -hex 32")
        said = self.tacho(*words, "--job-secret-file", "/nonexistent", expect=2)
        self.assert_one_error_line(said, "--job-secret-file")

    def test_different_secrets_are_reported(self):
        words = ("-b", 4, "--nnodes", 2, "--timeout", 3, "--rendezvous",
                 f"127.0.0.1:{self.free_port()}")
        file = self.home / "secret"
        file.write_text("one secret of a job\n".replace(" ", "-"))
        other = self.start(*self.order(*words, "--node-rank", 1, "--job-secret-file", file))
        record = self.tacho(*self.order(*words, "--node-rank", 0), env=SECRET, expect=1).json
        self.assertIn("rank 1 of 2 did not connect within 3 s", record["reason"])
        self.assertEqual(other.ended().code, 1)


if __name__ == "__main__":
    unittest.main()
