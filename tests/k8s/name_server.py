"""The name service of the test cluster: name_server.py ADDRESS

Answers A questions over UDP for SERVICE.NAMESPACE.svc.cluster.local and, for headless services, for
HOST.SERVICE.NAMESPACE.svc.cluster.local, from the services and endpoints of the API server. CoreDNS, which
clusters have for this, is not in Debian.
"""

import json
import socket
import struct
import subprocess
import sys
import time

DOMAIN = ".svc.cluster.local"
KEPT_SECONDS = 0.5
A, IN = 1, 1
NO_ERROR, NO_SUCH_NAME, SERVER_FAILURE = 0, 3, 2


def main(address):
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((address, 53))
    names = Names()
    while True:
        question, client = server.recvfrom(512)
        try:
            server.sendto(answer(question, names), client)
        except (IndexError, ValueError, struct.error) as problem:
            print(f"no answer to {client}: {problem}", flush=True)


class Names:
    def __init__(self):
        self._at, self._addresses = -KEPT_SECONDS, {}

    def find(self, name):
        """Addresses; None if the name does not exist."""
        if time.monotonic() - self._at > KEPT_SECONDS:
            self._addresses = addresses_of(listed())
            self._at = time.monotonic()
        return self._addresses.get(name)


def listed():
    done = subprocess.run(["kubectl", "--request-timeout=5s", "get", "services,endpoints", "-A", "-o", "json"],
                          check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)["items"]


def addresses_of(items):
    found = {}
    headless = set()
    for item in items:
        name = f"{item['metadata']['name']}.{item['metadata']['namespace']}{DOMAIN}"
        if item["kind"] != "Service":
            continue
        if item["spec"].get("clusterIP") == "None":
            headless.add(name)
            found[name] = []
        elif "clusterIP" in item["spec"]:
            found[name] = [item["spec"]["clusterIP"]]
    for item in items:
        name = f"{item['metadata']['name']}.{item['metadata']['namespace']}{DOMAIN}"
        if item["kind"] != "Endpoints" or name not in headless:
            continue
        for subset in item.get("subsets", []):
            waiting = subset.get("notReadyAddresses", []) if publishes_all(items, item) else []
            for address in subset.get("addresses", []) + waiting:
                found[name].append(address["ip"])
                if "hostname" in address:
                    found.setdefault(f"{address['hostname']}.{name}", []).append(address["ip"])
    return found


def publishes_all(items, endpoints):
    return any(item["kind"] == "Service" and item["metadata"]["name"] == endpoints["metadata"]["name"]
               and item["metadata"]["namespace"] == endpoints["metadata"]["namespace"]
               and item["spec"].get("publishNotReadyAddresses") for item in items)


def answer(question, names):
    number, flags = struct.unpack_from(">HH", question)
    labels, at = [], 12
    while length := question[at]:
        labels.append(question[at + 1:at + 1 + length].decode("ascii").lower())
        at += 1 + length
    end = at + 5
    kind, network = struct.unpack_from(">HH", question, at + 1)
    try:
        addresses, code = names.find(".".join(labels)), NO_ERROR
    except (subprocess.CalledProcessError, json.JSONDecodeError) as problem:
        print(f"the API server does not list services: {problem}", flush=True)
        addresses, code = [], SERVER_FAILURE
    if addresses is None:
        addresses, code = [], NO_SUCH_NAME
    records = b""
    if kind == A and network == IN:
        for address in addresses:
            records += struct.pack(">HHHIH", 0xC00C, A, IN, 1, 4) + socket.inet_aton(address)
    count = len(records) // 16
    asked_for_recursion = flags & 0x0100
    return struct.pack(">HHHHHH", number, 0x8480 | asked_for_recursion | code, 1, count, 0, 0) + \
        question[12:end] + records


if __name__ == "__main__":
    main(sys.argv[1])
