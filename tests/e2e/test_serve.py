import http.client
import json
import os
import random
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path
from urllib.parse import quote, urlencode

from http_case import Schemas, ServeCase, address, printed, resident_kib
from tacho_case import INTERRUPTED, wait_until

FUZZ_SECONDS = float(os.environ.get("TACHO_FUZZ_SECONDS", 5))
QUESTIONS_AT_RANDOM = int(os.environ.get("TACHO_QUESTIONS", 4000))
BROKEN_CONNECTIONS = int(os.environ.get("TACHO_BROKEN_CONNECTIONS", 2000))
NEEDED = {"/api/v1/groups": {"by": "model"}, "/api/v1/diff": {"before": "1", "after": "2"},
          "/api/v1/compare": [("group", "1"), ("group", "2")]}
PLACES = {"run": "1", "table": "runs", "comparison": "1", "sweep": "1", "path": "events.jsonl",
          "survey": "newest"}  # replaced by its key
GRID = "base: {command: [sh, -c, 'echo loss {x}']}\nmatrix: {x: [1, 2]}\n"
QUESTIONS = {
    "/api/v1/predict": {"model": "resnet50", "gpu": "A100", "batch_per_gpu": 128, "num_gpus": 1,
                        "precision": "fp16"},
    "/api/v1/predict/training": {"model": "resnet18", "data": "cifar10", "gpu": "V100", "num_gpus": 2,
                                 "batch_per_gpu": 128, "workers": 4, "epochs": 30, "target": 0.75},
    "/api/v1/recommend": {"model": "resnet50", "data": "imagenet", "target": 0.7, "gpus": ["A100"],
                          "clouds": ["aws"], "batches": [64, 128], "max_nodes": 1},
}
ODD = ("", "0", "-1", "1", "last", "99999999999999999999", "nan", "1e999", "true", "<script>",
       "../../etc/passwd", "\u202e", "a" * 5000, "%", "'; DROP TABLE runs; --", "top1>0.5",
       "model~", "=", "~", "{}", "\x01", "id<1 or 1=1", "csv", "json", "html")


def two_runs(case):
    for words in ("echo 'step 1 loss: 0.5'; echo 'step 2 loss: 0.25'", "echo 'loss: 1'"):
        case.tacho("run", "--quiet", "--", "sh", "-c", words, expect=None)


def a_sweep(case):
    grid = case.home / "grid.yaml"
    grid.write_text(GRID)
    case.tacho("sweep", grid)


def a_survey(case):
    """Returns the key of a new survey."""
    case.tacho("bench", "memory", "--quick", "--only", "triad", "--size", "1MiB")
    return next((case.home / "lab").glob("*.json")).stem


