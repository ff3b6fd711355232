"""Stands in for Lightning: the hooks of Trainer, their order and arguments, without training. A copy of this folder
stands in for pytorch_lightning."""

import time

from . import loggers, utilities

VALIDATION_SECONDS = 0.05


class Callback:
    def on_exception(self, trainer, pl_module, exception):
        pass

    def _hook(self, trainer, pl_module):
        pass

    on_train_start = on_train_end = on_train_epoch_start = on_train_epoch_end = _hook
    on_validation_start = on_validation_end = _hook

    def on_train_batch_start(self, trainer, pl_module, batch, batch_idx):
        pass

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        pass


class Trainer:
    def __init__(self, logger, callbacks=(), max_epochs=2, accumulate_grad_batches=1,
                 val_check_interval=5):
        if not isinstance(logger, loggers.Logger) or not all(isinstance(c, Callback) for c in callbacks):
            raise TypeError("not this package's Logger and Callback")
        self.logger, self.callbacks = logger, callbacks
        self.max_epochs, self.accumulate_grad_batches = max_epochs, accumulate_grad_batches
        self.val_check_interval = val_check_interval
        self.global_step = self.current_epoch = 0
        self.is_global_zero = utilities.rank_zero_only.rank == 0

    def _call(self, hook, *args):
        for callback in self.callbacks:
            getattr(callback, hook)(self, self.model, *args)

    def _log(self, metrics):
        metrics = {**metrics, "epoch": self.current_epoch}
        self.logger.log_metrics(metrics=metrics, step=max(self.global_step - 1, 0))
        self.logger.save()

    def fit(self, model):
        self.model = model
        if hasattr(self.logger, "experiment"):
            self.logger.experiment
        try:
            self.logger.log_hyperparams(model.hparams)
            self.logger.log_graph(model)
            self._call("on_train_start")
            for self.current_epoch in range(self.max_epochs):
                self._train_epoch()
            self._call("on_train_end")
        except BaseException as exception:
            self._call("on_exception", exception)
            self.logger.finalize("failed")
            raise
        self.logger.finalize("success")

    def _train_epoch(self):
        self._call("on_train_epoch_start")
        for batch in range(1, 11):
            self._call("on_train_batch_start", batch, batch - 1)
            self.model.step()
            if batch % self.accumulate_grad_batches == 0:
                self.global_step += 1
            self._call("on_train_batch_end", {"loss": 0}, batch, batch - 1)
            if batch % 2 == 0:
                self._log({"train_loss": 1 / batch})
            if batch % self.val_check_interval == 0:
                self.validate(self.model)
        self._call("on_train_epoch_end")

    def validate(self, model):
        self.model = model
        self._call("on_validation_start")
        time.sleep(VALIDATION_SECONDS)
        self._call("on_validation_end")
        self._log({"val_loss": 0.5})
