#!/usr/bin/python3
"""Computes with PyTorch what src/training/train must compute too, and prints it as JSON.

    tests/reference/make_reference.py > src/training/train/reference.json

Needs python3-torch and python3-torchvision (Debian's, or any other release). Weights and inputs
follow formulas, so that nothing but this file and its output has to be kept. Dropout is off;
everything is fp32.
"""
import json
import math
import sys

import numpy
import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision

BATCH = 8


def wave(count, phase):
    index = torch.arange(count, dtype=torch.float64)
    return torch.sin(0.37 * index + phase)


def noise(count, seed):
    """Uniform in [-1, 1), by a hash of the index. A deep model of waves is ill-conditioned: its
    channels are alike, and batch norms blow up what is left of their difference."""
    mask = numpy.uint64(0xFFFFFFFF)
    h = numpy.arange(count, dtype=numpy.uint64) + numpy.uint64(seed * 1000003)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        h = ((h ^ (h >> numpy.uint64(shift))) * numpy.uint64(factor)) & mask
    h ^= h >> numpy.uint64(16)
    return torch.from_numpy(h.astype(numpy.float64) / 2**31 - 1)


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
        self.classifier = nn.Linear(256, 2)

    def forward(self, x, lengths):
        # Packed, the way Python programs do it: our padded way must give the same.
        packed = nn.utils.rnn.pack_padded_sequence(
            self.embedding(x), lengths, batch_first=True, enforce_sorted=False)
        states, _ = nn.utils.rnn.pad_packed_sequence(
            self.lstm(packed)[0], batch_first=True, padding_value=-2)
        return self.classifier(states.amax(1))


class ResNet18(torchvision.models.ResNet):
    def __init__(self):
        super().__init__(torchvision.models.resnet.BasicBlock, [2, 2, 2, 2], num_classes=10)

    def forward(self, x, lengths):
        return super().forward(x)


MODELS = {"mlp": Mlp, "lenet5": LeNet5, "mnist-cnn": MnistCnn, "lstm": Lstm, "resnet18": ResNet18}

OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.05),
    "sgd-momentum": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9, weight_decay=1e-3),
    "sgd-nesterov": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9, nesterov=True),
    "adam": lambda p: torch.optim.Adam(p, lr=2e-3, weight_decay=1e-2),
    "adamw": lambda p: torch.optim.AdamW(p, lr=2e-3, weight_decay=1e-2),
}
# A deep model takes fewer steps, and so small ones that rounding errors do not grow with them.
DEEP = "resnet18"
DEEP_OPTIMIZERS = {
    "sgd-momentum": lambda p: torch.optim.SGD(p, lr=5e-4, momentum=0.9, weight_decay=1e-3),
    "adamw": lambda p: torch.optim.AdamW(p, lr=2e-5, weight_decay=1e-2),
}


def build_deep():
    model = MODELS[DEEP]()
    with torch.no_grad():
        for position, (key, parameter) in enumerate(model.named_parameters()):
            values = noise(parameter.numel(), position).view_as(parameter)
            if parameter.dim() > 1:
                parameter.copy_(values * math.sqrt(6 / parameter[0].numel()))
            else:
                parameter.copy_(values * 0.1 + (1 if key.endswith("weight") else 0))
    return model


def build(name):
    if name == DEEP:
        return build_deep()
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
    x = (noise(BATCH * 3 * 64 * 64, 99).view(BATCH, 3, 64, 64) if name == DEEP else
         wave(BATCH * 784, 0.5).view(BATCH, 1, 28, 28)).float()
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
    optimizers, steps = (DEEP_OPTIMIZERS, 5) if name == DEEP else (OPTIMIZERS, 10)
    for kind, make in optimizers.items():
        model = build(name)
        optimizer = make(model.parameters())
        losses = []
        for _ in range(steps):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x, lengths), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        out["losses"][kind] = losses
    return out


# Names and shapes of what timm's and Hugging Face's models keep, which are not installed.
def linear(name, width, height):
    return {f"{name}.weight": (height, width), f"{name}.bias": (height,)}


def norm(name, width):
    return {f"{name}.weight": (width,), f"{name}.bias": (width,)}


def vit_small_state():
    state = {"cls_token": (1, 1, 384), "pos_embed": (1, 197, 384),
             "patch_embed.proj.weight": (384, 3, 16, 16), "patch_embed.proj.bias": (384,)}
    for i in range(12):
        block = f"blocks.{i}"
        state |= norm(f"{block}.norm1", 384) | norm(f"{block}.norm2", 384)
        state |= linear(f"{block}.attn.qkv", 384, 1152) | linear(f"{block}.attn.proj", 384, 384)
        state |= linear(f"{block}.mlp.fc1", 384, 1536) | linear(f"{block}.mlp.fc2", 1536, 384)
    return state | norm("norm", 384) | linear("head", 384, 1000)


def distilbert_state():
    state = {"distilbert.embeddings.word_embeddings.weight": (30522, 768),
             "distilbert.embeddings.position_embeddings.weight": (512, 768)}
    state |= norm("distilbert.embeddings.LayerNorm", 768)
    for i in range(6):
        layer = f"distilbert.transformer.layer.{i}"
        for part in ("q_lin", "k_lin", "v_lin", "out_lin"):
            state |= linear(f"{layer}.attention.{part}", 768, 768)
        state |= norm(f"{layer}.sa_layer_norm", 768) | norm(f"{layer}.output_layer_norm", 768)
        state |= linear(f"{layer}.ffn.lin1", 768, 3072) | linear(f"{layer}.ffn.lin2", 3072, 768)
    return state | linear("pre_classifier", 768, 768) | linear("classifier", 768, 2)


def bert_base_state():
    state = {"bert.embeddings.word_embeddings.weight": (30522, 768),
             "bert.embeddings.position_embeddings.weight": (512, 768),
             "bert.embeddings.token_type_embeddings.weight": (2, 768)}
    state |= norm("bert.embeddings.LayerNorm", 768)
    for i in range(12):
        layer = f"bert.encoder.layer.{i}"
        for part in ("query", "key", "value"):
            state |= linear(f"{layer}.attention.self.{part}", 768, 768)
        state |= linear(f"{layer}.attention.output.dense", 768, 768)
        state |= norm(f"{layer}.attention.output.LayerNorm", 768)
        state |= linear(f"{layer}.intermediate.dense", 768, 3072)
        state |= linear(f"{layer}.output.dense", 3072, 768)
        state |= norm(f"{layer}.output.LayerNorm", 768)
    return state | linear("bert.pooler.dense", 768, 768) | linear("classifier", 768, 2)


TORCHVISION = ("alexnet", "vgg11", "vgg16", "resnet18", "resnet34", "resnet50", "resnet101",
               "resnet152", "mobilenet_v2", "densenet121")


def state_of_torchvision(name):
    model = getattr(torchvision.models, name)()
    return {key: tuple(value.shape) for key, value in model.state_dict().items()}


def digest(state):
    """FNV-1a over "name 64x3x7x7" lines in order; short, and two lines to write in any language."""
    value = 14695981039346656037
    lines = sorted(f"{key} {'x'.join(map(str, shape))}".rstrip() + "\n"
                   for key, shape in state.items())
    for byte in "".join(lines).encode():
        value = (value ^ byte) * 1099511628211 % 2**64
    return {"tensors": len(state), "digest": str(value)}


def states():
    found = {name: digest(state_of_torchvision(name)) for name in TORCHVISION}
    return found | {"vit_small": digest(vit_small_state()),
                    "distilbert": digest(distilbert_state()),
                    "bert_base": digest(bert_base_state())}


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
        "states": states(),
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
