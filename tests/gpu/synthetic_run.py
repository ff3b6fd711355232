"""Runs a short training on synthetic data with tacho-worker only and returns its events."""
import json
import os
import pathlib
import subprocess
import tempfile

SGD = {"kind": "sgd", "learning_rate": 0.001, "momentum": 0.9}
ADAM = {"kind": "adam", "learning_rate": 0.0001}
ADAMW = {"kind": "adamw", "learning_rate": 0.0001, "weight_decay": 0.01}


def events_of_run(worker, model, batch, steps, variables=None, **spec):
    with tempfile.TemporaryDirectory() as folder:
        run = pathlib.Path(folder) / "run"
        run.mkdir()
        (run / "spec.json").write_text(json.dumps({
            "version": 1, "key": f"gpu-{model}", "created_at": 0, "spec": {
                "model": model, "data": "synthetic", "batch": batch, "epochs": 1, "steps": steps,
                "train_samples": batch * steps, "eval_samples": 1, "seed": 1, "device": "cuda",
                "mkldnn": "auto", "checkpoints": False, "tensorboard": False, **spec}}))
        done = subprocess.run([worker, "run", run], capture_output=True, text=True,
                              env={**os.environ, "TACHO_HOME": folder, **(variables or {})})
        events = [json.loads(line) for line in (run / "events.jsonl").read_text().splitlines()]
    assert done.returncode == 0 and events[-1]["outcome"] == "ok", (model, done.stderr, events[-1])
    return events
