"""One recorded run of this process."""

import os
import resource
import sys
import time
from array import array

from ._events import EventFile, warn
from ._recorder import Error, Recorder
from ._values import flat, number_of, settings_of

MOST_STEPS = 2048  # whose times are kept
# Names that number a line, as in the output of a program (src/tracing/listen/line_figures.h).
NUMBERS = ("step", "global_step", "iteration", "iter")


class Config(dict):
    """The settings of a run, also as attributes; changes are recorded."""

    def __init__(self, run, entries):
        super().__init__()
        object.__setattr__(self, "_run", run)
        self.update(entries)

    def update(self, entries=None, allow_val_change=None, **more):
        entries = {**settings_of(entries), **more}
        super().update(entries)
        if entries:
            self._run._describe(config={name: str(value) for name, value in flat(entries)})

    def setdefaults(self, entries):
        self.update({name: value for name, value in settings_of(entries).items() if name not in self})

    def __setitem__(self, name, value):
        self.update({name: value})

    def __setattr__(self, name, value):
        self.update({name: value})

    def __getattr__(self, name):
        if name not in self:
            raise AttributeError(f"the config has no {name!r}")
        return self[name]

    def as_dict(self):
        return dict(self)

    def __reduce__(self):
        return dict, (dict(self),)


class Summary(dict):
    """The last figures; setting one records it."""

    def __init__(self, run):
        super().__init__()
        self._run = run

    def update(self, entries=None, **more):
        entries = {**(entries or {}), **more}
        super().update(entries)
        self._run._add(entries, self._run.step)

    def __setitem__(self, name, value):
        self.update({name: value})

    def __reduce__(self):
        return dict, (dict(self),)


class StepTime:
    """`with tacho.step():` measures its body."""

    def __init__(self, run):
        self._run = run

    def __enter__(self):
        self._began = time.perf_counter()
        return self

    def __exit__(self, kind, *_):
        if kind is None and self._run is not None:
            self._run._add_step(time.perf_counter() - self._began)


class Run:
    """Use tacho.init(). Nothing here blocks or fails the program: problems are notes."""

    def __init__(self, project, config, name, tags, notes, mode):
        self.project, self.name, self.notes = project, name, notes
        self.tags = (tags,) if isinstance(tags, str) else tuple(tags or ())
        self.id = self.dir = self.url = self._recorder = self._events = None
        self.step = 0
        self._pid = os.getpid()
        self._ended = False
        self._used = resource.getrusage(resource.RUSAGE_SELF)
        self._step_times, self._step_stride, self._steps, self._told = array("d"), 1, 0, 0.0
        if mode != "disabled":
            self._start()
        self.summary = Summary(self)
        self._describe()
        self.config = Config(self, {})
        try:
            self.config.update(config)
        except Exception as error:  # of a config that is not a plain dict
            warn(f"the config is not recorded: {type(error).__name__}: {error}")
        if notes and self._events:
            self._events.add("note", text=str(notes))

    def _start(self):
        """Joins the run of `tacho run`, or makes one."""
        self.dir = os.environ.get("TACHO_RUN_FOLDER")
        if not self.dir or not os.path.exists(os.path.join(self.dir, "spec.json")):
            try:
                self._recorder = Recorder()
            except (Error, OSError, ValueError) as error:
                warn(f"this program is not recorded: {error}")
                return
            self.id, self.dir = str(self._recorder.run), self._recorder.folder
            if sys.stderr.isatty():
                print(f"tacho: run {self.id}; see it with 'tacho serve'", file=sys.stderr)
        self._events = EventFile(os.path.join(self.dir, "logged"))

    def _describe(self, config=None):
        if self._events:
            self._events.add("described", name=str(self.name or ""), project=str(self.project or ""),
                             tags=[str(tag) for tag in self.tags], config=config or {})

    def _add(self, data, step):
        values = {}
        for name, value in flat(data):
            try:
                values[name] = number_of(value)
            except Exception:
                warn(f"{name} is left out of the record: it is not a number")
        if values and self._events:
            self._events.add_figures(step, values)
        return values

    def log(self, data, step=None, commit=None, sync=None):
        """Records numbers at a step: by default, one step more than with the last call."""
        try:
            if step is None:
                number = next((name for name in NUMBERS if name in data), None)
                step = data.get(number)
                data = {name: value for name, value in data.items() if name != number}
            if step is not None:
                self.step = int(step)
            dict.update(self.summary, self._add(data, self.step))
        except Exception as error:
            return warn(f"log() could not record its figures: {error}; pass a dict of numbers")
        if commit or (commit is None and step is None):
            self.step += 1

    def _add_step(self, seconds):
        if self._steps % self._step_stride == 0:
            self._step_times.append(seconds)
        self._steps += 1
        if len(self._step_times) >= 2 * MOST_STEPS:
            self._step_times = self._step_times[::2]
            self._step_stride *= 2
        if time.monotonic() - self._told >= 1:
            self._tell_steps()

    def _tell_steps(self):
        self._told = time.monotonic()
        times = sorted(self._step_times[1:] or self._step_times)  # the first is slower
        if times and self._events:
            p25, median, p75 = (times[int(share * (len(times) - 1))] for share in (0.25, 0.5, 0.75))
            self._events.add("found_steps", process=self._pid, steps=self._steps, period_s=median,
                             p25_s=p25, p75_s=p75, kernels_per_step=0, confidence=1)

    def finish(self, exit_code=None, quiet=None):
        """Ends the run, or this program's part in that of `tacho run`."""
        self._end("failed" if exit_code else "ok", f"exit code {exit_code}" if exit_code else "")

    def _end(self, outcome, reason):
        if self._ended:
            return
        self._ended = True
        if not self._events:
            return
        ours = os.getpid() == self._pid  # not a forked child
        if ours:
            self._tell_steps()
        self._events.close()
        if ours and self._recorder:
            used = resource.getrusage(resource.RUSAGE_SELF)
            self._recorder.finish(
                outcome=outcome, reason=reason[:500], wall_seconds=0,
                user_seconds=used.ru_utime - self._used.ru_utime,
                system_seconds=used.ru_stime - self._used.ru_stime,
                peak_memory_bytes=used.ru_maxrss << 10,
                minor_faults=used.ru_minflt - self._used.ru_minflt,
                major_faults=used.ru_majflt - self._used.ru_majflt)

    # Nothing to do: all of it is recorded anyway, or belongs to a service.
    def watch(self, *_, **__):
        pass

    unwatch = save = define_metric = mark_preempting = alert = log_code = watch

    def log_artifact(self, *_, **__):
        warn("artifacts are not stored; the files stay where the program wrote them")

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        self._end(*outcome_of(error))


def outcome_of(error):
    """How a run ended whose program ended with this exception, or with None."""
    if error is None or isinstance(error, SystemExit) and not error.code:
        return "ok", ""
    if isinstance(error, KeyboardInterrupt):
        return "cancelled", "stopped by the user"
    reason = f"{type(error).__name__}: {error}".splitlines()[0]
    if isinstance(error, SystemExit):
        reason = f"exit code {error.code}"
    if isinstance(error, MemoryError) or "out of memory" in reason.lower():
        return "out_of_memory", reason
    return "failed", reason
