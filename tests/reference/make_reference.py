#!/usr/bin/python3
"""Computes with PyTorch what src/train must compute too, and prints it as JSON.

    tests/reference/make_reference.py > src/train/reference.json

Needs python3-torch (Debian's, or any other release). Weights and inputs follow formulas, so that
nothing but this file and its output has to be kept. Dropout is off; everything is fp32.
"""
import json
import math
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 8


def wave(count, phase):
    index = torch.arange(count, dtype=torch.float64)
    return torch.sin(0.37 * index + phase)


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(784, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x, lengths):
        return self.fc2(F.relu(self.fc1(x.flatten(1))))


class LeNet5(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, padding=2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(400, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x, lengths):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2).flatten(1)
        return self.fc3(F.relu(self.fc2(F.relu(self.fc1(x)))))


class MnistCnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3)
        self.conv2 = nn.Conv2d(32, 64, 3)
        self.fc1 = nn.Linear(9216, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x, lengths):
        x = F.max_pool2d(F.relu(self.conv2(F.relu(self.conv1(x)))), 2).flatten(1)
        return self.fc2(F.relu(self.fc1(x)))


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 256, padding_idx=0)
        self.lstm = nn.LSTM(256, 256, batch_first=True)
        self.fc = nn.Linear(256, 2)

    def forward(self, x, lengths):
        # Packed, the way Python programs do it: our padded way must give the same.
        packed = nn.utils.rnn.pack_padded_sequence(
            self.embedding(x), lengths, batch_first=True, enforce_sorted=False)
        _, (hidden, _) = self.lstm(packed)
        return self.fc(hidden[-1])


MODELS = {"mlp": Mlp, "lenet5": LeNet5, "mnist-cnn": MnistCnn, "lstm": Lstm}

OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.05),
    "sgd-momentum": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9, weight_decay=1e-3),
    "sgd-nesterov": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9, nesterov=True),
    "adam": lambda p: torch.optim.Adam(p, lr=2e-3, weight_decay=1e-2),
    "adamw": lambda p: torch.optim.AdamW(p, lr=2e-3, weight_decay=1e-2),
}


def build(name):
    model = MODELS[name]()
    with torch.no_grad():
        for position, parameter in enumerate(model.parameters()):
            fan = parameter[0].numel() if parameter.dim() > 1 else parameter.numel()
            values = wave(parameter.numel(), position) / math.sqrt(fan)
            parameter.copy_(values.view_as(parameter))
    return model


def batch(name):
    if name == "lstm":
        lengths = torch.tensor([3 + 2 * n for n in range(BATCH)])
        tokens = torch.zeros(BATCH, int(lengths.max()), dtype=torch.long)
        for n in range(BATCH):
            for t in range(int(lengths[n])):
                tokens[n, t] = 1 + (7 * n + 3 * t) % 49
        return tokens, lengths, torch.tensor([n % 2 for n in range(BATCH)])
    x = wave(BATCH * 784, 0.5).view(BATCH, 1, 28, 28).float()
    return x, None, torch.tensor([(3 * n) % 10 for n in range(BATCH)])


def fingerprint(tensor):
    flat = tensor.detach().double().flatten()
    weights = torch.sin(0.11 * torch.arange(flat.numel(), dtype=torch.float64))
    return {"norm": flat.norm().item(), "projection": flat.dot(weights).item()}


def one_model(name):
    x, lengths, y = batch(name)
    model = build(name)
    logits = model(x, lengths)
    loss = F.cross_entropy(logits, y)
    loss.backward()
    out = {
        "parameters": sum(p.numel() for p in model.parameters()),
        "logits": [v for row in logits.tolist() for v in row],
        "loss": loss.item(),
        "gradients": {n: fingerprint(p.grad) for n, p in model.named_parameters()},
        "losses": {},
    }
    for kind, make in OPTIMIZERS.items():
        model = build(name)
        optimizer = make(model.parameters())
        losses = []
        for _ in range(10):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x, lengths), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        out["losses"][kind] = losses
    return out


def rates(make, steps):
    optimizer = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.4)
    schedule = make(optimizer)
    values = []
    for _ in range(steps):
        values.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    return values


def main():
    torch.set_num_threads(1)
    lr = torch.optim.lr_scheduler
    reference = {
        "torch": torch.__version__,
        "models": {name: one_model(name) for name in MODELS},
        "schedules": {
            "step": rates(lambda o: lr.StepLR(o, step_size=20, gamma=0.3), 100),
            "cosine": rates(lambda o: lr.CosineAnnealingLR(o, T_max=100), 100),
            "one-cycle": rates(lambda o: lr.OneCycleLR(o, max_lr=0.4, total_steps=100), 100),
        },
    }
    json.dump(reference, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
