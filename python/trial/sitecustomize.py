"""Python imports this at its start in a trial of `tacho try`, before the program.

Runs the sitecustomize that Python would have found without it, then prepares the trial. A failure here
is a note and does not fail the program."""

import os
import sys


def _import_hidden():
    import importlib.machinery
    import importlib.util
    here = os.path.dirname(os.path.abspath(__file__))
    path = [folder for folder in sys.path if os.path.abspath(folder or os.curdir) != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", path)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


_import_hidden()

try:
    import tacho_trial
    tacho_trial.begin()
except Exception as error:
    print(f"tacho: note: this trial is not prepared: {type(error).__name__}: {error}", file=sys.stderr)
