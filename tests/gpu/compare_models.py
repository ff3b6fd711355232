#!/usr/bin/env python3
"""Compares Tacho's models with torchvision's, Hugging Face's and plain PyTorch's: with the same weights
and inputs, the logits, the loss, every gradient and the losses of five optimizer steps; of those with
-lora, the gradients of the adapters and the logits with merged weights.

    tests/gpu/compare_models.py build/test-bin/model_probe [MODEL ...] [--device cuda]
                                [--batch 4] [--size 64] [--length 24] [--layers N]

Python writes weights and inputs to files, model_probe computes with them, Python compares. Needs
torchvision for image models; distilbert and bert_base are Hugging Face's if transformers is
installed, else built here from torch.nn.TransformerEncoder, as vit_small always is; so are gpt2 and
llama-125m, else decoder_twins.py's, with --layers layers. Everything is fp32 without TF32 and without dropout. Exit code 1 if anything differs by more than 1e-4.
"""
import argparse
import copy
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy
import torch
import torch.nn as nn
import torch.nn.functional as F

import decoder_twins

CLASSES = 10
VOCABULARY = 1000
STEPS = 5
TOLERANCE = 1e-4
# An untrained deep model is chaotic: with too large steps, a rounding error grows a thousandfold
# per step. Rates are chosen so that the first step is expected to lower the loss by this share.
# With 0.02 resnet101's losses differed by 1.3e-4 between two of PyTorch's own kernels.
EXPECTED_DECREASE = 0.01
# Some gradients are zero except for rounding (a key's bias changes all scores of a row alike): an
# error is relative to at least this share of the whole gradient.
SMALLEST_SHARE = 1e-3

TYPES = {"F32": numpy.float32, "F64": numpy.float64, "I64": numpy.int64}
NAMES = {numpy.dtype(kind): name for name, kind in TYPES.items()}


def write_safetensors(path, tensors, metadata):
    header, blobs, offset = {"__metadata__": metadata}, [], 0
    for name, tensor in tensors.items():
        array = numpy.ascontiguousarray(tensor.detach().cpu().numpy())
        blob = array.tobytes()
        header[name] = {"dtype": NAMES[array.dtype], "shape": list(tensor.shape),
                        "data_offsets": [offset, offset + len(blob)]}
        blobs.append(blob)
        offset += len(blob)
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for blob in blobs:
            file.write(blob)


def read_safetensors(path):
    data = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + length])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = (8 + length + at for at in entry["data_offsets"])
        array = numpy.frombuffer(data[begin:end], TYPES[entry["dtype"]])
        tensors[name] = torch.from_numpy(array.reshape(entry["shape"]).copy())
    return tensors


class Subject:
    """A Python model, Tacho's names of its weights, and a batch."""

    def __init__(self, model, inputs, labels, lengths=None, rename=None, rank=0):
        self.model, self.inputs, self.labels, self.lengths = model, inputs, labels, lengths
        self.rank = rank  # of the adapters
        self.rename = rename or (lambda state: state)

    def logits(self, model, device):
        inputs = self.inputs.to(device)
        weights = next(iter(model.parameters()))
        if inputs.dim() == 4 and weights.is_contiguous(memory_format=torch.channels_last):
            inputs = inputs.contiguous(memory_format=torch.channels_last)
        if self.lengths is None:
            return model(inputs)
        return model(inputs, self.lengths.to(device))

    def batch(self):
        tensors = {"inputs": self.inputs, "labels": self.labels}
        return tensors if self.lengths is None else tensors | {"lengths": self.lengths}


def image_batch(args, least):
    size = max(args.size, least)
    return (torch.randn(args.batch, 3, size, size),
            torch.arange(args.batch) * 3 % CLASSES)


