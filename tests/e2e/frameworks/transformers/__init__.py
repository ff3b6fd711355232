"""Stands in for Hugging Face Transformers: the events of Trainer, their order and arguments, without training."""

import os
import time
from dataclasses import asdict, dataclass

EVALUATION_SECONDS = 0.05


@dataclass
class TrainingArguments:
    output_dir: str = "out"
    run_name: str = None
    report_to: str = "none"
    learning_rate: float = 5e-5
    seed: int = 42
    max_steps: int = 10
    logging_steps: int = 2
    eval_steps: int = 5
    optim_args: dict = None

    def to_dict(self):
        return asdict(self)


@dataclass
class TrainerState:
    epoch: float = 0
    global_step: int = 0
    is_world_process_zero: bool = True
    is_hyper_param_search: bool = False
    trial_name: str = None


class TrainerCallback:
    def _event(self, args, state, control, **kwargs):
        pass

    on_init_end = on_train_begin = on_train_end = on_epoch_begin = on_epoch_end = on_step_begin = _event
    on_pre_optimizer_step = on_optimizer_step = on_substep_end = on_step_end = on_evaluate = _event
    on_save = on_log = on_prediction_step = _event

    def on_predict(self, args, state, control, metrics, **kwargs):
        pass


class Trainer:
    def __init__(self, model=None, args=None, callbacks=None):
        from .integrations import get_reporting_integration_callbacks
        classes = get_reporting_integration_callbacks(args.report_to)
        self.callbacks = [made() for made in classes] + (callbacks or [])
        self.model, self.args = model, args
        self.state = TrainerState(is_world_process_zero=os.environ.get("RANK", "0") == "0")
        self._call("on_init_end")

    def _call(self, event, **kwargs):
        for callback in self.callbacks:
            getattr(callback, event)(
                self.args, self.state, object(), model=self.model, processing_class=None, optimizer=None,
                lr_scheduler=None, train_dataloader=None, eval_dataloader=None, **kwargs)

    def log(self, logs):
        self._call("on_log", logs={**logs, "epoch": self.state.epoch})

    def train(self):
        self.state.global_step = 0
        self._call("on_train_begin")
        self._call("on_epoch_begin")
        for step in range(1, self.args.max_steps + 1):
            self._call("on_step_begin")
            self.model.step()
            self._call("on_pre_optimizer_step")
            self._call("on_optimizer_step")
            self.state.global_step, self.state.epoch = step, step / self.args.max_steps
            self._call("on_step_end")
            if step % self.args.logging_steps == 0:
                self.log({"loss": 1 / step, "learning_rate": self.args.learning_rate})
            if step % self.args.eval_steps == 0:
                self.evaluate()
                self._call("on_save")
        self._call("on_epoch_end")
        self.log({"train_runtime": 1.5, "train_loss": 0.3})
        self._call("on_train_end")

    def evaluate(self):
        self._call("on_prediction_step")
        time.sleep(EVALUATION_SECONDS)
        metrics = {"eval_loss": 2 / (self.state.global_step + 1)}
        self.log(metrics)
        self._call("on_evaluate", metrics=metrics)

    def predict(self):
        self._call("on_predict", metrics={"test_loss": 0.25})

    def hyperparameter_search(self, rates):
        for number, rate in enumerate(rates):
            self.state.is_hyper_param_search, self.state.trial_name = True, f"trial{number}"
            self.args.learning_rate = rate
            self.train()
