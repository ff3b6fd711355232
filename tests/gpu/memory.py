#!/usr/bin/env python3
"""Compares the memory predicted by `describe-model` with the peak recorded by a run on the GPU, for
every model at two batch sizes. In bf16: in fp32 cuDNN takes workspaces of gigabytes for some
convolutions, which nothing predicts.

    tests/gpu/memory.py WORKER [--precision bf16] [--json FILE] [MODEL ...]
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import queue
import subprocess
import sys

from synthetic_run import ADAM, ADAMW, SGD, events_of_run

BOUND = 0.10
AT_ONCE = 4  # a GPU's memory is counted per process
NOTHING = {"channels": 0, "height": 0, "width": 0, "length": 0, "vocabulary": 0}
MNIST = {**NOTHING, "channels": 1, "height": 28, "width": 28, "classes": 10}
IMAGE = {**NOTHING, "channels": 3, "height": 224, "width": 224, "classes": 1000}
PIECES = {**NOTHING, "length": 128, "vocabulary": 30522, "classes": 2}
GPT2 = {**NOTHING, "length": 1024, "vocabulary": 50257, "classes": 50257}
LLAMA = {**NOTHING, "length": 2048, "vocabulary": 128256, "classes": 128256}
WORDS = {**NOTHING, "length": 200, "vocabulary": 20000, "classes": 2}
# The optimizers are those of the catalog, with low rates: nothing has to be learned here.
MODELS = {
    "alexnet": (IMAGE, SGD, (128, 512)), "vgg11": (IMAGE, SGD, (32, 128)),
    "vgg16": (IMAGE, SGD, (32, 128)), "resnet18": (IMAGE, SGD, (64, 256)),
    "resnet34": (IMAGE, SGD, (64, 256)), "resnet50": (IMAGE, SGD, (32, 128)),
    "resnet101": (IMAGE, SGD, (32, 128)), "resnet152": (IMAGE, SGD, (16, 64)),
    "mobilenet_v2": (IMAGE, SGD, (64, 256)), "densenet121": (IMAGE, SGD, (32, 128)),
    "vit_small": (IMAGE, ADAMW, (32, 128)), "distilbert": (PIECES, ADAMW, (32, 128)),
    "bert_base": (PIECES, ADAMW, (32, 128)), "lstm": (WORDS, ADAM, (64, 512)),
    "mnist-cnn": (MNIST, SGD, (512, 2048)), "lenet5": (MNIST, SGD, (1024, 4096)),
    "mlp": (MNIST, SGD, (4096, 16384)),
    "gpt2": (GPT2, ADAMW, (4, 16)), "llama-125m": (LLAMA, ADAMW, (2, 8)),
}


def predicted(worker, model, batch, precision):
    sample, optimizer, _ = MODELS[model]
    request = {"model": model, "batch": batch, "precision": precision, **sample,
               "optimizer": optimizer["kind"], "momentum": optimizer.get("momentum", 0)}
    said = subprocess.run([worker, "describe-model", json.dumps(request)], capture_output=True,
                          text=True)
    assert said.returncode == 0, said.stderr
    return json.loads(said.stdout)["memory"]


def measured(worker, model, batch, precision):
    events = events_of_run(worker, model, batch, steps=8, precision=precision,
                           optimizer=MODELS[model][1])
    return events[-1]["device_memory_bytes"]


def case(worker, model, batch, precision):
    prediction = predicted(worker, model, batch, precision)
    return {"model": model, "batch": batch, "precision": precision, "prediction": prediction,
            "measured": measured(worker, model, batch, precision)}


def share_cores(shares):
    """Gives each thread of the pool, and what it starts, separate cores."""
    os.sched_setaffinity(0, shares.get())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("worker")
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--precision", default="bf16")
    parser.add_argument("--json", help="also write all results to this file")
    options = parser.parse_args()
    cases = [(model, batch, options.precision) for model in options.models or MODELS
             for batch in MODELS[model][2]]
    cores = sorted(os.sched_getaffinity(0))
    shares = queue.SimpleQueue()
    for i in range(AT_ONCE):
        shares.put(set(cores[i::AT_ONCE] or cores))
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE, initializer=share_cores,
                                               initargs=(shares,)) as pool:
        results = list(pool.map(lambda c: case(options.worker, *c), cases))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results))
    outside = 0
    for r in results:
        error = r["prediction"]["total_bytes"] / r["measured"] - 1
        outside += abs(error) > BOUND
        print(f"{r['model']:13} {r['batch']:6} {r['precision']:5} measured {r['measured'] / 2**20:9.1f} MiB"
              f"  predicted {r['prediction']['total_bytes'] / 2**20:9.1f}  {100 * error:+6.1f} %"
              f"{'  <--' if abs(error) > BOUND else ''}")
    print(f"predictions outside {BOUND:.0%}: {outside} of {len(results)}")
    sys.exit(1 if outside else 0)


if __name__ == "__main__":
    main()
