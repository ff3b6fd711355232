#!/usr/bin/env python3
"""Compares advice with the truth: five slow trainings, watched; the same without the fault, timed.

    tests/gpu/advice_check.py TACHO [CASE …]

The right advice has to come first, and its estimate has to be within a factor of 1.5 of what the
change really saves in time per sample. Both programs are timed unwatched, in alternation, so that the
cost of watching does not count.
"""
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).with_name("slow_cases.py")
RIGHT_ADVICE = {"starved": "input", "tiny_batch": "batch", "fp32": "precision", "nchw": "layout",
                "sync": "sync"}
FACTOR = 1.5
ROUNDS = 2


def samples_per_s(case, *more):
    done = subprocess.run([sys.executable, SCRIPT, case, *more], capture_output=True, text=True,
                          check=True)
    return float(re.search(r"samples_per_s=([0-9.]+)", done.stdout).group(1))


def true_saving(case):
    slow, fixed = [], []
    for _ in range(ROUNDS):
        slow.append(samples_per_s(case))
        fixed.append(samples_per_s(case, "--fixed"))
    return 1 - statistics.median(slow) / statistics.median(fixed)


def advice(tacho, case, home):
    env = {**os.environ, "TACHO_HOME": str(home)}
    subprocess.run([tacho, "run", "--quiet", "--", sys.executable, SCRIPT, case], env=env,
                   check=True)
    report = subprocess.run([tacho, "report", "last", "--json"], env=env, check=True,
                            capture_output=True, text=True)
    page = home / f"{case}.html"
    subprocess.run([tacho, "report", "last", "--html", page], env=env, check=True)
    return json.loads(report.stdout)["advice"]


def check(tacho, case, home):
    found = advice(tacho, case, home)
    first, truth = found[0], true_saving(case)
    factor = max(first["saving"] / truth, truth / first["saving"]) if first["saving"] > 0 else 1e9
    ok = first["key"] == RIGHT_ADVICE[case] and factor <= FACTOR
    others = ", ".join(f"{a['key']} {a['saving']:.2f}" for a in found[1:])
    print(f"{'ok  ' if ok else 'FAIL'} {case}: {first['key']} saves {first['saving']:.3f} "
          f"({first['saving_low']:.2f} to {first['saving_high']:.2f}), truly {truth:.3f}, "
          f"factor {factor:.2f}; then {others or 'nothing'}", flush=True)
    return ok


def main():
    tacho, cases = os.path.abspath(sys.argv[1]), sys.argv[2:] or list(RIGHT_ADVICE)
    with tempfile.TemporaryDirectory() as home:
        results = [check(tacho, case, pathlib.Path(home)) for case in cases]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
