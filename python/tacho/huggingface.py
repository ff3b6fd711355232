"""Records the training of a Hugging Face Trainer: TrainingArguments(report_to="tacho") once this module is imported,
or Trainer(callbacks=[TachoCallback(project=…)])."""

import time
from collections.abc import Mapping

from transformers import TrainerCallback
from transformers.integrations import INTEGRATION_TO_CALLBACK, rewrite_logs

import tacho

from ._events import harmless
from ._values import flat


class TachoCallback(TrainerCallback):
    """Takes the arguments of tacho.init(). The run ends with the program, or with tacho.finish()."""

    def __init__(self, **init):
        self._init = init
        self._described = False  # the run has the config
        self._since = None  # the end of the last step, or of what came between it and the next

    def _run(self, args, state, model):
        name = state.trial_name or (args.run_name if args.run_name != args.output_dir else None)
        project = getattr(args, "project", None)  # from version 5
        run = tacho.init(**{"project": project, "name": name, **self._init})
        if not self._described:
            self._described = True
            config = flat({**args.to_dict(), "model": _config_of(model)})
            run.config.update({name: value for name, value in config if value is not None})
        return run

    @harmless
    def _log(self, args, state, model, values):
        if state.is_world_process_zero:
            self._run(args, state, model).log(rewrite_logs(values), step=state.global_step)

    @harmless
    def on_train_begin(self, args, state, control, model=None, **_):
        if not state.is_world_process_zero:
            return
        if state.is_hyper_param_search:  # a run for each trial
            tacho.finish()
        self._described = False
        self._run(args, state, model)

    def on_epoch_begin(self, *_, **__):
        self._since = time.perf_counter()

    on_save = on_epoch_begin

    @harmless
    def on_step_end(self, args, state, control, **_):
        now = time.perf_counter()
        if state.is_world_process_zero and tacho.run is not None and self._since is not None:
            tacho.run._add_step(now - self._since)
        self._since = now

    def on_log(self, args, state, control, model=None, logs=None, **_):
        self._log(args, state, model, logs)

    def on_evaluate(self, args, state, control, **_):  # its metrics are logged
        self._since = time.perf_counter()

    def on_predict(self, args, state, control, metrics, model=None, **_):
        self._log(args, state, model, metrics)


def _config_of(model):
    config = getattr(model, "config", None) or {}
    return config if isinstance(config, Mapping) else config.to_dict()


INTEGRATION_TO_CALLBACK["tacho"] = TachoCallback
