"""Measures the steps of a PyTorch program from outside, and ends it when they are known.

A step lasts from one call of the first optimizer's step() to the next. The environment variable
TACHO_TRIAL has the plan as JSON: `changes` (tacho_changes.py), `seed` (added to that of the program), and
when to end: after `steps` steps, or, if that is 0, when `seconds` of steps were measured, and after
`most_seconds` in any case."""

import functools
import json
import os
import random
import signal
import sys
import threading
import time

LEAST_STEPS = 10
WARM_UP_STEPS = 3
PAUSE = 10  # times the median: an evaluation, a checkpoint or a compilation, not a step
MOST_LOSSES = 512
RANKS = int(os.environ.get("WORLD_SIZE", "1"))
STEPS_OF_RANKS = 20  # all ranks must end after the same number
FEW_STEPS = 2  # after which a change has taken effect, or never does


class Trial:
    def __init__(self, plan, changes):
        self.plan, self.changes = plan, changes
        self.steps, self.marks, self.losses = 0, [], []
        self.leader = self.torch = None
        self.on_gpu = self.ended = False
        self.process = None  # that makes the steps

    def watch(self, torch):
        self.torch = torch
        wrap(torch, "manual_seed", lambda seed_all, seed: seed_all(int(seed) + self.plan["seed"]))
        torch.manual_seed(0)
        wrap(torch.optim.Optimizer, "__init__", self._wrap_step)
        wrap(torch.Tensor, "backward", self._keep_loss)
        for change in self.changes:
            change.apply(torch)

    def _wrap_step(self, make, optimizer, *args, **kwargs):
        make(optimizer, *args, **kwargs)
        kind = type(optimizer)
        if not getattr(kind.step, "tacho", False):
            wrap(kind, "step", self._step)
            kind.step.tacho = True
        for change in self.changes:
            change.optimizer_made(optimizer)

    def _step(self, step, optimizer, *args, **kwargs):
        result = step(optimizer, *args, **kwargs)
        if self.leader is None:
            self.leader, self.process = id(optimizer), os.getpid()
            self.on_gpu = any(p.is_cuda for group in optimizer.param_groups for p in group["params"])
        if id(optimizer) == self.leader and os.getpid() == self.process:
            self._count()
        return result

    def _keep_loss(self, backward, loss, *args, **kwargs):
        if len(self.losses) < MOST_LOSSES and loss.numel() == 1:
            self.losses.append(loss.detach().clone())  # read at the end, so that no step waits
        return backward(loss, *args, **kwargs)

    def _count(self):
        self.steps += 1
        if self.on_gpu:
            if self.torch.cuda.is_current_stream_capturing():
                return
            mark = self.torch.cuda.Event(enable_timing=True)
            mark.record()
            self.marks.append((time.perf_counter(), mark))
        else:
            self.marks.append((time.perf_counter(), None))
        useless = self.steps >= FEW_STEPS and any(not change.effect for change in self.changes)
        if useless or self._enough():
            self.end()

    def _enough(self):
        steps = self.plan["steps"] or (STEPS_OF_RANKS if RANKS > 1 else 0)
        if steps:
            return self.steps >= steps
        if self.marks[-1][0] - self.marks[0][0] >= self.plan["most_seconds"]:
            return True
        first = self.marks[min(WARM_UP_STEPS, len(self.marks) - 1)][0]
        return (len(self.marks) > WARM_UP_STEPS + LEAST_STEPS
                and self.marks[-1][0] - first >= self.plan["seconds"])

    def _intervals(self):
        if self.on_gpu:
            self.torch.cuda.synchronize()
            times = [a[1].elapsed_time(b[1]) / 1e3 for a, b in zip(self.marks, self.marks[1:])]
        else:
            times = [b[0] - a[0] for a, b in zip(self.marks, self.marks[1:])]
        times = times[WARM_UP_STEPS - 1:] or times
        limit = PAUSE * sorted(times)[len(times) // 2] if times else 0
        return sorted(seconds for seconds in times if seconds <= limit)

    def report(self):
        """Logs as the Python package does; the process that runs `tacho try` reads it."""
        if self.ended or not self.steps or os.getpid() != self.process:
            return
        self.ended = True
        if os.environ.get("RANK", "0") != "0":
            return
        said = {"torch": self.torch.__version__, "device": "gpu" if self.on_gpu else "cpu"}
        if RANKS > 1:
            said["ranks"] = str(RANKS)
        for change in self.changes:
            if change.effect:
                said["effect." + change.name] = change.effect
                said["keep." + change.name] = change.keep
            else:
                said["missing." + change.name] = change.missing
        lines = [line("described", name="", project="", tags=[], config=said)]
        times = self._intervals()
        if times:
            at = lambda share: times[int(share * (len(times) - 1))]
            lines.append(line("found_steps", process=self.process, steps=self.steps,
                              period_s=sum(times) / len(times), p25_s=at(0.25), p75_s=at(0.75),
                              kernels_per_step=0, confidence=1))
        for i, loss in enumerate(self.losses):
            value = loss.item()
            finite = value == value and abs(value) != float("inf")
            lines.append('{"v":1,"t":%.6f,"kind":"figures","from":"python","step":%d,"values":%s}\n'
                         % (time.time(), i, json.dumps({"trial_loss": value if finite else None})))
        folder = os.path.join(os.environ["TACHO_RUN_FOLDER"], "logged")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with open(os.path.join(folder, f"trial-{self.process}.jsonl"), "w") as out:
            out.write("".join(lines))

    def end(self):
        """Ends the program without its own end, which may evaluate or save something."""
        self.report()
        sys.stdout.flush()
        sys.stderr.flush()
        import multiprocessing
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # PyTorch's handler raises when a worker was killed
        for worker in multiprocessing.active_children():  # of data loaders
            worker.kill()
        os._exit(0)


def line(kind, **fields):
    return '{"v":1,"t":%.6f,"kind":"%s",%s\n' % (time.time(), kind, json.dumps(fields)[1:])


def wrap(owner, name, around):
    """Replaces a function by one that calls around(function, …)."""
    inner = getattr(owner, name)

    @functools.wraps(inner)
    def call(*args, **kwargs):
        return around(inner, *args, **kwargs)
    setattr(owner, name, call)


class AfterImport:
    """Calls functions as soon as the program has imported their modules."""

    def __init__(self, calls):
        self._calls = calls
        self._searching = False

    def find_spec(self, name, path=None, target=None):
        if name not in self._calls or self._searching:
            return None
        import importlib.util
        self._searching = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._searching = False
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_then_call(module):
                execute(module)
                call = self._calls.pop(name, None)
                if call:
                    call(module)
            spec.loader.exec_module = execute_then_call
        return spec


def begin():
    if "TACHO_TRIAL" not in os.environ or "TACHO_RUN_FOLDER" not in os.environ:
        return
    import atexit
    import tacho_changes
    plan = json.loads(os.environ["TACHO_TRIAL"])
    trial = Trial(plan, [tacho_changes.CHANGES[name]() for name in plan["changes"]])
    random.seed(plan["seed"])
    sys.meta_path.insert(0, AfterImport({
        "torch": trial.watch,
        "numpy": lambda numpy: numpy.random.seed(plan["seed"])}))
    atexit.register(trial.report)
