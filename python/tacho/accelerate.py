"""Records the training of a program with Accelerate: Accelerator(log_with=TachoTracker(project=…)), or, with a version
that has register_tracker_class, log_with="tacho" once this module is imported."""

import accelerate.tracking
from accelerate.state import PartialState
from accelerate.tracking import GeneralTracker

import tacho

from ._events import harmless


class TachoTracker(GeneralTracker):
    """Takes the arguments of tacho.init(). The run ends with end_training() or with the program."""

    name = "tacho"
    requires_logging_directory = False

    def __init__(self, project=None, **init):
        super().__init__()
        self._init = {"project": project, **init}

    @property
    def tracker(self):
        """The run; on ranks other than 0, one that records nothing."""
        return tacho.init(**(self._init if PartialState().is_main_process else {"mode": "disabled"}))

    def start(self):
        self.tracker

    @harmless
    def store_init_configuration(self, values):
        self.tracker.config.update(values)

    @harmless
    def log(self, values, step=None, **_):
        self.tracker.log(values, step=step)

    def finish(self):
        tacho.finish()


if hasattr(accelerate.tracking, "register_tracker_class"):
    accelerate.tracking.register_tracker_class(TachoTracker)