class Description(ServeCase):
    """Compares all operations with the OpenAPI document."""

    def prepare(self):
        two_runs(self)
        a_sweep(self)
        PLACES["survey"] = a_survey(self)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.document = cls("prepare").ask("/api/v1/openapi.json")[2]
        cls.schemas = Schemas(cls.document)

    def operations(self, method):
        for path, operations in self.document["paths"].items():
            if method in operations:
                yield path, operations[method]

    def check(self, operation, path, answer):
        status, headers, body = answer
        described = operation["responses"].get(str(status))
        self.assertIsNotNone(described, f"{path}: {status} is not described: {body}")
        kind = headers["Content-Type"].partition(";")[0]
        self.assertIn(kind, described["content"], path)
        if "json" in kind:
            self.assertEqual(self.schemas.errors(described["content"][kind]["schema"], body), [])

    def test_every_get_operation_matches_its_schema(self):
        for path, operation in self.operations("get"):
            if path.endswith(("/live", "/machine")):
                continue
            query = urlencode(NEEDED.get(path, {}))
            answer = self.ask(address(path, PLACES) + "?" * bool(query) + query)
            with self.subTest(path):
                self.check(operation, path, answer)
                expected = 404 if path.endswith("{comparison}") else 200
                self.assertEqual(answer[0], expected, answer[2])

    def test_every_post_operation_matches_its_schema(self):
        for path, body in QUESTIONS.items():
            operation = self.document["paths"][path]["post"]
            answer = self.ask(path, "POST", body)
            with self.subTest(path):
                self.assertEqual(answer[0], 200, answer[2])
                self.check(operation, path, answer)
        answer = self.ask("/api/v1/recommend?format=csv", "POST", QUESTIONS["/api/v1/recommend"])
        self.assertTrue(answer[2].startswith(b"rank,cloud,"), answer[2][:100])

    def test_unanswerable_requests_are_rejected(self):
        answer = self.ask("/api/v1/recommend", "POST",
                          {"model": "mlp", "data": "cifar100", "target": 0.9})
        self.assertEqual(answer[0], 422, answer[2])
        answer = self.ask("/api/v1/recommend", "POST",
                          {"model": "mlp", "data": "unheard-of", "target": 0.9})
        self.assertEqual(answer[0], 400, answer[2])
        answer = self.ask("/api/v1/predict", "POST", {"model": "resnet50", "gpu": "H1000"})
        self.assertIn(answer[0], (400, 404), answer[2])
        self.assertIn("H1000", answer[2]["detail"])

    def test_a_job_is_predicted_as_by_the_command(self):
        status, _, answer = self.ask("/api/v1/predict", "POST", QUESTIONS["/api/v1/predict"])
        self.assertEqual(status, 200, answer)
        self.assertEqual(answer, self.tacho("predict", "resnet50", "--gpu", "A100", "-b", "128",
                                            "--precision", "fp16", "--json").json)
        status, _, answer = self.ask("/api/v1/predict", "POST",
                                     {**QUESTIONS["/api/v1/predict"], "software": "pytroch"})
        self.assertEqual(status, 400, answer)
        self.assertIn("did you mean 'pytorch'", answer["detail"])

    def test_a_training_is_predicted_as_by_the_command(self):
        path = "/api/v1/predict/training"
        status, _, answer = self.ask(path, "POST", QUESTIONS[path])
        self.assertEqual(status, 200, answer)
        self.assertEqual(answer, self.tacho(
            "predict", "resnet18", "--data", "cifar10", "--gpu", "V100", "--num-gpus", "2", "-b", "128",
            "--workers", "4", "-e", "30", "--target", "top1=0.75", "--json").json)
        for change, expected, why in (({"epochs": 0}, 400, "epochs must be"),
                                      ({"data": "cifar11"}, 400, "cifar10"),
                                      ({"gpu": None}, 422, "'gpu'"),
                                      ({"epochs": "ten"}, 422, "'epochs'"),
                                      ({"surprise": 1}, 422, "surprise")):
            status, _, answer = self.ask(path, "POST", {**QUESTIONS[path], **change})
            self.assertEqual(status, expected, answer)
            self.assertIn(why, answer["detail"])

    def test_a_finished_sweep_shows_its_runs(self):
        sweep = self.ask("/api/v1/sweeps/1")[2]
        self.assertEqual((sweep["state"], sweep["axes"]), ("finished", ["x"]))
        self.assertEqual([t["outcome"] for t in sweep["tasks"]], ["ok", "ok"])
        csv = self.ask("/api/v1/sweeps/1?format=csv")[2].decode().splitlines()
        self.assertEqual(len(csv), 3)
        for what in ("cancel", "resume"):
            answer = self.ask(f"/api/v1/sweeps/1/{what}", "POST", {})
            self.assertEqual(answer[0], 409)

    def test_every_format_matches_its_schema(self):
        for path, operation in self.operations("get"):
            formats = [p for p in operation.get("parameters", ()) if p["name"] == "format"]
            for name in formats[0]["schema"]["enum"] if formats else ():
                with self.subTest(f"{path} as {name}"):
                    self.check(operation, path, self.ask(address(path, PLACES) + f"?format={name}"))

    def test_every_wrong_parameter_is_rejected(self):
        for path, operation in self.operations("get"):
            if path in ("/api/v1/openapi.json", "/metrics"):
                continue
            known = [p["name"] for p in operation.get("parameters", ()) if p["in"] == "query"]
            wrong = [("surprise", "1")]
            for parameter in operation.get("parameters", ()):
                if parameter["in"] == "query" and "enum" in parameter["schema"]:
                    wrong.append((parameter["name"], "surprise"))
                if parameter["in"] == "query" and parameter["schema"].get("type") == "integer":
                    wrong += [(parameter["name"], text) for text in ("x", "", "-5", "1.5")]
            for name, value in wrong:
                with self.subTest(f"{path}?{name}={value}", known=known):
                    needed = NEEDED.get(path, {})
                    pairs = list(needed.items() if isinstance(needed, dict) else needed)
                    query = urlencode([(n, v) for n, v in pairs if n != name] + [(name, value)])
                    answer = self.ask(address(path, PLACES) + "?" + query)
                    self.assertEqual(answer[0], 400, answer[2])
                    self.check(operation, path, answer)

    def test_missing_resources_are_not_found(self):
        for path, operation in self.operations("get"):
            if "{run}" not in path and "{sweep}" not in path:
                continue
            with self.subTest(path):
                answer = self.ask(address(path, {**PLACES, "run": "4711", "sweep": "4711"}))
                self.assertEqual(answer[0], 404)
                self.check(operation, path, answer)

    def test_wrong_bodies_are_rejected(self):
        for path, operation in self.operations("post"):
            for body in ("", "{", "[]", "null", '{"surprise": 1}', '{"model": 1, "data": 2}'):
                with self.subTest(f"{path} {body}"):
                    answer = self.ask(address(path, PLACES), "POST", body)
                    self.assertIn(answer[0], (400, 404, 409, 415, 422), answer[2])
                    self.check(operation, path, answer)

    def test_a_run_is_ingested_again(self):
        key = self.ask("/api/v1/runs/1")[2]["key"]
        status, headers, run = self.ask("/api/v1/runs", "POST", {"folder": key})
        self.assertEqual((status, run["id"]), (201, 1))
        self.assertEqual(headers["Location"], "/api/v1/runs/1")


