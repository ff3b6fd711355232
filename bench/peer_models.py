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
