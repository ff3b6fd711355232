"""A small BERT of random weights learns whether a text has more ones than twos; recorded by report_to="tacho"."""

import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

import tacho.huggingface  # makes report_to="tacho" known


def texts(count, seed):
    tokens = torch.randint(1, 4, (count, 31), generator=torch.Generator().manual_seed(seed))
    ones_win = (tokens == 1).sum(1) > (tokens == 2).sum(1)
    return [{"input_ids": text, "labels": label} for text, label in zip(tokens, ones_win.long())]


def accuracy(predicted):
    return {"accuracy": float((predicted.predictions.argmax(1) == predicted.label_ids).mean())}


model = BertForSequenceClassification(BertConfig(
    vocab_size=4, hidden_size=64, num_hidden_layers=2, num_attention_heads=2, intermediate_size=128))
arguments = TrainingArguments(
    output_dir="checkpoints", run_name="ones", report_to="tacho", learning_rate=1e-3, max_steps=100,
    per_device_train_batch_size=32, logging_steps=10, eval_steps=50, save_strategy="no",
    **{"eval_strategy" if hasattr(TrainingArguments, "eval_strategy") else "evaluation_strategy": "steps"})
trainer = Trainer(model, arguments, train_dataset=texts(4096, 0), eval_dataset=texts(512, 1),
                  compute_metrics=accuracy)
trainer.train()
