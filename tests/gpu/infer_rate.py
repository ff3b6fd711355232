#!/usr/bin/env python3
"""Measures the share of a GPU's forward rate that DistilBERT reaches over HTTP: bf16, texts of 128 tokens.

    tests/gpu/infer_rate.py BIN_FOLDER SST2_FOLDER [--texts-a-request 1] [--rounds 3]

In alternation with the server: PyTorch's forward pass of the same shapes (transformers' DistilBERT, bf16, one
CUDA graph of batch 128, replayed back to back), which is the limit. Then p99 at 70 % of the highest rate.
"""
import argparse
import http.client
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import torch
from transformers import DistilBertConfig, DistilBertForSequenceClassification

BATCH, LENGTH = 128, 128


class PureForward:
    def __init__(self):
        torch.manual_seed(1)
        model = DistilBertForSequenceClassification(DistilBertConfig(vocab_size=8000))
        self.model = model.cuda().to(torch.bfloat16).eval()
        self.tokens = torch.randint(5, 8000, (BATCH, LENGTH), device="cuda")
        side = torch.cuda.Stream()
        with torch.no_grad():
            with torch.cuda.stream(side):
                for _ in range(3):
                    self.model(self.tokens)
            torch.cuda.synchronize()
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.model(self.tokens)

    def rate(self, replays=200):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        for _ in range(20):
            self.graph.replay()
        begin.record()
        for _ in range(replays):
            self.graph.replay()
        end.record()
        torch.cuda.synchronize()
        return BATCH * replays / (begin.elapsed_time(end) / 1e3)


class Served:
    def __init__(self, programs, sst2, home, options):
        self.tacho, self.home = programs / "tacho", home
        self.env = {**os.environ, "TACHO_HOME": str(home)}
        self.run("train", "distilbert", "--data", "sst2", "--data-dir", sst2, "--length", LENGTH, "-b", 128, "-e", 1,
                 "--train-samples", 1280, "--device", "cuda", "--precision", "bf16")
        self.server = subprocess.Popen(
            [self.tacho, "infer", "last", "--port", "0", "--device", "cuda", "--precision", "bf16", "--max-batch",
             str(BATCH), "--cache", "none", *options], env=self.env, stdout=subprocess.PIPE, text=True)
        line = self.server.stdout.readline()
        self.port = int(re.search(r"http://[\w.]+:(\d+)", line)[1])
        deadline = time.monotonic() + 120
        while self.get("/ready")[0] != 200:
            if time.monotonic() > deadline:
                sys.exit("the server does not become ready")
            time.sleep(0.1)

    def run(self, *words):
        return subprocess.run([self.tacho, *map(str, words)], env=self.env, check=True, capture_output=True,
                              text=True).stdout

    def get(self, path):
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        client.request("GET", path)
        answer = client.getresponse()
        return answer.status, answer.read().decode()

    def metrics(self):
        text = self.get("/metrics")[1]
        return [float(re.search(rf"(?m)^tacho_infer_{name} (\S+)$", text)[1])
                for name in ("samples_total", "batches_total", "compute_seconds_total")]

    def load(self, body, seconds, *options):
        """Returns the result of `tacho load` and the mean batch size."""
        before = self.metrics()
        said = json.loads(self.run("load", f"http://127.0.0.1:{self.port}", "--body", body, "--threads", 4, "--duration",
                                   f"{seconds}s", "--json", *options))["load"]
        samples, batches, busy = (after - b for after, b in zip(self.metrics(), before))
        if said["ok"] != said["requests"]:
            sys.exit(f"{said['requests'] - said['ok']} requests failed: {said.get('remark')}")
        return said, samples / max(1, batches), samples / max(1e-9, busy)


def long_text(sst2):
    """Enough real sentences to fill 128 tokens."""
    lines = (pathlib.Path(sst2) / "dev.tsv").read_text().splitlines()
    return " ".join(" ".join(line.split("\t")[0] for line in lines[:20]).split()[:120])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("sst2", type=pathlib.Path)
    parser.add_argument("--texts-a-request", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=512)
    parser.add_argument("--infer", default="", help="more options of tacho infer, separated by spaces")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        body = home / "body.json"
        body.write_text(json.dumps({"text": [long_text(options.sst2)] * options.texts_per_request}))
        pure = PureForward()
        served = Served(options.programs.resolve(), options.sst2.resolve(), home, options.infer.split())
        try:
            served.load(body, 3, "-c", options.connections)  # captures the graphs
            limits, rates, fills, inside, half = [], [], [], [], []
            for _ in range(options.rounds):
                limits.append(pure.rate())
                said, fill, own = served.load(body, 4, "-c", options.connections)
                rates.append(said["requests_per_s"] * options.texts_per_request)
                fills.append(fill)
                inside.append(own)
                half.append(said["p50_s"])
            limit, rate = statistics.median(limits), statistics.median(rates)
            print(f"PyTorch's forward pass, batch {BATCH}: {limit:,.0f} texts/s")
            print(f"tacho infer, {options.connections} clients, {options.texts_per_request} texts per request: "
                  f"{rate:,.0f} texts/s, {rate / limit:.2f} of it; batches of {statistics.median(fills):.0f}, "
                  f"{statistics.median(inside):,.0f} texts per second of computing, p50 {1e3 * statistics.median(half):.1f} ms")
            wanted = 0.7 * rate / options.texts_per_request
            at70 = [served.load(body, 4, "--rate", wanted, "-c", options.connections)[0] for _ in range(options.rounds)]
            p99 = statistics.median(one["p99_s"] for one in at70)
            print(f"at 70 % of that, {wanted:,.0f} requests/s: p50 {1e3 * statistics.median(o['p50_s'] for o in at70):.1f} ms, "
                  f"p99 {1e3 * p99:.1f} ms")
        finally:
            served.server.terminate()
            served.server.wait()
    return 0 if rate >= 0.8 * max(limit, statistics.median(inside)) and p99 < 0.02 else 1


if __name__ == "__main__":
    sys.exit(main())