def text_batch(args, first=1):
    lengths = torch.tensor([max(2, args.length - 3 * n) for n in range(args.batch)])
    tokens = torch.zeros(args.batch, int(lengths.max()), dtype=torch.long)
    for n, length in enumerate(lengths.tolist()):
        tokens[n, :length] = torch.randint(first, VOCABULARY, (length,))
    return tokens, torch.arange(args.batch) % CLASSES, lengths


def torchvision_model(name, least):
    def make(args):
        import torchvision
        return Subject(getattr(torchvision.models, name)(num_classes=CLASSES),
                       *image_batch(args, least))
    return make


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, 256, padding_idx=0)
        self.lstm = nn.LSTM(256, 256, batch_first=True)
        self.classifier = nn.Linear(256, CLASSES)

    def forward(self, x, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(
            self.embedding(x), lengths.cpu(), batch_first=True, enforce_sorted=False)
        states, _ = nn.utils.rnn.pad_packed_sequence(
            self.lstm(packed)[0], batch_first=True, padding_value=-2)
        return self.classifier(states.amax(1))


def encoder(width, heads, inner, depth, epsilon, norm_first):
    layer = nn.TransformerEncoderLayer(width, heads, inner, dropout=0.0, activation="gelu",
                                       layer_norm_eps=epsilon, batch_first=True,
                                       norm_first=norm_first)
    stack = nn.TransformerEncoder(layer, depth)
    for parameter in stack.parameters():  # the copies would otherwise be equal
        if parameter.dim() > 1:
            nn.init.trunc_normal_(parameter, std=0.02)
    return stack


class Vit(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.cls_token = nn.Parameter(torch.randn(1, 1, 384) * 0.02)
        self.pos_embed = nn.Parameter(torch.randn(1, (size // 16) ** 2 + 1, 384) * 0.02)
        self.patch = nn.Conv2d(3, 384, 16, 16)
        self.blocks = encoder(384, 6, 1536, 12, 1e-6, norm_first=True)
        self.norm = nn.LayerNorm(384, eps=1e-6)
        self.head = nn.Linear(384, CLASSES)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls_token.expand(x.shape[0], -1, -1), x], 1) + self.pos_embed
        return self.head(self.norm(self.blocks(x))[:, 0])


# Other names of the parts of an encoder layer. q, k and v are one tensor in torch.
PARTS = {"self_attn.out_proj": "out", "linear1": "inner", "linear2": "outer", "norm1": "norm1",
         "norm2": "norm2"}


def renamed(state, prefix, layer_name, parts, rest):
    """Renames an encoder's state: `rest` is for tensors outside of its layers."""
    out = {}
    for key, value in state.items():
        if not key.startswith(prefix + ".layers."):
            head, _, tail = key.rpartition(".")
            out[(rest[head] + "." + tail) if head in rest else rest.get(key, key)] = value
            continue
        number, part = key[len(prefix) + 8:].split(".", 1)
        part, kind = part.rsplit(".", 1)
        if kind.startswith("in_proj_"):
            kind = kind[len("in_proj_"):]
            names = parts["qkv"]
            for name, piece in zip(names, value.chunk(len(names))):
                out[f"{layer_name}.{number}.{name}.{kind}"] = piece
            continue
        out[f"{layer_name}.{number}.{parts[PARTS[part]]}.{kind}"] = value
    return out


def vit_small(args):
    inputs, labels = image_batch(args, 32)
    parts = {"qkv": ["attn.qkv"], "out": "attn.proj", "inner": "mlp.fc1", "outer": "mlp.fc2",
             "norm1": "norm1", "norm2": "norm2"}
    return Subject(Vit(inputs.shape[2]), inputs, labels, rename=lambda state: renamed(
        state, "blocks", "blocks", parts, {"patch": "patch_embed.proj"}))


class TextTransformer(nn.Module):
    """BERT's and DistilBERT's encoder with their two heads."""

    def __init__(self, depth, is_bert):
        super().__init__()
        self.is_bert = is_bert
        self.words = nn.Embedding(VOCABULARY, 768, padding_idx=0)
        self.positions = nn.Embedding(512, 768)
        self.types = nn.Embedding(2, 768) if is_bert else None
        self.embedding_norm = nn.LayerNorm(768, eps=1e-12)
        self.layers = encoder(768, 12, 3072, depth, 1e-12, norm_first=False)
        self.first = nn.Linear(768, 768)
        self.classifier = nn.Linear(768, CLASSES)

    def forward(self, x, lengths):
        places = torch.arange(x.shape[1], device=x.device)
        y = self.words(x) + self.positions(places)
        if self.is_bert:
            y = y + self.types(torch.zeros_like(x))
        padding = places[None, :] >= lengths[:, None]
        y = self.layers(self.embedding_norm(y), src_key_padding_mask=padding)[:, 0]
        y = self.first(y)
        return self.classifier(torch.tanh(y) if self.is_bert else torch.relu(y))


def distilbert_twin(args):
    root = "distilbert.transformer.layer"
    parts = {"qkv": ["attention.q_lin", "attention.k_lin", "attention.v_lin"],
             "out": "attention.out_lin", "inner": "ffn.lin1", "outer": "ffn.lin2",
             "norm1": "sa_layer_norm", "norm2": "output_layer_norm"}
    rest = {"words": "distilbert.embeddings.word_embeddings",
            "positions": "distilbert.embeddings.position_embeddings",
            "embedding_norm": "distilbert.embeddings.LayerNorm", "first": "pre_classifier"}
    return Subject(TextTransformer(6, False), *text_batch(args),
                   rename=lambda state: renamed(state, "layers", root, parts, rest))


def bert_twin(args):
    root = "bert.encoder.layer"
    parts = {"qkv": ["attention.self.query", "attention.self.key", "attention.self.value"],
             "out": "attention.output.dense", "inner": "intermediate.dense",
             "outer": "output.dense", "norm1": "attention.output.LayerNorm",
             "norm2": "output.LayerNorm"}
    rest = {"words": "bert.embeddings.word_embeddings",
            "positions": "bert.embeddings.position_embeddings",
            "types": "bert.embeddings.token_type_embeddings",
            "embedding_norm": "bert.embeddings.LayerNorm", "first": "bert.pooler.dense"}
    return Subject(TextTransformer(12, True), *text_batch(args),
                   rename=lambda state: renamed(state, "layers", root, parts, rest))


class HuggingFace(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x, lengths):
        mask = torch.arange(x.shape[1], device=x.device)[None, :] < lengths[:, None]
        return self.inner(input_ids=x, attention_mask=mask.long()).logits


def hugging_face(kind, twin):
    def make(args):
        try:
            import transformers
        except ImportError:
            print(f"{kind}: transformers is not installed; compared with torch.nn's encoder")
            return twin(args)
        config = getattr(transformers, f"{kind}Config")(vocab_size=VOCABULARY, num_labels=CLASSES)
        model = HuggingFace(getattr(transformers, f"{kind}ForSequenceClassification")(config))
        return Subject(model, *text_batch(args), rename=lambda state: {
            key.removeprefix("inner."): value for key, value in state.items()})
    return make


class TokenLogits(nn.Module):
    """A language model that classifies each token of all samples."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, tokens):
        out = self.inner(tokens)
        return (out if isinstance(out, torch.Tensor) else out.logits).flatten(0, 1)


def decoder(kind, twin, rank=0):
    def make(args):
        layers = args.layers or 12
        model = decoder_twins.hugging_face(kind, VOCABULARY, layers)
        if model is None:
            print(f"{kind}: transformers is not installed; compared with decoder_twins.py")
            model = twin(VOCABULARY, layers)
        if rank > 0:
            decoder_twins.add_adapters(model, rank)
        tokens = torch.randint(VOCABULARY, (args.batch, args.length + 1))
        return Subject(TokenLogits(model), tokens[:, :-1].contiguous(), tokens[:, 1:].flatten(),
                       rename=lambda state: {
                           key.removeprefix("inner."): value for key, value in state.items()
                           if "lm_head" not in key},  # tied to the embedding
                       rank=rank)
    return make


MODELS = {
    "gpt2": decoder("gpt2", decoder_twins.Gpt2),
    "llama-125m": decoder("llama", decoder_twins.Llama),
    "gpt2-lora": decoder("gpt2", decoder_twins.Gpt2, rank=8),
    "llama-125m-lora": decoder("llama", decoder_twins.Llama, rank=8),
    "resnet50": torchvision_model("resnet50", 64),
    "vgg11": torchvision_model("vgg11", 32),
    "mobilenet_v2": torchvision_model("mobilenet_v2", 64),
    "vit_small": vit_small,
    "lstm": lambda args: Subject(Lstm(), *text_batch(args)),
    "distilbert": hugging_face("DistilBert", distilbert_twin),
    "alexnet": torchvision_model("alexnet", 96),
    "resnet18": torchvision_model("resnet18", 64),
    "resnet101": torchvision_model("resnet101", 64),
    "vgg16": torchvision_model("vgg16", 32),
    "densenet121": torchvision_model("densenet121", 64),
    "bert_base": hugging_face("Bert", bert_twin),
}


def without_dropout(model):
    """Training mode without dropout: batch norms use batch statistics."""
    model.eval()
    for module in model.modules():
        if isinstance(module, (nn.BatchNorm2d, nn.LSTM)):
            module.train()
    return model


def losses_of(subject, kind, rate, device):
    model = without_dropout(copy.deepcopy(subject.model).to(device))
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = (torch.optim.SGD(trained, lr=rate, momentum=0.9, weight_decay=1e-4)
                 if kind == "sgd" else
                 torch.optim.AdamW(trained, lr=rate, weight_decay=1e-2))
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = F.cross_entropy(subject.logits(model, device), subject.labels.to(device))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return torch.tensor(losses, dtype=torch.float64)


def rates_for(loss, gradients):
    """SGD is expected to lower the loss by its rate times the squared gradient, Adam's first step by its rate
    times the gradient's absolute sum."""
    fall = EXPECTED_DECREASE * loss.item()
    return {"sgd": fall / sum(g.double().square().sum().item() for g in gradients),
            "adamw": fall / sum(g.double().abs().sum().item() for g in gradients)}


def expected_of(subject, device):
    model = without_dropout(copy.deepcopy(subject.model).to(device))
    logits = subject.logits(model, device)
    loss = F.cross_entropy(logits, subject.labels.to(device))
    loss.backward()
    gradients = {key: value.grad for key, value in model.named_parameters()
                 if value.grad is not None}
    rates = rates_for(loss, gradients.values())
    merged = {}
    if subject.rank > 0:
        decoder_twins.merge_adapters(model)
        merged = {"merged": subject.logits(model, device)}
    return rates, {"logits": logits, "loss": loss, **merged,
                   **{f"gradient.{key}": value for key, value in subject.rename(gradients).items()},
                   **{f"losses.{kind}": losses_of(subject, kind, rate, device)
                      for kind, rate in rates.items()}}


def ask_tacho(args, name, subject, rates, device, folder, saved_by_torch=False):
    weights, inputs, out = (folder / f"{part}.safetensors" for part in ("weights", "inputs", "out"))
    state = subject.rename(subject.model.state_dict())
    if saved_by_torch:
        weights = folder / "weights.pth"
        torch.save(state, weights)
    else:
        write_safetensors(weights, state, {})
    write_safetensors(inputs, subject.batch(), {
        "layers": str(args.layers), "lora": str(subject.rank), "classes": str(CLASSES), "vocabulary": str(VOCABULARY), "steps": str(STEPS),
        "sgd_rate": repr(rates["sgd"]), "adamw_rate": repr(rates["adamw"])})
    name = name.removesuffix("-lora")
    done = subprocess.run([args.probe, name, weights, inputs, out, device], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"compare_models: {name}: {done.stderr.strip()}")
    return read_safetensors(out)


def error(got, expected, floor=0.0):
    expected = expected.detach().cpu().double()
    if got.shape != expected.shape:
        return float("inf")
    scale = max(expected.norm().item(), floor, 1e-30)
    return (got.double() - expected).norm().item() / scale


def compare_files(name, args):
    """Weights that torch.save wrote must give the same bits as those of a safetensors file."""
    torch.manual_seed(1)
    subject = MODELS[name](args)
    rates = {"sgd": 1e-3, "adamw": 1e-4}
    with tempfile.TemporaryDirectory() as folder:
        one, other = (ask_tacho(args, name, subject, rates, "cpu", pathlib.Path(folder), saved)
                      for saved in (False, True))
    differing = [key for key in one if not torch.equal(one[key], other[key])]
    print(f"{name:<16}  {'DIFFERS: ' + differing[0] if differing else 'equal bits'}", flush=True)
    return not differing


def compare(name, args):
    torch.manual_seed(1)
    subject = MODELS[name](args)
    if args.channels_last and subject.inputs.dim() == 4:
        # On both sides: other kernels round differently, which a deep model amplifies.
        subject.model = subject.model.to(memory_format=torch.channels_last)
    rates, expected = expected_of(subject, args.device)
    with tempfile.TemporaryDirectory() as folder:
        device = args.device + ("-channels-last" if args.channels_last else "")
        got = ask_tacho(args, name, subject, rates, device, pathlib.Path(folder))
    if got.keys() != expected.keys():
        odd = sorted(got.keys() ^ expected.keys())
        print(f"{name}: only one of the two has {', '.join(odd[:5])}")
        return False
    gradients = [key for key in expected if key.startswith("gradient.")]
    whole = sum(expected[key].norm().item() ** 2 for key in gradients) ** 0.5
    errors = {key: error(got[key], expected[key], SMALLEST_SHARE * whole) for key in gradients}
    worst = max(errors, key=errors.get)
    figures = [error(got[key], expected[key]) for key in ("logits", "loss")]
    figures += [errors[worst]]
    figures += [error(got[key], expected[key]) for key in ("losses.sgd", "losses.adamw")]
    figures += [error(got["merged"], expected["merged"])] if subject.rank > 0 else []
    # One by one: max() ignores NaN.
    good = all(figure < TOLERANCE for figure in [*figures, *errors.values()])
    fall = [1 - (expected[key][-1] / expected[key][0]).item()
            for key in ("losses.sgd", "losses.adamw")]
    print(f"{name:<16}" + "".join(f"{figure:>10.1e}" for figure in figures) +
          f"  {'ok' if good else 'DIFFERS'}  worst of {len(gradients)}: "
          f"{worst.removeprefix('gradient.')}; losses fell by {fall[0]:.0%}, {fall[1]:.0%}",
          flush=True)
    return good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("probe")
    parser.add_argument("models", nargs="*", default=[])
    parser.add_argument("--channels-last", action="store_true",
                        help="use channels-last images in Tacho, as in training on a GPU")
    parser.add_argument("--files", action="store_true",
                        help="compare the file of torch.save with safetensors, on the CPU")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--length", type=int, default=24)
    parser.add_argument("--layers", type=int, default=0, help="of language models; default: all")
    args = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    unknown = [name for name in args.models if name not in MODELS]
    if unknown:
        sys.exit(f"compare_models: unknown model {unknown[0]}; choose from {', '.join(MODELS)}")
    if args.files:
        sys.exit(0 if all([compare_files(name, args) for name in args.models or MODELS]) else 1)
    print(f"torch {torch.__version__} on {args.device}; relative errors, {TOLERANCE} allowed")
    print(f"{'model':<16}{'logits':>10}{'loss':>10}{'gradients':>10}{'sgd':>10}{'adamw':>10}")
    results = [compare(name, args) for name in args.models or MODELS]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