class Safety(ServeCase):
    def prepare(self):
        two_runs(self)

    def test_other_host_names_are_rejected(self):
        for host in ("evil.example", "evil.example:80", "127.0.0.1.evil.example", ""):
            self.assertEqual(self.ask("/api/v1/runs", headers={"Host": host})[0], 421, host)
        self.assertEqual(self.ask("/api/v1/runs", headers={"Host": "localhost:1"})[0], 200)

    def test_other_sites_cannot_change_anything(self):
        for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"},
                        {"Sec-Fetch-Site": "cross-site"}):
            status = self.ask("/api/v1/runs/1/cancel", "POST", "{}", headers)[0]
            self.assertEqual(status, 403, headers)
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
            answer = self.ask("/api/v1/jobs", "POST", "{}", {"Content-Type": kind})
            self.assertEqual(answer[0], 415, kind)

    def test_other_sites_cannot_read_responses(self):
        headers = self.ask("/api/v1/runs", headers={"Origin": "http://evil.example"})[1]
        self.assertNotIn("Access-Control-Allow-Origin", headers)
        self.assertEqual(headers["Cross-Origin-Resource-Policy"], "same-origin")

    def test_pages_run_no_foreign_scripts(self):
        for path in ("/", "/runs/1", "/api/v1/runs", "/nowhere"):
            policy = self.ask(path)[1]["Content-Security-Policy"]
            self.assertIn("script-src 'self';", policy)
            self.assertNotIn("unsafe", policy)
            self.assertIn("frame-ancestors 'none'", policy)

    def test_an_unknown_address_is_a_page_for_people_and_a_document_for_programs(self):
        status, headers, body = self.ask("/nowhere/%3Cb%3E%22")
        self.assertEqual((status, headers.get_content_type()), (404, "text/html"))
        self.assertIn(b"/nowhere/&lt;b&gt;&quot;", body)
        self.assertIn(b'<a href="/">', body)
        for path in ("/api", "/api/v1/nowhere", "/api/v2/runs", "/metrics/nowhere"):
            status, headers, body = self.ask(path)
            self.assertEqual((status, headers.get_content_type()), (404, "application/problem+json"), path)

    def test_files_are_never_served_as_pages(self):
        headers = self.ask("/api/v1/runs/1/files/output.log")[1]
        self.assertEqual(headers["Content-Type"], "application/octet-stream")
        self.assertTrue(headers["Content-Disposition"].startswith("attachment"))

    def test_only_this_machine_can_connect(self):
        listening = Path("/proc/net/tcp").read_text().splitlines()[1:]
        places = [line.split()[1] for line in listening if line.split()[3] == "0A"]
        own = [place for place in places if place.endswith(f":{self.port:04X}")]
        self.assertEqual(own, [f"0100007F:{self.port:04X}"])

    def test_too_long_requests_are_rejected(self):
        self.assertEqual(self.ask("/api/v1/jobs", "POST", b" " * (2 << 20))[0], 413)
        self.assertEqual(self.ask("/api/v1/runs", headers={"X-Long": "a" * 20_000})[0], 431)
        self.assertIn(self.ask("/api/v1/runs?word=" + "a" * 20_000)[0], (414, 431))

    def test_http_cannot_run_programs_or_paths(self):
        home = "base: {model: mlp, data: synthetic"
        for grid in (GRID, f"{home}, weights: /etc/passwd}}", f"{home}, env: podman}}",
                     f"{home}, data-dir: /}}"):
            answer = self.ask("/api/v1/sweeps", "POST", {"grid": grid})
            self.assertIn(answer[0], (400, 422), answer[2])
        for job in ({"model": "--help", "data": "synthetic"},
                    {"model": "mlp", "data": "synthetic", "weights": "/etc/passwd"},
                    {"model": "mlp", "data": "synthetic", "batch": "1 --weights /etc/passwd"}):
            answer = self.ask("/api/v1/jobs", "POST", job)
            self.assertIn(answer[0], (400, 422), answer[2])
        self.assertEqual(self.ask("/api/v1/runs")[2]["total"], 2)

    def test_hostile_names_are_json_strings(self):
        for name in ("<script>alert(1)</script>", "a" * 10_000, "\u202egnp.exe", "\x07\x1b[31m"):
            status, headers, answer = self.ask("/api/v1/runs?word=" + quote(name))
            self.assertEqual((status, answer["total"]), (200, 0))
            self.assertEqual(headers["Content-Type"], "application/json")
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")

    def test_folders_outside_the_home_are_not_ingested(self):
        for folder in ("..", "../..", "/etc", "a/../../..", ".", "", "x" * 5000):
            self.assertEqual(self.ask("/api/v1/runs", "POST", {"folder": folder})[0], 404, folder)

    def test_files_outside_the_run_are_not_found(self):
        for path in ("../../tacho.db", "..%2f..%2ftacho.db", "/etc/passwd", "%2fetc%2fpasswd",
                     "checkpoints/../../../tacho.db"):
            self.assertEqual(self.ask(f"/api/v1/runs/1/files/{path}")[0], 404, path)


