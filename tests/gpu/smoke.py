#!/usr/bin/env python3
"""Trains on the GPU with tacho-worker only and reads its TensorBoard files with TensorBoard.

    tests/gpu/smoke.py WORKER FASHION_MNIST_FOLDER
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def order(model, folder):
    return {"version": 1, "key": f"gpu-{model}", "created_at": 0, "spec": {
        "model": model, "data": "fashion-mnist", "data_folder": folder, "batch": 64, "epochs": 2,
        "optimizer": {"kind": "sgd", "learning_rate": 0.02, "momentum": 0.9},
        "seed": 1, "device": "cuda", "mkldnn": "auto"}}


def train(worker, model, data, home):
    run = home / model
    run.mkdir()
    (run / "spec.json").write_text(json.dumps(order(model, data)))
    done = subprocess.run([worker, "run", run], env={**os.environ, "TACHO_HOME": str(home)},
                          capture_output=True, text=True)
    events = [json.loads(line) for line in (run / "events.jsonl").read_text().splitlines()]
    end = events[-1]
    assert done.returncode == 0 and end["outcome"] == "ok", (done.stderr, end)
    epochs = [event for event in events if event["kind"] == "epoch"]
    steps = sorted(s for event in events if event["kind"] == "steps" for s in event["seconds"])
    assert epochs[-1]["top1"] > 0.8, epochs[-1]
    print(f"{model}: top-1 {epochs[-1]['top1']:.4f}, median step {1e3 * steps[len(steps) // 2]:.2f} ms,"
          f" {events[0]['host']['gpu']}, driver {events[0]['host']['gpu_driver']},"
          f" torch {events[0]['torch_version']}")
    return run, events


def check_tensorboard(run, events):
    try:
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    except ImportError:
        print("tensorboard: skipped, not installed")
        return
    board = EventAccumulator(str(run / "tensorboard"), size_guidance={"scalars": 0})
    board.Reload()
    losses = [loss for event in events if event["kind"] == "steps" for loss in event["loss"]]
    read = [scalar.value for scalar in board.Scalars("train/loss")]
    assert len(read) == len(losses) and all(abs(a - b) < 1e-6 for a, b in zip(read, losses))
    top1 = [event["top1"] for event in events if event["kind"] == "epoch"]
    assert [round(s.value, 5) for s in board.Scalars("eval/top1")] == [round(v, 5) for v in top1]
    print(f"tensorboard: read {len(read)} losses and {len(top1)} accuracies, all equal;"
          f" tags {sorted(board.Tags()['scalars'])}")


def main():
    worker, data = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        for model in ("lenet5", "mnist-cnn"):
            run, events = train(worker, model, data, pathlib.Path(folder))
        check_tensorboard(run, events)


if __name__ == "__main__":
    main()
