"""`tacho load` with a server whose answers take a known time."""

import json
import signal
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tacho_case import INTERRUPTED, TachoCase, wait_until


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        self.do_POST()

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.seen.append((self.path, self.headers.get("Authorization"), body))
        time.sleep(self.server.seconds)
        status = self.server.status
        answer = b'{"predictions":[{"label":"positive","cached":true}]}'
        self.send_response(status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, seconds=0.01, status=200):
        super().__init__(("127.0.0.1", 0), Handler)
        self.seconds = seconds
        self.status = status
        self.seen = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Load(TachoCase):
    def server(self, **options):
        server = Server(**options)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def test_an_open_load_becomes_a_run_with_its_figures(self):
        server = self.server()
        texts = self.new_folder() / "texts"
        texts.write_text('a "fine" film\nboring\n')
        record = self.tacho("load", server.url, "--texts", texts, "--rate", 50, "--duration", "2s",
                            "--token", "0123456789abcdef", "--price-per-hour", 0.36, "--json").json
        load = record["load"]
        self.assertEqual(load["ok"] + load["refused"] + load["timeouts"] + load["broken"],
                         load["requests"])
        self.assertGreaterEqual(load["p50_s"], 0.01)
        self.assertEqual(load["cached"], load["ok"])
        metrics = record["metrics"]
        self.assertAlmostEqual(metrics["dollars_per_million_requests"],
                               100 / metrics["requests_per_s"], places=6)
        path, token, body = server.seen[0]
        self.assertEqual((path, token), ("/predict", "Bearer 0123456789abcdef"))
        self.assertEqual(json.loads(body), {"text": ['a "fine" film']})
        self.assertEqual(len(server.seen), 100)
        self.assertNotIn("0123456789abcdef", json.dumps(record))
        for path in self.folders().pop().iterdir():
            self.assertNotIn(b"0123456789abcdef", path.read_bytes())
        [run] = self.runs()
        self.assertEqual((run["model"], run["outcome"]), ("load", "ok"))
        self.assertEqual(run["metrics"]["requests_per_s"], metrics["requests_per_s"])
        self.assertIn("requests/s", self.tacho("runs", "show", "last").out)
        self.tacho("report", "last")

    def test_a_closed_loop_follows_littles_law(self):
        """Concurrency and latency determine the number of requests."""
        server = self.server(seconds=0.02)
        load = self.tacho("load", server.url, "-c", 4, "-d", "2s", "--json").json["load"]
        # Little's law, which also holds on a busy machine.
        self.assertLess(load["requests_per_s"] * load["p50_s"], 4.2)
        self.assertLessEqual(load["requests_per_s"], 200)
        self.assertEqual(server.seen[0][0], "/")

    def test_ctrl_c_keeps_the_results_so_far(self):
        server = self.server()
        going = self.start("load", server.url, "--rate", 100, "--duration", "1h", "--json")
        wait_until(lambda: len(server.seen) > 50, "requests")
        going.signal(signal.SIGINT)
        said = going.ended()
        self.assertEqual(said.code, INTERRUPTED)
        self.assertEqual(said.json["outcome"], "cancelled")
        self.assertGreater(said.json["load"]["ok"], 10)

    def test_a_killed_tacho_leaves_a_failed_run(self):
        server = self.server()
        going = self.start("load", server.url, "--duration", "1h")
        wait_until(lambda: len(server.seen) > 5, "requests")
        going.signal(signal.SIGKILL)
        going.ended()
        self.assertEqual(self.runs()[0]["outcome"], "failed")

    def test_a_server_that_refuses_all_requests_fails_the_run(self):
        server = self.server(status=503)
        said = self.tacho("load", server.url, "--rate", 50, "--duration", "1s", expect=1)
        self.assertIn("refused (503)", said.out)

    def test_errors_are_one_line(self):
        for args, code, words in (
                (["localhost:8500"], 2, ["begins with http://"]),
                (["http://127.0.0.1:1"], 1, ["cannot connect to 127.0.0.1:1"]),
                (["http://a", "--rate", "0"], 2, ["--rate"]),
                (["http://a", "--slo", "fast"], 2, ["--slo", "p99=50ms"]),
                (["http://a", "--texts", "/nowhere"], 2, ["/nowhere"]),
                (["http://a", "--instance", "g4dn.xlarg"], 2, ["g4dn.xlarge"])):
            said = self.tacho("load", *args, expect=code)
            self.assert_one_error_line(said, *words)
            self.assertEqual(self.folders(), set())

    def test_the_highest_rate_for_an_objective_is_found(self):
        # Ten connections and 20 ms: at most 500 requests per second.
        server = self.server(seconds=0.02)
        said = self.tacho("load", server.url, "-c", 10, "--slo", "p90=1s", "-d", "1s",
                          "--rate", 100, "--json", expect=None)
        load = said.json["load"]
        self.assertEqual(load["slo"], "p90=1s")
        self.assertLess(load["requests_per_s"], 520)
        kept = [f["values"]["kept"] for f in said.json["figures"]]
        self.assertIn(1.0, kept)


if __name__ == "__main__":
    unittest.main()