class HostileFolders(ServeCase):
    """Runs whose folders have links and pipes instead of files."""

    def prepare(self):
        for _ in range(4):
            self.tacho("run", "--quiet", "--", "sh", "-c", "echo printed")

    def folder_of(self, run):
        return Path(self.ask(f"/api/v1/runs/{run}")[2]["folder"])

    def replace(self, run, name, target=None):
        """Replaces a file by a link to `target`, or by a pipe without a writer."""
        file = self.folder_of(run) / name
        file.unlink(missing_ok=True)
        if target is None:
            os.mkfifo(file)
        else:
            file.symlink_to(target)

    def test_a_link_shows_no_other_file(self):
        secret = self.home / "secret"
        secret.write_text("nobody may read this")
        for name in ("output.log", "events.jsonl", "usage.jsonl", "ops.json", "spec.json"):
            self.replace(1, name, secret)
        self.assertEqual(self.ask("/api/v1/runs/1/log")[0], 404)
        for path in ("log", "files/output.log", "usage", "report", "timeline", "live", "files",
                     "events", "report?format=html"):
            status, _, body = self.ask(f"/api/v1/runs/1/{path}")
            self.assertNotIn("nobody may read this", str(body), f"{path}: {status}")

    def test_pipes_block_no_worker(self):
        for name in ("output.log", "events.jsonl", "usage.jsonl", "ops.json", "spec.json", "lock"):
            self.replace(2, name)
        for path in ("log", "files/output.log", "usage", "report", "timeline", "live"):
            for _ in range(8):  # more than the number of workers
                client = self.raw(f"GET /api/v1/runs/2/{path} HTTP/1.1\r\nHost: 127.0.0.1:"
                                  f"{self.port}\r\n\r\n".encode())
                self.addCleanup(client.close)
        self.assertEqual(self.ask("/api/v1/runs/3")[0], 200)
        self.assertEqual(self.ask("/api/v1/runs/2/log")[0], 404)

    def test_a_linked_lock_interrupts_no_run(self):
        lock = self.home / "lock-of-another"
        lock.touch()
        for how in (["flock", "--shared", "--no-fork", lock, "sleep", "600"],
                    [sys.executable, "-c", f"import time; f = open({str(lock)!r}); time.sleep(600)"]):
            other = subprocess.Popen(list(map(str, how)))
            self.addCleanup(other.wait)
            self.addCleanup(other.kill)
            wait_until(lambda: str(lock) in open_files(other.pid), "lock")
            self.replace(4, "lock", lock)
            status, _, _ = self.ask("/api/v1/runs/4/cancel", "POST", {})
            self.assertEqual(status, 409)
            self.assertIsNone(other.poll())


