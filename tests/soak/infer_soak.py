"""Long test of `tacho infer` with Redis under load.

    script/test-infer [--data DIR] [--minutes 10]

Measures the maximum rate. At half of it, Redis is killed, stopped and filled, and clients send nothing, too
much or invalid requests. Then the server runs for the given minutes at 80 % of the maximum, and is terminated
during requests. All the time, known texts are sent and the answers compared with earlier ones.
"""
import argparse
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from http_case import resident_kib  # noqa: E402
from tacho_case import TACHO, wait_until  # noqa: E402
from toy_data import write_sentences  # noqa: E402

RECOVERY_SECONDS = 1.0
REQUEST = (b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
           b"Content-Length: %d\r\n\r\n%s")


def request_of(*texts):
    body = json.dumps({"text": list(texts)}).encode()
    return REQUEST % (len(body), body)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Redis:
    def __init__(self):
        self.port = free_port()
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "",
             "--appendonly", "no"], stdout=subprocess.DEVNULL, cwd="/")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def set(self, name, value):
        subprocess.run(["redis-cli", "-p", str(self.port), "config", "set", name, value], check=True,
                       stdout=subprocess.DEVNULL)


class Server:
    """tacho infer with a newly trained model."""

    def __init__(self, home, redis, data):
        self.home, self.env = home, {**os.environ, "TACHO_HOME": str(home)}
        subprocess.run([TACHO, "train", "lstm", "--data", "sst2", "--data-dir", data, "-b", "64", "-e", "1"],
                       env=self.env, check=True, stdout=subprocess.DEVNULL)
        self.port = free_port()
        self.process = subprocess.Popen(
            [TACHO, "infer", "last", "--port", str(self.port), "--cache",
             f"redis://127.0.0.1:{redis.port}"], env=self.env, stdout=subprocess.DEVNULL)
        wait_until(self.ready, "server")

    def ready(self):
        try:
            return self.get("/ready")[0] == 200
        except OSError:
            return False

    def get(self, path):
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        client.request("GET", path)
        answer = client.getresponse()
        return answer.status, answer.read().decode()

    def metric(self, name):
        return float(re.search(rf"(?m)^tacho_infer_{name} (\S+)$", self.get("/metrics")[1])[1])

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def kib(self):
        return resident_kib(self.process.pid)

    def load(self, *options):
        """Starts a load test that prints its record."""
        return subprocess.Popen([TACHO, "load", f"http://127.0.0.1:{self.port}", "--json", *map(str, options)],
                                env=self.env, stdout=subprocess.PIPE, text=True)

    def windows(self):
        """The windows of the last load test."""
        folder = max((self.home / "runs").iterdir(), key=lambda path: path.name)
        events = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
        return [event["values"] for event in events if event["kind"] == "figures"]


