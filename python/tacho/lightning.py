"""Records the training of a Lightning Trainer, of the package lightning or pytorch_lightning:
Trainer(logger=TachoLogger(project=…), callbacks=[TachoCallback()])."""

import importlib
import importlib.util
import os
import sys
import time

import tacho

from ._events import harmless
from ._run import outcome_of


def _package():
    """The package that the program has imported, or the one that is installed."""
    names = ("lightning.pytorch", "pytorch_lightning")
    imported = [name for name in names if name in sys.modules]
    installed = [name for name in names if importlib.util.find_spec(name.partition(".")[0])]
    return importlib.import_module((imported + installed + [names[0]])[0])


pl = _package()
rank_zero_only = pl.utilities.rank_zero_only


class TachoLogger(pl.loggers.Logger):
    """Takes the arguments of tacho.init(). The run ends with the program, or with tacho.finish()."""

    def __init__(self, project=None, **init):
        super().__init__()
        self._init = {"project": project, **init}

    @property
    def experiment(self):
        """The run; on ranks other than 0, one that records nothing."""
        return tacho.init(**({"mode": "disabled"} if rank_zero_only.rank else self._init))

    # Checkpoints are saved in the folder NAME/VERSION.
    @property
    def name(self):
        return str(self._init["project"] or "tacho")

    @property
    def version(self):
        run = self.experiment
        return run.id or os.path.basename(run.dir or "0")

    @rank_zero_only
    @harmless
    def log_metrics(self, metrics, step=None):
        self.experiment.log(metrics, step=step)

    @rank_zero_only
    @harmless
    def log_hyperparams(self, params=None, *_, **__):
        self.experiment.config.update(params or {})

    @rank_zero_only
    @harmless
    def finalize(self, status):
        """Called at the end of each fit, validate and test; "failed" while the exception is handled."""
        if status == "failed" and tacho.run is not None:
            tacho.run._end(*outcome_of(sys.exc_info()[1]))


class TachoCallback(pl.Callback):
    """Records the times of steps: from the end of one to the end of the next, without validation."""

    _since = 0.0

    def on_train_epoch_start(self, trainer, pl_module):
        self._since, self._step = time.perf_counter(), trainer.global_step

    on_train_start = on_train_epoch_start  # an epoch that is resumed does not start

    def on_validation_start(self, trainer, pl_module):
        self._validates_since = time.perf_counter()

    def on_validation_end(self, trainer, pl_module):
        self._since += time.perf_counter() - self._validates_since

    @harmless
    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        if not trainer.is_global_zero or trainer.global_step == self._step:  # gradients accumulate
            return
        now = time.perf_counter()
        tacho.init()._add_step(now - self._since)
        self._since, self._step = now, trainer.global_step
