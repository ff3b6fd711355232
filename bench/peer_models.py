"""The models of bench/peer_cpu.py and bench/peer_gpu.py, in plain PyTorch."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(784, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x.flatten(1))))


class MnistCnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3)
        self.conv2 = nn.Conv2d(32, 64, 3)
        self.dropout1 = nn.Dropout(0.25)
        self.dropout2 = nn.Dropout(0.5)
        self.fc1 = nn.Linear(9216, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = torch.flatten(self.dropout1(F.max_pool2d(x, 2)), 1)
        return self.fc2(self.dropout2(F.relu(self.fc1(x))))


class LeNet5(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, padding=2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(400, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2).flatten(1)
        return self.fc3(F.relu(self.fc2(F.relu(self.fc1(x)))))


class Lstm(nn.Module):
    def __init__(self, vocabulary, width):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.lstm = nn.LSTM(width, width, batch_first=True)
        self.classifier = nn.Linear(width, 2)

    def forward(self, tokens):
        return self.classifier(self.lstm(self.embedding(tokens))[0].amax(1))


class Distilbert(nn.Module):
    def __init__(self):
        super().__init__()
        from transformers import DistilBertConfig, DistilBertForSequenceClassification
        self.model = DistilBertForSequenceClassification(DistilBertConfig(attn_implementation="sdpa"))

    def forward(self, tokens):
        return self.model(tokens).logits


def resnet50():
    import torchvision
    return torchvision.models.resnet50()


class GptBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.attended = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.inner, self.outer = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
                   for part in self.qkv(self.norm1(x)).chunk(3, -1))
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.attended(seen.transpose(1, 2).flatten(2))
        return x + self.outer(F.gelu(self.inner(self.norm2(x)), approximate="tanh"))


class Gpt(nn.Module):
    """GPT-2 124M without dropout, its vocabulary padded to 50,304. Returns the loss."""

    def __init__(self, width=768, heads=12, layers=12, positions=1024, vocabulary=50304):
        super().__init__()
        self.words, self.places = nn.Embedding(vocabulary, width), nn.Embedding(positions, width)
        self.blocks = nn.ModuleList(GptBlock(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        for module in self.modules():
            if isinstance(module, (nn.Linear, nn.Embedding)):
                nn.init.normal_(module.weight, std=0.02)
        self.head.weight = self.words.weight

    def forward(self, tokens, labels):
        x = self.words(tokens) + self.places.weight[:tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return F.cross_entropy(self.head(self.norm(x)).flatten(0, 1), labels)


class Llama(nn.Module):
    """Llama 3.2 1B of transformers. Returns the loss."""

    def __init__(self):
        super().__init__()
        from transformers import LlamaConfig, LlamaForCausalLM
        self.model = LlamaForCausalLM(LlamaConfig(
            vocab_size=128256, hidden_size=2048, intermediate_size=8192, num_hidden_layers=16,
            num_attention_heads=32, num_key_value_heads=8, rms_norm_eps=1e-5,
            rope_theta=500000.0, tie_word_embeddings=True, use_cache=False, attn_implementation="sdpa"))

    def forward(self, tokens, labels):
        return F.cross_entropy(self.model(tokens).logits.flatten(0, 1), labels)
