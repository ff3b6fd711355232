"""Base class of the tests of `tacho serve`: a server, requests, and the schemas of its OpenAPI
description."""

import http.client
import json
import re
import signal
import socket
from pathlib import Path
from urllib.parse import quote

from tacho_case import PATIENCE_SECONDS, SharedHomeCase, wait_until


ADDRESS = re.compile(r"http://([\w.-]+):(\d+)/(?:\?token=(\S+))?\n")


def printed(going):
    """The output of a server so far."""
    going._out.seek(0)
    return going._out.read()


class ServeCase(SharedHomeCase):
    """One server for all tests of a class, on the runs that prepare() made."""
    options = ()
    token = None  # of the server, if it requires one

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.going = cls("prepare").start("serve", "--port", 0, *cls.options)
        found = wait_until(lambda: ADDRESS.search(printed(cls.going)), "address")
        cls.port = int(found[2])
        cls.token = found[3]

    def setUp(self):
        pass  # the server keeps running

    def ask(self, path, method="GET", body=None, headers=None, token=True):
        """Returns status, headers and body (parsed if JSON). Sends the server's token unless
        token=False."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        sent = {"Content-Type": "application/json"} if body is not None else {}
        if token and self.token:
            sent["Authorization"] = f"Bearer {self.token}"
        text = body if isinstance(body, (str, bytes, type(None))) else json.dumps(body)
        connection.request(method, path, text, {**sent, **(headers or {})})
        response = connection.getresponse()
        content = response.read()
        connection.close()
        if "json" in response.headers.get("Content-Type", ""):
            content = json.loads(content)
        return response.status, response.headers, content

    def raw(self, data=b"", timeout=PATIENCE_SECONDS):
        client = socket.create_connection(("127.0.0.1", self.port), timeout=timeout)
        if data:
            client.sendall(data)
        return client

    def stop(self):
        self.going.signal(signal.SIGTERM)
        return self.going.ended()


def resident_kib(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


class Schemas:
    """The subset of JSON Schema that the OpenAPI description uses."""

    def __init__(self, document):
        self.named = document["components"]["schemas"]

    def errors(self, schema, value, place="answer"):
        if "$ref" in schema:
            return self.errors(self.named[schema["$ref"].rpartition("/")[2]], value, place)
        found = [e for each in schema.get("allOf", ()) for e in self.errors(each, value, place)]
        kinds = schema.get("type")
        if kinds is not None:
            kinds = [kinds] if isinstance(kinds, str) else kinds
            if not any(is_kind(kind, value) for kind in kinds):
                return [f"{place}: {str(value)[:60]!r} is no {' or '.join(kinds)}"]
        if "enum" in schema and value not in schema["enum"]:
            found.append(f"{place}: {value!r} is not one of {schema['enum']}")
        if isinstance(value, dict):
            found += [f"{place}: no {key}" for key in schema.get("required", ()) if key not in value]
            for key, inner in schema.get("properties", {}).items():
                if key in value:
                    found += self.errors(inner, value[key], f"{place}.{key}")
            more = schema.get("additionalProperties")
            if isinstance(more, dict):
                for key, inner in value.items():
                    if key not in schema.get("properties", {}):
                        found += self.errors(more, inner, f"{place}.{key}")
        if isinstance(value, list) and "items" in schema:
            for i, inner in enumerate(value):
                found += self.errors(schema["items"], inner, f"{place}[{i}]")
        return found


def is_kind(kind, value):
    if kind in ("integer", "number") and isinstance(value, bool):
        return False
    return isinstance(value, {"object": dict, "array": list, "string": str, "boolean": bool,
                              "null": type(None), "integer": int, "number": (int, float)}[kind])


def address(path, values):
    """A path of the description with its {names} replaced."""
    return re.sub(r"\{(\w+)\}", lambda name: quote(str(values[name[1]]), safe=""), path)
