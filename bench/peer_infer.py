"""The peer of bench/compare_infer: the same LSTM with FastAPI, Debian's PyTorch and Redis."""
import hashlib
import json
import os
import pathlib
import struct

import redis.asyncio
import torch
from fastapi import FastAPI
from pydantic import BaseModel

RUN = pathlib.Path(os.environ["RUN"])
torch.set_num_threads(int(os.environ.get("THREADS", torch.get_num_threads())))


def tensors(path):
    """Reads the model's tensors from a safetensors file."""
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    found = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if name.startswith("model."):
            begin, end = (8 + size + offset for offset in entry["data_offsets"])
            flat = torch.frombuffer(bytearray(data[begin:end]), dtype=torch.float32)
            found[name[len("model."):]] = flat.reshape(entry["shape"])
    return found


class Lstm(torch.nn.Module):
    def __init__(self, weights):
        super().__init__()
        words, width = weights["embedding.weight"].shape
        self.embedding = torch.nn.Embedding(words, width, padding_idx=0)
        self.lstm = torch.nn.LSTM(width, weights["lstm.weight_hh_l0"].shape[1], batch_first=True)
        classes, hidden = weights["classifier.weight"].shape
        self.classifier = torch.nn.Linear(hidden, classes)
        self.load_state_dict(weights)
        self.eval()

    def forward(self, tokens):
        return torch.softmax(self.classifier(self.lstm(self.embedding(tokens))[0].amax(1)), -1)


class Question(BaseModel):
    text: list[str]


facts = json.loads((RUN / "input.json").read_text())
tokens_of = {word: 2 + i for i, word in enumerate(facts["words"])}
checkpoint = sorted((RUN / "checkpoints").glob("*.safetensors"))[-1]
model = Lstm(tensors(checkpoint))
cache = redis.asyncio.from_url(os.environ["REDIS"]) if os.environ.get("REDIS") else None
app = FastAPI()


def answer(tokens):
    with torch.inference_mode():
        shares = model(torch.tensor([tokens]))[0].tolist()
    index = shares.index(max(shares))
    return {"label": facts["labels"][index], "index": index, "probabilities": shares}


@app.get("/ready")
async def ready():
    return {}


@app.post("/predict")
async def predict(question: Question):
    predictions = []
    for text in question.text:
        tokens = [tokens_of.get(word, 1) for word in text.lower().split(" ") if word]
        key = "peer:" + hashlib.sha256(repr(tokens).encode()).hexdigest()
        kept = await cache.get(key) if cache else None
        if kept:
            predictions.append({**json.loads(kept), "cached": True})
            continue
        made = answer(tokens)
        if cache:
            await cache.set(key, json.dumps(made), ex=3600)
        predictions.append({**made, "cached": False})
    return {"model": "peer", "predictions": predictions}