def open_files(pid):
    found = []
    for file in Path(f"/proc/{pid}/fd").iterdir():
        try:
            found.append(os.readlink(file))
        except FileNotFoundError:
            pass  # already closed
    return found


class ReadOnly(ServeCase):
    options = ("--read-only",)

    def prepare(self):
        two_runs(self)

    def test_nothing_is_changed_or_started(self):
        for path in ("/api/v1/runs", "/api/v1/jobs", "/api/v1/runs/1/cancel", "/api/v1/sweeps",
                     "/api/v1/sweeps/1/cancel", "/api/v1/sweeps/1/resume"):
            self.assertEqual(self.ask(path, "POST", {"folder": "x"})[0], 403, path)
        for path, body in QUESTIONS.items():  # allowed, since they change nothing
            self.assertEqual(self.ask(path, "POST", body)[0], 200, path)
        self.assertEqual(self.ask("/api/v1/runs")[2]["total"], 2)


class Token(ServeCase):
    """A server without a given token creates one."""

    def prepare(self):
        pass

    def test_requests_without_the_token_are_rejected(self):
        for path in ("/", "/api/v1/runs", "/metrics", "/api/v1/openapi.json", "/nowhere"):
            self.assertEqual(self.ask(path, token=False)[0], 401, path)
            for header in ({"Authorization": f"Bearer {self.token}"},
                           {"Cookie": f"x=1; tacho_token_{self.port}={self.token}"}):
                self.assertNotEqual(self.ask(path, headers=header, token=False)[0], 401, path)
            wrong = {"Authorization": f"Bearer {self.token[:-1]}x"}
            self.assertEqual(self.ask(path, headers=wrong, token=False)[0], 401, path)

    def test_the_printed_address_sets_a_cookie_and_removes_the_token(self):
        status, headers, _ = self.ask(f"/?token={self.token}", token=False)
        self.assertEqual((status, headers["Location"]), (303, "/"))
        cookie = headers["Set-Cookie"]
        self.assertIn("HttpOnly; SameSite=Strict", cookie)
        self.assertEqual(self.ask("/api/v1/runs", headers={"Cookie": cookie.partition(";")[0]},
                                  token=False)[0], 200)

    def test_a_token_can_come_from_a_file_or_the_environment(self):
        secret = self.home / "secret"
        secret.write_text("a-token-of-a-file\n")
        for options, environment, token in (
                (("--token-file", secret), {}, "a-token-of-a-file"),
                ((), {"TACHO_TOKEN": "a-token-of-20-letters"}, "a-token-of-20-letters"),
                (("--address", "0.0.0.0"), {"TACHO_TOKEN": "a-token-of-20-letters"},
                 "a-token-of-20-letters")):
            going = self.start("serve", "--port", 0, *options, env=environment)
            wait_until(lambda: f"/?token={token}\n" in printed(going), "address")
            words = Path(f"/proc/{going.process.pid}/cmdline").read_bytes()
            self.assertNotIn(token.encode(), words)
            going.signal(signal.SIGTERM)
            self.assertEqual(going.ended().code, 0)

    def test_ctrl_c_ends_it_with_130(self):
        going = self.start("serve", "--port", 0)
        wait_until(lambda: "http://" in printed(going), "address")
        going.signal(signal.SIGINT)
        self.assertEqual(going.ended().code, INTERRUPTED)

    def test_invalid_token_options_are_rejected(self):
        said = self.tacho("serve", "--address", "0.0.0.0", "--no-token", "--port", 0, expect=2)
        self.assert_one_error_line(said, "0.0.0.0", "--no-token")
        said = self.tacho("serve", "--token", "short", "--port", 0, expect=2)
        self.assert_one_error_line(said, "16 or more letters")
        said = self.tacho("serve", "--token-file", self.home / "nowhere", "--port", 0, expect=None)
        self.assertNotEqual(said.code, 0)
        self.assert_one_error_line(said, "nowhere")

    def test_bodies_without_it_are_not_read(self):
        pid = self.going.process.pid
        self.ask("/api/v1/runs")
        before = resident_kib(pid)
        header = (b"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\n"
                  b"Content-Type: application/json\r\nContent-Length: 1048576\r\n\r\n")
        held = []
        for _ in range(150):
            client = self.raw(header)
            held.append(client)
            try:
                client.sendall(b" " * 1_000_000)
            except OSError:
                pass  # refused and closed
        most = resident_kib(pid)
        for client in held:
            client.close()
        self.assertLess(most - before, 40_000)


