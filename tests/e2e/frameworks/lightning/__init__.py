from .pytorch import Callback, Trainer
