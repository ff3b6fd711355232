#!/usr/bin/env python3
"""The peers of bench/compare_gpu: PyTorch training steps on one GPU, on synthetic data in device
memory. Reads requests from standard input, one JSON object per line, so that a peer is compiled
and captured once and can then alternate with Tacho:

    {"steps": 50}   ->   {"ms": 1.67, "loss": 2.3}     # mean time of a step, from CUDA events

    peer_gpu.py WORKLOAD --batch N --mode eager|graph|compile|compile-overhead --precision fp32|tf32|bf16
"""
import argparse
import json
import sys

import torch
import torch.nn.functional as F

from peer_models import Distilbert, Gpt, Llama, Lstm, MnistCnn, resnet50


def images(batch, channels, side, classes):
    return (torch.randn(batch, channels, side, side, device="cuda"),
            torch.randint(classes, (batch,), device="cuda"))


def tokens(batch, length, vocabulary):
    return (torch.randint(vocabulary, (batch, length), device="cuda"),
            torch.randint(2, (batch,), device="cuda"))


def documents(batch, length, vocabulary):
    return (torch.randint(vocabulary, (batch, length), device="cuda"),
            torch.randint(vocabulary, (batch * length,), device="cuda"))


LANGUAGE_MODELS = ("gpt2", "llama-1b")  # they return the loss, so that it is compiled too
WORKLOADS = {
    "mnist-cnn": (MnistCnn, lambda b: images(b, 1, 28, 10), "sgd"),
    "lstm": (lambda: Lstm(30522, 256), lambda b: tokens(b, 200, 30522), "adam"),
    "resnet50": (resnet50, lambda b: images(b, 3, 224, 1000), "sgd"),
    "distilbert": (Distilbert, lambda b: tokens(b, 128, 30522), "adamw"),
    "gpt2": (Gpt, lambda b: documents(b, 1024, 50257), "adamw"),
    "llama-1b": (Llama, lambda b: documents(b, 2048, 128256), "adamw"),
}


def optimizer_of(kind, parameters, capturable):
    if kind == "sgd":
        return torch.optim.SGD(parameters, lr=0.01, momentum=0.9, fused=True)
    make = torch.optim.Adam if kind == "adam" else torch.optim.AdamW
    return make(parameters, lr=1e-4, fused=True, capturable=capturable)


class Peer:
    def __init__(self, options):
        make, data, kind = WORKLOADS[options.workload]
        if options.precision == "tf32":
            torch.backends.cuda.matmul.allow_tf32 = True
            torch.backends.cudnn.allow_tf32 = True
        else:
            torch.backends.cudnn.allow_tf32 = False
        torch.backends.cudnn.benchmark = True
        torch.manual_seed(1)
        self.model = make().cuda().train()
        self.x, self.y = data(options.batch)
        if options.channels_last:
            self.model = self.model.to(memory_format=torch.channels_last)
            self.x = self.x.contiguous(memory_format=torch.channels_last)
        self.optimizer = optimizer_of(kind, self.model.parameters(), options.mode == "graph")
        self.bf16 = options.precision == "bf16"
        self.returns_loss = options.workload in LANGUAGE_MODELS
        self.forward = self.model
        if options.mode.startswith("compile"):
            mode = "reduce-overhead" if options.mode == "compile-overhead" else "default"
            self.forward = torch.compile(self.model, mode=mode)
        self.graph = None
        if options.mode == "graph":
            self.capture()
        else:
            for _ in range(5):
                self.loss = self.step()

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16, enabled=self.bf16):
            loss = (self.forward(self.x, self.y) if self.returns_loss
                    else F.cross_entropy(self.forward(self.x), self.y))
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def capture(self):
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(8):
                self.step()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        self.optimizer.zero_grad(set_to_none=True)
        with torch.cuda.graph(graph):
            self.loss = self.step()
        self.graph = graph

    def run(self, steps):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        begin.record()
        for _ in range(steps):
            if self.graph:
                self.graph.replay()
            else:
                self.loss = self.step()
        end.record()
        torch.cuda.synchronize()
        return {"ms": begin.elapsed_time(end) / steps, "loss": self.loss.item()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("workload", choices=WORKLOADS)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--mode", choices=["eager", "graph", "compile", "compile-overhead"],
                        default="eager")
    parser.add_argument("--precision", choices=["fp32", "tf32", "bf16"], default="fp32")
    parser.add_argument("--channels-last", action="store_true")
    options = parser.parse_args()
    peer = Peer(options)
    peer.run(5)
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        print(json.dumps(peer.run(json.loads(line)["steps"])), flush=True)


if __name__ == "__main__":
    main()
