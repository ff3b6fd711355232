"""Records the training of a program: tacho.init(), tacho.log(), tacho.step(). The names are those of W&B, so that
`import tacho as wandb` works; everything stays on this machine. Asks for runs and predictions: tacho.runs(),
tacho.predict(). The manual is `tacho help python`."""

import atexit
import os
import sys

from ._recorder import Error
from ._run import Run, StepTime, outcome_of

run = config = summary = None
_ending = None  # the exception that ends the program
_ASKED = ("compare", "get_run", "predict", "recommend", "runs")  # in _query.py
_watched_in = None  # the process whose end is watched


def init(entity=None, project=None, dir=None, id=None, name=None, notes=None, tags=None, config=None,
         mode=None, reinit=None, **_):
    """Begins a run, or joins that of `tacho run`. Arguments that only W&B's service needs are ignored."""
    global run
    if run is not None and not run._ended and run._pid == os.getpid():
        if not reinit:
            return run
        run.finish()
    _watch_the_end()
    run = Run(project, config, name, tags, notes, mode)
    globals().update(config=run.config, summary=run.summary)
    return run


def _the_run():
    if run is None:
        raise Error("call tacho.init() first")
    return run


def log(data, step=None, commit=None, sync=None):
    _the_run().log(data, step=step, commit=commit)


def step():
    """Measures its body as one training step: `with tacho.step():`"""
    return StepTime(run)


def finish(exit_code=None, quiet=None):
    global run
    if run is not None:
        run.finish(exit_code)
        run = None


def watch(*_, **__):
    """Nothing: gradients and weights are not recorded."""


unwatch = save = define_metric = alert = setup = watch


def login(*_, **__):
    return True


def log_artifact(*_, **__):
    _the_run().log_artifact()


class Media:
    """What W&B shows as pictures and tables: left out of the record."""

    def __init__(self, *_, **__):
        pass

    def __getattr__(self, name):
        return watch


Image = Table = Histogram = Video = Audio = Html = Artifact = Settings = Media


def __getattr__(name):
    if name in _ASKED:
        from . import _query  # only now: it imports more
        return getattr(_query, name)
    if name == "__version__":
        from importlib.metadata import version
        return version("tacho")
    raise AttributeError(f"tacho has no {name!r}: of W&B's names it has those in 'tacho help python'")


def __dir__():
    return sorted({*globals(), *_ASKED})


def _finish_at_exit():
    if run is not None:
        run._end(*outcome_of(_ending))


def _watch_the_end():
    """Finishes the run at the end of the process, with the exception or exit code that ends it."""
    global _watched_in
    if _watched_in == os.getpid():
        return
    if _watched_in is None:
        atexit.register(_finish_at_exit)
        _note_exceptions()
    _watched_in = os.getpid()
    util = sys.modules.get("multiprocessing.util")  # its children end without atexit
    if util is not None:
        util.Finalize(None, _finish_at_exit, exitpriority=0)


def _note_exceptions():
    hook, leave = sys.excepthook, sys.exit

    def noting_hook(kind, error, trace):
        global _ending
        _ending = error
        hook(kind, error, trace)

    def noting_exit(code=None):
        global _ending
        _ending = SystemExit(code)
        leave(code)

    sys.excepthook, sys.exit = noting_hook, noting_exit