class Memory(ServeCase):
    """Memory that authenticated clients can use."""
    options = ("--no-token",)

    def prepare(self):
        two_runs(self)

    def test_bodies_have_a_total_limit_and_their_memory_is_freed(self):
        pid = self.going.process.pid
        self.ask("/api/v1/runs")
        before = resident_kib(pid)
        header = (b"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\n"
                  b"Content-Type: application/json\r\nContent-Length: 1048576\r\n\r\n")
        held = []
        for _ in range(200):
            client = self.raw(header)
            held.append(client)
            try:
                client.sendall(b" " * 1_048_575)  # all but its last byte
            except OSError:
                pass  # refused and closed
        self.assertEqual(self.ask("/api/v1/runs")[0], 200)
        self.assertLess(resident_kib(pid) - before, 170_000)
        for client in held:
            client.close()
        wait_until(lambda: b"tacho_http_body_bytes 0\n" in self.ask("/metrics")[2], "end of bodies")
        wait_until(lambda: resident_kib(pid) - before < 30_000, "memory that returns")

    def test_different_requests_do_not_accumulate(self):
        pid = self.going.process.pid
        self.ask("/api/v1/runs")
        before = resident_kib(pid)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        for i in range(QUESTIONS_AT_RANDOM):
            connection.request("GET", f"/api/v1/runs?word={i}{'x' * 15_000}")
            response = connection.getresponse()
            response.read()
            self.assertEqual(response.status, 200)
        connection.close()
        self.assertLess(resident_kib(pid) - before, 40_000)

    def test_pages_of_other_sites_cannot_request_work(self):
        for site, status in (("cross-site", 403), ("same-site", 403), ("same-origin", 200), ("none", 200)):
            answer = self.ask("/api/v1/runs", headers={"Sec-Fetch-Site": site})
            self.assertEqual(answer[0], status, site)


class Jobs(ServeCase):
    options = ("--max-jobs", "1")
    job = {"model": "mlp", "data": "synthetic", "batch": 8, "epochs": 1_000_000, "steps": 10_000_000,
           "threads": 1}

    def prepare(self):
        pass

    def test_the_number_of_running_jobs_is_limited(self):
        first = self.ask("/api/v1/jobs", "POST", self.job)
        self.assertEqual(first[0], 201, first[2])
        refused = self.ask("/api/v1/jobs", "POST", self.job)
        self.assertEqual(refused[0], 429, refused[2])
        self.assertIn("Retry-After", refused[1])
        self.assertEqual(self.ask("/api/v1/sweeps", "POST", {
            "grid": "base: {model: mlp, data: synthetic}"})[0], 429)
        self.assertEqual(self.ask(f"/api/v1/runs/{first[2]['id']}/cancel", "POST", {})[0], 202)

        def another():
            answer = self.ask("/api/v1/jobs", "POST", self.job)
            return answer if answer[0] != 429 else None
        second = wait_until(another, "a free slot")
        self.assertEqual(second[0], 201, second[2])
        self.assertEqual(self.ask(f"/api/v1/runs/{second[2]['id']}/cancel", "POST", {})[0], 202)


def damaged(rng, value):
    """Returns the value with one part replaced, removed or doubled."""
    text = json.dumps(value)
    if rng.random() < 0.5 and isinstance(value, dict):
        changed = dict(value)
        name = rng.choice([*value, "surprise"])
        changed[name] = rng.choice([None, -1, 0, 1e308, "", "<b>", [], {}, [[]], True, "a" * 999])
        return json.dumps(changed)
    at = rng.randrange(len(text))
    return text[:at] + rng.choice(["", text[at:at + 9] * 2, "\x00", "}", '"', "9" * 40]) + text[at + 1:]