def receive(client):
    """Status and body of one answer; None if the connection ended before."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = client.recv(65536)
        if not piece:
            return None
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
    while len(body) < length:
        piece = client.recv(65536)
        if not piece:
            return None
        body += piece
    return int(head.split()[1]), body


class Witness:
    """Sends known texts continuously and records all wrong or missing answers."""

    def __init__(self, server, texts):
        self.server, self.texts = server, texts
        self.expected = {text: self.ask(server.connect(), text) for text in texts}
        self.asked, self.wrong, self.longest = 0, [], 0.0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()

    def ask(self, client, text):
        client.sendall(request_of(text))
        answer = receive(client)
        if answer is None or answer[0] != 200:
            raise AssertionError(f"{text!r}: {answer}")
        return json.loads(answer[1])["predictions"][0]["probabilities"]

    def watch(self):
        client = self.server.connect()
        while not self.over.is_set():
            text = self.texts[self.asked % len(self.texts)]
            begin = time.monotonic()
            try:
                got = self.ask(client, text)
                if max(abs(a - b) for a, b in zip(got, self.expected[text])) > 1e-5:
                    self.wrong.append((text, got))
            except (OSError, AssertionError) as error:
                self.wrong.append((text, str(error)))
                client = self.server.connect()
            self.longest = max(self.longest, time.monotonic() - begin)
            self.asked += 1

    def end(self):
        self.over.set()
        self.thread.join()


class Verdict:
    def __init__(self):
        self.failed = 0

    def check(self, passed, sentence):
        self.failed += not passed
        print(f"  {'ok  ' if passed else 'FAIL'} {sentence}", flush=True)


def faults(server, redis):
    """Faults by name; each function returns the recovery time of the cache if the cache was lost."""
    def back():
        begin = time.monotonic()
        wait_until(lambda: server.metric("cache_up") == 1, "cache")
        return time.monotonic() - begin

    def killed():
        redis.kill()
        wait_until(lambda: server.metric("cache_up") == 0, "loss of the cache")
        redis.start()
        return back()

    def stopped():
        redis.process.send_signal(signal.SIGSTOP)
        wait_until(lambda: server.metric("cache_up") == 0, "loss of the cache")
        threading.Event().wait(10)  # duration of the fault
        redis.process.send_signal(signal.SIGCONT)
        return back()

    def full():
        redis.set("maxmemory", "1mb")
        threading.Event().wait(3)
        redis.set("maxmemory", "0")
        return None

    def silent():
        clients = [server.connect() for _ in range(1000)]
        for client in clients[::2]:
            client.sendall(b"POST /predict HT")
        threading.Event().wait(3)
        for client in clients:
            client.close()

    def oversize():
        for _ in range(10):
            client = server.connect()
            try:
                client.sendall(REQUEST[:-6] % (100 << 20) + b"\r\n\r\n")
                for _ in range(100):
                    client.sendall(b"x" * (1 << 20))
            except OSError:
                pass  # rejected before everything was sent
            client.close()

    def refused(body, status):
        for _ in range(100):
            client = server.connect()
            client.sendall(REQUEST % (len(body), body))
            answer = receive(client)
            if answer is None or answer[0] != status:
                raise AssertionError(f"expected {status}: {answer}")
            client.close()

    return {"Redis killed (-9) and restarted": killed, "Redis stopped for ten seconds": stopped,
            "Redis without memory": full, "1,000 clients that send nothing or part of a request": silent,
            "ten bodies of 100 MB": oversize,
            "invalid UTF-8": lambda: refused(b'{"text": ["\xff\xfe"]}', 400),
            "texts of 10,000 words": lambda: refused(json.dumps({"text": ["word " * 10_000]}).encode(), 422)}


def under_faults(server, redis, witness, texts, rate, verdict):
    print(f"faults at {rate:,.0f} requests/s, half of the maximum")
    for name, fault in faults(server, redis).items():
        load = server.load("--rate", rate, "--duration", "3600s", "--texts", texts, "--zipf", "1")
        wait_until(lambda: server.metric("connections") > 10, "load")  # the witness has one connection
        before, wrong, witness.longest = server.kib(), len(witness.wrong), 0.0
        recovered = fault()
        begin = time.monotonic()
        wait_until(lambda: time.monotonic() > begin + 2, "two seconds after it")
        load.send_signal(signal.SIGINT)
        record = json.loads(load.communicate()[0])["load"]
        grown = (server.kib() - before) / 1024
        lost = record["requests"] - record["ok"]
        back = "" if recovered is None else f", recovered after {recovered:.2f} s"
        verdict.check(lost == 0 and len(witness.wrong) == wrong and grown < 64
                      and (recovered or 0) <= RECOVERY_SECONDS,
                      f"{name}: {record['requests']:,} requests, {lost} failed, "
                      f"{len(witness.wrong) - wrong} wrong, slowest {1e3 * witness.longest:.0f} ms, "
                      f"p99 {1e3 * record['p99_s']:.1f} ms, memory {grown:+.1f} MiB{back}")


def at_length(server, witness, texts, rate, minutes, verdict):
    print(f"{minutes:g} minutes at {rate:,.0f} requests/s")
    load = server.load("--rate", rate, "--duration", f"{60 * minutes:g}s", "--texts", texts, "--zipf", "1")
    memory = []
    while load.poll() is None:
        memory.append(server.kib() / 1024)
        try:
            load.wait(max(1.0, minutes))
        except subprocess.TimeoutExpired:
            pass
    record = json.loads(load.communicate()[0])["load"]
    p99 = [w["latency_p99_s"] for w in server.windows() if "latency_p99_s" in w]
    half = len(p99) // 2
    first, second = statistics.median(p99[:half]), statistics.median(p99[half:])
    quarter = max(1, len(memory) // 4)
    grown = statistics.median(memory[-quarter:]) - statistics.median(memory[quarter:2 * quarter])
    verdict.check(record["ok"] == record["requests"] and not witness.wrong,
                  f"{record['requests']:,} requests, {record['requests'] - record['ok']} failed; "
                  f"{witness.asked:,} answers compared, {len(witness.wrong)} wrong")
    verdict.check(grown < 2, f"memory {memory[0]:.0f} MiB at the start, {memory[-1]:.0f} at the end, "
                             f"{grown:+.2f} from the second quarter to the last")
    verdict.check(second < 1.5 * first, f"p99 {1e3 * record['p99_s']:.1f} ms in total; median of the windows "
                                        f"{1e3 * first:.1f} ms in the first half, {1e3 * second:.1f} ms in the second")


def terminated(server, texts, verdict):
    """Every request that was sent before the signal must be answered."""
    print("terminated during requests")
    signalled, lost, answered = [None], [], [0]

    def keep_asking(offset):
        client, i = server.connect(), offset
        while True:
            sent_whole = None
            try:
                client.sendall(request_of(texts[i % len(texts)] + f" {i}"))
                sent_whole = time.monotonic()
                answer = receive(client)
            except OSError:
                answer = None
            if answer is None:
                if sent_whole is not None and (signalled[0] is None or sent_whole < signalled[0]):
                    lost.append(offset)
                return
            answered[0] += answer[0] == 200
            i += 16

    threads = [threading.Thread(target=keep_asking, args=(i,)) for i in range(16)]
    for thread in threads:
        thread.start()
    wait_until(lambda: answered[0] > 500, "requests")
    signalled[0] = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    code = server.process.wait(30)
    took = time.monotonic() - signalled[0]
    for thread in threads:
        thread.join()
    verdict.check(code == 0 and not lost,
                  f"{answered[0]:,} answered, {len(lost)} lost, exit code {code} after {took:.2f} s")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", help="folder with train.tsv and dev.tsv (default: small synthetic data)")
    parser.add_argument("--minutes", type=float, default=10)
    options = parser.parse_args()
    verdict = Verdict()
    with tempfile.TemporaryDirectory(prefix="tacho-soak-") as folder:
        home = pathlib.Path(folder)
        data = pathlib.Path(options.data).resolve() if options.data else write_sentences(home / "sentences")
        sentences = [line.split("\t")[0] for line in (data / "dev.tsv").read_text().splitlines()]
        texts = home / "texts.txt"
        texts.write_text("".join(f"{s} {n}\n" for n in range(200) for s in sentences[:500]))
        redis = Redis()
        server = Server(home, redis, data)
        witness = None
        try:
            closed = server.load("-c", 32, "--duration", "8s", "--texts", texts, "--zipf", "1")
            capacity = json.loads(closed.communicate()[0])["load"]["requests_per_s"]
            print(f"maximum with 32 clients: {capacity:,.0f} requests/s", flush=True)
            witness = Witness(server, sentences[:50])
            under_faults(server, redis, witness, texts, capacity / 2, verdict)
            if options.minutes > 0:
                at_length(server, witness, texts, 0.8 * capacity, options.minutes, verdict)
            witness.end()
            terminated(server, sentences, verdict)
        finally:
            if witness:
                witness.end()
            server.process.kill()
            redis.kill()
    print(f"{'FAILED: ' + str(verdict.failed) if verdict.failed else 'all checks passed'}")
    return 1 if verdict.failed else 0


if __name__ == "__main__":
    sys.exit(main())
