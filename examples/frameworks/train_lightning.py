"""A small network learns the sign of a product; recorded by Tacho's logger and callback."""

import torch
from lightning.pytorch import LightningModule, Trainer

from tacho.lightning import TachoCallback, TachoLogger


class Product(LightningModule):
    def __init__(self, hidden=32, lr=1e-2):
        super().__init__()
        self.save_hyperparameters()
        self.network = torch.nn.Sequential(
            torch.nn.Linear(2, hidden), torch.nn.Tanh(), torch.nn.Linear(hidden, 1))

    def loss(self, batch):
        x, y = batch
        return torch.nn.functional.binary_cross_entropy_with_logits(self.network(x).squeeze(1), y)

    def training_step(self, batch, _):
        loss = self.loss(batch)
        self.log("train/loss", loss)
        return loss

    def validation_step(self, batch, _):
        self.log("val/loss", self.loss(batch))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), self.hparams.lr)


def loader(count, seed):
    x = torch.randn(count, 2, generator=torch.Generator().manual_seed(seed))
    samples = torch.utils.data.TensorDataset(x, (x.prod(1) > 0).float())
    return torch.utils.data.DataLoader(samples, batch_size=32)


trainer = Trainer(logger=TachoLogger(project="product", name="tanh"), callbacks=[TachoCallback()],
                  max_epochs=3, log_every_n_steps=10, enable_progress_bar=False)
trainer.fit(Product(), loader(3200, 0), loader(640, 1))