class Hostile(ServeCase):
    options = ("--no-token",)

    def prepare(self):
        two_runs(self)
        a_sweep(self)

    def test_any_parameters_are_answered(self):
        document = self.ask("/api/v1/openapi.json")[2]
        reading = [(path, operations["get"]) for path, operations in document["paths"].items()
                   if "get" in operations and not path.endswith(("/live", "/machine", "/environments"))]
        columns = [column["key"] for column in self.ask("/api/v1/columns")[2]["columns"]]
        rng = random.Random(9)
        deadline = time.monotonic() + FUZZ_SECONDS
        asked = 0
        while time.monotonic() < deadline:
            if asked % 10 == 9:
                path, body = rng.choice([*QUESTIONS.items(), ("/api/v1/sweeps", {"grid": GRID})])
                answer = self.ask(path, "POST", damaged(rng, body))
                self.assertLess(answer[0], 500, f"{path} {body}: {answer[2]}")
                asked += 1
                continue
            path, operation = rng.choice(reading)
            names = [p["name"] for p in operation.get("parameters", ()) if p["in"] == "query"]
            query = [(rng.choice([*names, "surprise"]), rng.choice([*ODD, *columns]))
                     for _ in range(rng.randrange(4))] if names else []
            values = {name: rng.choice(ODD) if rng.random() < 0.3 else value
                      for name, value in PLACES.items()}
            answer = self.ask(address(path, values) + "?" + urlencode(query, quote_via=quote))
            self.assertLess(answer[0], 500, f"{path} {query} {values}: {answer[2]}")
            asked += 1
        print(f"{asked} questions", end=" ")

    def test_broken_clients_do_not_block_others(self):
        pid = self.going.process.pid
        self.ask("/api/v1/runs")
        before = resident_kib(pid)
        rng = random.Random(3)
        parts = (b"GET / HT", b"GET /api/v1/runs HTTP/1.1\r\nHost: loc", b"\x00\xff" * 100,
                 b"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{",
                 b"GET / HTTP/1.1\r\nX: " + b"a" * 20000,
                 b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999\r\n\r\n",
                 b"GET /api/v1/runs HTTP/1.1\r\nHost: localhost\r\n\r\n" * 5)
        held = []
        slowest = 0
        for i in range(BROKEN_CONNECTIONS):
            try:
                client = self.raw(rng.choice(parts))
            except OSError:
                continue  # the server may have closed the connection
            if rng.random() < 0.8:
                held.append(client)  # sends nothing more
                if len(held) > 700:
                    held.pop(rng.randrange(len(held))).close()
            else:
                client.close()
            if i % 100 == 0:
                begin = time.monotonic()
                self.assertEqual(self.ask("/api/v1/runs?limit=1")[0], 200)
                slowest = max(slowest, time.monotonic() - begin)
        for client in held:
            client.close()
        self.assertLess(slowest, 10)
        wait_until(lambda: "tacho_http_connections 1\n" in self.ask("/metrics")[2].decode(), "end")
        self.assertLess(resident_kib(pid) - before, 100_000)

    def test_bodies_that_take_long_to_parse_are_rejected_quickly(self):
        deep = '{"model":' + "[" * 100_000 + "]" * 100_000 + "}"
        wide = "{" + ",".join(f'"{i}":0' for i in range(100_000)) + "}"
        begin = time.monotonic()
        for path in (*QUESTIONS, "/api/v1/jobs"):
            for body, why in ((deep, "nested more than 64 levels deep"), (wide, "more than 1000 members")):
                status, _, answer = self.ask(path, "POST", body)
                self.assertEqual(status, 422, answer)
                self.assertIn(why, answer["detail"])
        # Without protection, a wide body took 18 s, and a deep one crashed the server.
        self.assertLess(time.monotonic() - begin, 15)

    def test_zz_it_ends_on_sigterm(self):
        idle = self.raw()
        said = self.stop()
        idle.close()
        self.assertEqual((said.code, said.err), (0, ""))


if __name__ == "__main__":
    unittest.main()
