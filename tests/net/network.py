"""A network of namespaces: machines on one bridge, each with a link of a known rate."""

import json
import os
import subprocess
import sys

# Headers of a TCP segment: Ethernet 14, IPv4 20, TCP 20 plus time stamps 12.
HEADER_BYTES = 66
# Burst size of tbf. With less, the timer and not the rate is the limit.
BURST = {100: "64kb", 1000: "256kb"}

# Reads to the end and prints the rate from the first byte to the last.
SINK = """
import socket, sys, time
server = socket.create_server((sys.argv[1], 29400))
print("open", flush=True)
connection, _ = server.accept()
total = len(connection.recv(1 << 20))
begin = time.monotonic()
while part := connection.recv(1 << 20):
    total += len(part)
print(total / (time.monotonic() - begin))
"""
SOURCE = """
import socket, sys
connection = socket.create_connection((sys.argv[1], 29400))
connection.sendall(bytes(int(sys.argv[2])))
"""


class NoNetwork(Exception):
    """Namespaces cannot be created on this machine; the message is the reason."""


class Machine:
    """A namespace with its own address and one link to the others."""

    def __init__(self, name, number):
        self.name = name
        self.address = f"10.231.0.{number + 1}"

    def command(self, *args):
        """The command that runs a program on this machine, without a process in between."""
        return ["ip", "netns", "exec", self.name, *map(str, args)]

    def sent(self):
        """Bytes of TCP payload sent over its link so far."""
        link = json.loads(ip("-n", self.name, "-j", "-s", "link", "show", "line"))[0]
        sent = link["stats64"]["tx"]
        return sent["bytes"] - HEADER_BYTES * sent["packets"]

    def unplug(self):
        ip("-n", self.name, "link", "set", "line", "down")


class Network:
    def __init__(self, machines, mbit):
        self.mbit = mbit
        self._names = []
        mark = f"tacho-{os.getpid()}"
        self._bridge = f"{mark}-bridge"
        try:
            self._add_namespace(self._bridge)
            ip("-n", self._bridge, "link", "add", "bridge", "type", "bridge")
            ip("-n", self._bridge, "link", "set", "bridge", "up")
            self.machines = [self._add_machine(f"{mark}-{n}", n) for n in range(machines)]
        except subprocess.CalledProcessError as error:
            self.close()
            raise NoNetwork(f"{' '.join(error.cmd)}: {error.stderr.strip()}") from None
        except FileNotFoundError as error:
            reason = f"{error.filename} is not installed; run script/bootstrap"
            raise NoNetwork(reason) from None

    def _add_namespace(self, name):
        ip("netns", "add", name)
        self._names.append(name)

    def _add_machine(self, name, number):
        machine = Machine(name, number)
        self._add_namespace(name)
        port = f"port{number}"
        ip("link", "add", "line", "netns", name, "type", "veth", "peer", "name", port, "netns",
           self._bridge)
        ip("-n", self._bridge, "link", "set", port, "master", "bridge", "up")
        ip("-n", name, "addr", "add", f"{machine.address}/24", "dev", "line")
        for link in ("lo", "line"):
            ip("-n", name, "link", "set", link, "up")
        run("tc", "-n", name, "qdisc", "add", "dev", "line", "root", "tbf", "rate",
            f"{self.mbit}mbit", "burst", BURST[self.mbit], "latency", "50ms")
        return machine

    def plain_stream(self):
        """Bytes per second of one TCP connection over a link; takes about a second."""
        source, sink = self.machines[:2]
        reader = subprocess.Popen(sink.command(sys.executable, "-c", SINK, sink.address),
                                  stdout=subprocess.PIPE, text=True)
        assert reader.stdout.readline() == "open\n"
        run(*source.command(sys.executable, "-c", SOURCE, sink.address, self.mbit * 125_000))
        rate, _ = reader.communicate(timeout=60)
        return float(rate)

    def close(self):
        for name in self._names:
            subprocess.run(["ip", "netns", "del", name], stderr=subprocess.DEVNULL, check=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def run(*command):
    return subprocess.run(list(map(str, command)), check=True, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE).stdout


def ip(*args):
    return run("ip", *args)
