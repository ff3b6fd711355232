#!/usr/bin/env python3
"""A plain training script: a language model of two LSTM layers on random words.

    tests/gpu/plain_lstm.py [STEPS]

Prints its median step time, from CUDA events between steps.
"""
import sys

import torch
from torch import nn


class LanguageModel(nn.Module):
    def __init__(self, words=10000, width=512):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.lstm = nn.LSTM(width, width, num_layers=2, dropout=0.2, batch_first=True)
        self.head = nn.Linear(width, words)

    def forward(self, tokens, state):
        outputs, state = self.lstm(self.embedding(tokens), state)
        return self.head(outputs), state


def main():
    steps, warmup, batch, length = int(sys.argv[1]) if len(sys.argv) > 1 else 300, 20, 64, 70
    device = torch.device("cuda")
    torch.manual_seed(0)
    model = LanguageModel().to(device)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    corpus = torch.randint(0, 10000, (batch, (warmup + steps) * length + 1))
    state, marks = None, []
    for step in range(warmup + steps):
        mark = torch.cuda.Event(enable_timing=True)
        mark.record()
        marks.append(mark)
        at = step * length
        tokens = corpus[:, at:at + length].to(device)
        targets = corpus[:, at + 1:at + length + 1].to(device)
        scores, state = model(tokens, state)
        state = tuple(part.detach() for part in state)
        loss = criterion(scores.flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        optimizer.step()
        if step % 100 == 0:
            print(f"step={step} loss={loss.item():.4f}", flush=True)
    torch.cuda.synchronize()
    times = sorted(a.elapsed_time(b) for a, b in zip(marks[warmup:], marks[warmup + 1:]))
    median = times[len(times) // 2]
    print(f"median_step_ms={median:.4f} tokens_per_s={1e3 * batch * length / median:.1f}")


if __name__ == "__main__":
    main()
