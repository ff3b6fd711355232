"""A small network learns the sign of a product; recorded by Tacho's tracker for Accelerate."""

import torch
from accelerate import Accelerator

import tacho
from tacho.accelerate import TachoTracker

config = {"hidden": 32, "lr": 1e-2, "batch": 32}
accelerator = Accelerator(log_with=TachoTracker(project="product", name="tanh"))
accelerator.init_trackers("product", config=config)

x = torch.randn(3200, 2)
samples = torch.utils.data.TensorDataset(x, (x.prod(1) > 0).float())
network = torch.nn.Sequential(
    torch.nn.Linear(2, config["hidden"]), torch.nn.Tanh(), torch.nn.Linear(config["hidden"], 1))
network, optimizer, loader = accelerator.prepare(
    network, torch.optim.Adam(network.parameters(), config["lr"]),
    torch.utils.data.DataLoader(samples, batch_size=config["batch"], shuffle=True))

step = 0
for epoch in range(3):
    for x, y in loader:
        with tacho.step():
            loss = torch.nn.functional.binary_cross_entropy_with_logits(network(x).squeeze(1), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        step += 1
        if step % 10 == 0:
            accelerator.log({"train/loss": loss.item(), "epoch": epoch}, step=step)
accelerator.end_training()
