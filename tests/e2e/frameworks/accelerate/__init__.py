"""Stands in for Hugging Face Accelerate: what Accelerator does with trackers."""

from .state import PartialState
from .tracking import LOGGER_TYPE_TO_CLASS, GeneralTracker


class Accelerator:
    def __init__(self, log_with):
        if not isinstance(log_with, GeneralTracker) and log_with not in LOGGER_TYPE_TO_CLASS:
            raise ValueError(f"Unsupported logging capability: {log_with}")
        self._log_with, self.trackers = log_with, []
        self.is_main_process = PartialState().is_main_process

    def init_trackers(self, project_name, config=None, init_kwargs=None):
        if not self.is_main_process:
            return
        if isinstance(self._log_with, GeneralTracker):
            self.trackers.append(self._log_with)
        else:
            made = LOGGER_TYPE_TO_CLASS[self._log_with]
            self.trackers.append(made(project_name, **(init_kwargs or {}).get(self._log_with, {})))
        for tracker in self.trackers:
            if hasattr(GeneralTracker, "start"):  # from version 1.8
                tracker.start()
            if config is not None:
                tracker.store_init_configuration(config)

    def get_tracker(self, name, unwrap=False):
        for tracker in self.trackers:
            return tracker.tracker if unwrap else tracker
        return GeneralTracker(_blank=True)

    def log(self, values, step=None, log_kwargs=None):
        for tracker in self.trackers:
            tracker.log(values, step=step, **(log_kwargs or {}).get(tracker.name, {}))

    def end_training(self):
        for tracker in self.trackers:
            tracker.finish()
