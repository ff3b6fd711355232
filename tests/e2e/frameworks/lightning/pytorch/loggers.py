from abc import ABC, abstractmethod


class Logger(ABC):
    save_dir = log_dir = root_dir = None
    group_separator = "/"

    @property
    @abstractmethod
    def name(self):
        pass

    @property
    @abstractmethod
    def version(self):
        pass

    @abstractmethod
    def log_metrics(self, metrics, step=None):
        pass

    @abstractmethod
    def log_hyperparams(self, params, *args, **kwargs):
        pass

    def log_graph(self, model, input_array=None):
        pass

    def after_save_checkpoint(self, checkpoint_callback):
        pass

    def save(self):
        pass

    def finalize(self, status):
        self.save()
