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
import weakref

LEAST_STEPS = 10
WARM_UP_STEPS = 3
LONG = 10  # times the median: perhaps an evaluation, a checkpoint or a compilation, not a step
RARE = 50  # steps; long ones that are less frequent than that are left out
STEPS_UNTIL_ANOTHER_LEADS = 5
MOST_LOSSES = 512
STEPS_OF_RANKS = 20  # all ranks must end after the same number
FEW_STEPS = 2  # after which a change has taken effect, or never does


class Trial:
    def __init__(self, plan, changes):
        self.plan, self.changes = plan, changes
        self.steps, self.marks, self.losses = 0, [], []
        self.began = None  # time of the first step
        self.leader = self.torch = None
        self.others = {}  # steps of other optimizers since the leader's last
        self.on_gpu = self.ended = self.in_step = False
        self.between = False  # the program evaluated or saved something since the last step
        self.process = None  # that makes the steps
        self.ranks, self.rank = int(os.environ.get("WORLD_SIZE", "1")), int(os.environ.get("RANK", "0"))

    def watch(self, torch):
        self.torch = torch
        wrap(torch, "manual_seed", lambda seed_all, seed: seed_all(int(seed) + self.plan["seed"]))
        torch.manual_seed(0)
        wrap(torch.optim.Optimizer, "__init__", self._wrap_step)
        wrap(torch.Tensor, "backward", self._keep_loss)
        wrap(torch.nn.Module, "train", self._see_mode)
        wrap(torch, "save", self._see_save)
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
        if self.in_step:  # a derived optimizer calls the step of its base
            return step(optimizer, *args, **kwargs)
        self.in_step = True
        try:
            result = step(optimizer, *args, **kwargs)
        finally:
            self.in_step = False
        if self.leader is None:
            self.process = os.getpid()
            self._follow(optimizer)
        if os.getpid() == self.process:
            self._count(optimizer)
        return result

    def _follow(self, optimizer):
        self.leader, self.alive, self.others = id(optimizer), weakref.ref(optimizer), {}
        self.on_gpu = any(p.is_cuda for group in optimizer.param_groups for p in group["params"])
        distributed = self.torch.distributed
        if distributed.is_available() and distributed.is_initialized():
            self.ranks, self.rank = distributed.get_world_size(), distributed.get_rank()
        for change in self.changes:
            if not change.effect:
                change.optimizer_made(optimizer)  # its parameters may have been moved since

    def _see_mode(self, train, module, mode=True):
        self.between = self.between or not mode
        return train(module, mode)

    def _see_save(self, save, *args, **kwargs):
        self.between = True
        return save(*args, **kwargs)

    def _keep_loss(self, backward, loss, *args, **kwargs):
        if len(self.losses) < MOST_LOSSES and loss.numel() == 1:
            self.losses.append(loss.detach().clone())  # read at the end, so that no step waits
        return backward(loss, *args, **kwargs)

    def _count(self, optimizer):
        if id(optimizer) != self.leader:
            made = self.others[id(optimizer)] = self.others.get(id(optimizer), 0) + 1
            if made < STEPS_UNTIL_ANOTHER_LEADS or self.alive() and made <= len(self.marks):
                return
            self._follow(optimizer)
            self.marks.clear()
        self.others.clear()
        self.steps += 1
        mark = None
        if self.on_gpu:
            if self.torch.cuda.is_current_stream_capturing():
                return
            mark = self.torch.cuda.Event(enable_timing=True)
            mark.record()
        self.marks.append((time.perf_counter(), mark, self.between))
        self.began = self.began or self.marks[-1][0]
        self.between = False
        useless = self.steps >= FEW_STEPS and any(not change.effect for change in self.changes)
        if useless or self._enough():
            self.end()

    def _enough(self):
        steps = self.plan["steps"] or (STEPS_OF_RANKS if self.ranks > 1 else 0)
        if steps:
            return self.steps >= steps
        if self.marks[-1][0] - self.began >= self.plan["most_seconds"]:
            return True
        first = self.marks[min(WARM_UP_STEPS, len(self.marks) - 1)][0]
        if (len(self.marks) <= WARM_UP_STEPS + LEAST_STEPS
                or self.marks[-1][0] - first < self.plan["seconds"]):
            return False
        return not self._needs_more([b[0] - a[0] for a, b in zip(self.marks, self.marks[1:])])

    def _needs_more(self, times):
        """True if only more steps can tell a rare long one from a part of each few, such as a wait for data."""
        times = times[WARM_UP_STEPS - 1:]
        return len(times) < RARE and max(times) > LONG * sorted(times)[len(times) // 2]

    def _intervals(self):
        """The times of the steps, sorted."""
        if self.on_gpu:
            self.torch.cuda.synchronize()
        steps = [(a[1].elapsed_time(b[1]) / 1e3 if a[1] and b[1] else b[0] - a[0], b[2])
                 for a, b in zip(self.marks, self.marks[1:])]
        steps = steps[WARM_UP_STEPS - 1:] or steps
        if not steps:
            return []
        limit = LONG * sorted(seconds for seconds, _ in steps)[len(steps) // 2]
        steps = [(seconds, between) for seconds, between in steps if not (between and seconds > limit)]
        long = sum(seconds > limit for seconds, _ in steps)
        if long <= len(steps) // RARE:
            steps = [(seconds, between) for seconds, between in steps if seconds <= limit]
        return sorted(seconds for seconds, _ in steps)

    def report(self):
        """Logs as the Python package does; the process that runs `tacho try` reads it."""
        if self.ended or not self.steps or os.getpid() != self.process:
            return
        self.ended = True
        if self.rank != 0:
            return
        said = {"torch": self.torch.__version__, "device": "gpu" if self.on_gpu else "cpu"}
        if self.ranks > 1:
            said["ranks"] = str(self.ranks)
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
    calls = {"torch": trial.watch, "numpy": lambda numpy: numpy.random.seed(plan["seed"])}
    for name in [name for name in calls if name in sys.modules]:
        calls.pop(name)(sys.modules[name])
    sys.meta_path.insert(0, AfterImport(calls))
    atexit.register(trial.report)
