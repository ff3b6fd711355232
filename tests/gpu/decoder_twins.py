"""GPT-2 and Llama in plain PyTorch, with Hugging Face's names, for machines without transformers."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def causal(q, k, v):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).triu(1)
    return scores.masked_fill(later, -math.inf).softmax(-1) @ v


def split(x, heads):
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def merge(x):
    return x.transpose(1, 2).flatten(2)


class InputMajor(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(inputs, outputs) * 0.02)
        self.bias = nn.Parameter(torch.randn(outputs) * 0.02)

    def forward(self, x):
        return x @ self.weight + self.bias


class Gpt2Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1 = nn.LayerNorm(width)
        self.attn = nn.ModuleDict({"c_attn": InputMajor(width, 3 * width),
                                   "c_proj": InputMajor(width, width)})
        self.ln_2 = nn.LayerNorm(width)
        self.mlp = nn.ModuleDict({"c_fc": InputMajor(width, 4 * width),
                                  "c_proj": InputMajor(4 * width, width)})

    def forward(self, x):
        q, k, v = (split(part, self.heads) for part in self.attn["c_attn"](self.ln_1(x)).chunk(3, -1))
        x = x + self.attn["c_proj"](merge(causal(q, k, v)))
        inner = self.mlp["c_fc"](self.ln_2(x))
        tanh = torch.tanh(math.sqrt(2 / math.pi) * (inner + 0.044715 * inner ** 3))
        return x + self.mlp["c_proj"](0.5 * inner * (1 + tanh))


class Gpt2(nn.Module):
    def __init__(self, vocabulary, layers, width=768, heads=12, positions=1024):
        super().__init__()
        self.transformer = nn.ModuleDict({
            "wte": nn.Embedding(vocabulary, width), "wpe": nn.Embedding(positions, width),
            "h": nn.ModuleList(Gpt2Block(width, heads) for _ in range(layers)),
            "ln_f": nn.LayerNorm(width)})
        nn.init.normal_(self.transformer["wte"].weight, std=0.02)
        nn.init.normal_(self.transformer["wpe"].weight, std=0.02)

    def forward(self, tokens):
        part = self.transformer
        x = part["wte"](tokens) + part["wpe"](torch.arange(tokens.shape[1], device=tokens.device))
        for block in part["h"]:
            x = block(x)
        return part["ln_f"](x) @ part["wte"].weight.T


class RmsNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(1 + 0.1 * torch.randn(width))

    def forward(self, x):
        return x / (x.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt() * self.weight


def linear(inputs, outputs):
    layer = nn.Linear(inputs, outputs, bias=False)
    nn.init.normal_(layer.weight, std=0.02)
    return layer


def rotated(x):
    """As complex numbers: the two halves of a head are the parts."""
    half = x.shape[-1] // 2
    rate = 500000.0 ** (-torch.arange(half, device=x.device).double() / half)
    angle = torch.arange(x.shape[-2], device=x.device).double()[:, None] * rate
    turned = torch.complex(x[..., :half].double(), x[..., half:].double()) * torch.polar(
        torch.ones_like(angle), angle)
    return torch.cat([turned.real, turned.imag], -1).to(x.dtype)


class LlamaLayer(nn.Module):
    def __init__(self, width, heads, kv_heads, inner):
        super().__init__()
        self.heads, self.kv_heads = heads, kv_heads
        shared = width // heads * kv_heads
        self.input_layernorm = RmsNorm(width)
        self.self_attn = nn.ModuleDict({
            "q_proj": linear(width, width), "k_proj": linear(width, shared),
            "v_proj": linear(width, shared), "o_proj": linear(width, width)})
        self.post_attention_layernorm = RmsNorm(width)
        self.mlp = nn.ModuleDict({"gate_proj": linear(width, inner), "up_proj": linear(width, inner),
                                  "down_proj": linear(inner, width)})

    def forward(self, x):
        normed = self.input_layernorm(x)
        q = rotated(split(self.self_attn["q_proj"](normed), self.heads))
        k = rotated(split(self.self_attn["k_proj"](normed), self.kv_heads))
        v = split(self.self_attn["v_proj"](normed), self.kv_heads)
        k, v = (t.repeat_interleave(self.heads // self.kv_heads, 1) for t in (k, v))
        x = x + self.self_attn["o_proj"](merge(causal(q, k, v)))
        normed = self.post_attention_layernorm(x)
        return x + self.mlp["down_proj"](F.silu(self.mlp["gate_proj"](normed)) *
                                         self.mlp["up_proj"](normed))


class Llama(nn.Module):
    def __init__(self, vocabulary, layers, width=768, heads=12, kv_heads=4, inner=2048):
        super().__init__()
        self.model = nn.ModuleDict({
            "embed_tokens": nn.Embedding(vocabulary, width),
            "layers": nn.ModuleList(LlamaLayer(width, heads, kv_heads, inner) for _ in range(layers)),
            "norm": RmsNorm(width)})
        nn.init.normal_(self.model["embed_tokens"].weight, std=0.02)

    def forward(self, tokens):
        x = self.model["embed_tokens"](tokens)
        for layer in self.model["layers"]:
            x = layer(x)
        return self.model["norm"](x) @ self.model["embed_tokens"].weight.T


def hugging_face(kind, vocabulary, layers):
    """The model of transformers with the same names; None if it is not installed."""
    try:
        import transformers
    except ImportError:
        return None
    if kind == "gpt2":
        return transformers.GPT2LMHeadModel(transformers.GPT2Config(
            vocab_size=vocabulary, n_layer=layers))
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(
        vocab_size=vocabulary, num_hidden_layers=layers, hidden_size=768, intermediate_size=2048,
        num_attention_heads=12, num_key_value_heads=4, rms_norm_eps=1e-5, rope_theta=500000.0,
        max_position_embeddings=2048, tie_word_embeddings=True))


def adapted_layers(model, names=("c_attn", "q_proj", "v_proj")):
    return [layer for name, layer in model.named_modules() if name.split(".")[-1] in names]


def sizes(layer):
    """Inputs and outputs; an nn.Linear's weight is outputs x inputs, GPT-2's the other way round."""
    return layer.weight.shape[::-1] if isinstance(layer, nn.Linear) else layer.weight.shape


def add_adapters(model, rank):
    """LoRA as in peft with alpha = 2 x rank, but with a B that has been trained; all else is frozen."""
    model.requires_grad_(False)
    for layer in adapted_layers(model):
        inputs, outputs = sizes(layer)
        layer.lora_A, layer.lora_B = nn.Linear(inputs, rank, bias=False), linear(rank, outputs)
        layer.register_forward_hook(
            lambda module, args, out: out + 2 * module.lora_B(module.lora_A(args[0])))


def merge_adapters(model):
    for layer in adapted_layers(model):
        product = 2 * layer.lora_B.weight.data @ layer.lora_A.weight.data
        layer.weight.data += product if isinstance(layer, nn.Linear) else product.T
        nn.init.zeros_(layer.lora_B.weight)
