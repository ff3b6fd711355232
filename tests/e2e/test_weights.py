"""Weights that were not trained here: `tacho infer FOLDER` and `tacho train --weights`."""

import json
import math
import os
import re
import struct
import unittest
import zlib

from http_case import ServeCase, printed
from tacho_case import TachoCase, wait_until
from torch_files import state_dict, write_state_dict

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "good", "bad", "film"]
LENET5 = {"conv1.weight": (6, 1, 5, 5), "conv1.bias": (6,), "conv2.weight": (16, 6, 5, 5),
          "conv2.bias": (16,), "fc1.weight": (120, 400), "fc1.bias": (120,),
          "fc2.weight": (84, 120), "fc2.bias": (84,), "fc3.weight": (3, 84), "fc3.bias": (3,)}


def distilbert(words):
    shapes = {"distilbert.embeddings.word_embeddings.weight": (words, 768),
              "distilbert.embeddings.position_embeddings.weight": (512, 768)}

    def layer(name, *shape):
        shapes[f"{name}.weight"] = shape
        shapes[f"{name}.bias"] = shape[:1]
    layer("distilbert.embeddings.LayerNorm", 768)
    for number in range(6):
        within = f"distilbert.transformer.layer.{number}"
        for part in ("q_lin", "k_lin", "v_lin", "out_lin"):
            layer(f"{within}.attention.{part}", 768, 768)
        layer(f"{within}.sa_layer_norm", 768)
        layer(f"{within}.ffn.lin1", 3072, 768)
        layer(f"{within}.ffn.lin2", 768, 3072)
        layer(f"{within}.output_layer_norm", 768)
    layer("pre_classifier", 768, 768)
    layer("classifier", 2, 768)
    return shapes


def write_hugging_face(folder):
    """All weights are zero but the bias of the classifier, so every answer is known."""
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({
        "architectures": ["DistilBertForSequenceClassification"], "model_type": "distilbert",
        "dim": 768, "hidden_dim": 3072, "n_layers": 6, "n_heads": 12, "vocab_size": len(WORDS),
        "id2label": {"0": "NEGATIVE", "1": "POSITIVE"}}))
    (folder / "tokenizer_config.json").write_text('{"do_lower_case": true}')
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n")
    write_state_dict(folder / "pytorch_model.bin", state_dict(
        distilbert(len(WORDS)), {"classifier.bias": [-1, 1]}, "Half"))
    return folder


def grey_png(side):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    rows = zlib.compress((b"\0" + b"\x80" * side) * side)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", rows) + chunk(b"IEND", b""))


class ServedFolder(ServeCase):
    """One server for the folder that write() makes."""

    @classmethod
    def setUpClass(cls):
        super(ServeCase, cls).setUpClass()
        folder = cls.write(cls.home / "weights")
        cls.going = cls("prepare").start("infer", folder, "--port", 0)
        found = wait_until(lambda: re.search(r"http://[\w.]+:(\d+)/", printed(cls.going)), "address")
        cls.port = int(found[1])


class HuggingFace(ServedFolder):
    write = staticmethod(write_hugging_face)

    def test_it_answers_with_the_labels_of_config_json(self):
        status, _, body = self.ask("/predict", "POST", {"text": ["a good film"]})
        self.assertEqual(status, 200, body)
        answer = body["predictions"][0]
        self.assertEqual(answer["label"], "POSITIVE")
        self.assertAlmostEqual(answer["probabilities"][1], 1 / (1 + math.exp(-2)), places=5)
        model = self.ask("/model")[2]
        self.assertEqual(model["classes"], ["NEGATIVE", "POSITIVE"])
        self.assertEqual(model["name"], "distilbert")
        self.assertEqual(model["input_shape"], {"vocabulary": len(WORDS), "max_tokens": 512})


class ModelJson(ServedFolder):
    @staticmethod
    def write(folder):
        folder.mkdir()
        # As DataParallel saves a checkpoint.
        state = state_dict({f"module.{name}": shape for name, shape in LENET5.items()},
                           {"module.fc3.bias": [0, 0, 2]})
        write_state_dict(folder / "digits.pth", {"epoch": 3, "state_dict": state})
        (folder / "model.json").write_text(json.dumps({"model": "lenet5", "labels": ["a", "b", "c"]}))
        return folder

    def test_it_answers_images(self):
        status, _, body = self.ask("/predict", "POST", grey_png(28), {"Content-Type": "image/png"})
        self.assertEqual(status, 200, body)
        answer = body["predictions"][0]
        self.assertEqual(answer["label"], "c")
        self.assertAlmostEqual(answer["probabilities"][2], math.exp(2) / (math.exp(2) + 2), places=5)


class Evil:
    def __init__(self, file):
        self.file = file

    def __reduce__(self):
        return os.system, (f"touch {self.file}",)


class Refusals(TachoCase):
    def refused(self, folder, *words):
        said = self.tacho("infer", folder, "--port", 0, expect=None)
        self.assertNotEqual(said.code, 0)
        for word in words:
            self.assertIn(word, said.err)

    def test_a_pickle_that_calls_a_program_is_refused_and_not_executed(self):
        executed = self.home / "executed"
        write_state_dict(self.home / "evil.pth", {"w": Evil(executed)})
        (self.home / "model.json").write_text('{"model": "lenet5", "labels": ["a"]}')
        self.refused(self.home, "this file calls posix.system; only state dicts are read",
                     "torch.save(model.state_dict(), FILE)")
        self.assertFalse(executed.exists())

    def test_an_unknown_model_says_what_to_add(self):
        write_state_dict(self.home / "digits.pth", state_dict(LENET5, {}))
        self.refused(f"{self.home}/", "add a model.json such as")

    def test_a_config_of_another_size_is_named(self):
        folder = write_hugging_face(self.home / "hf")
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps({**config, "n_layers": 12}))
        self.refused(folder, "not a distilbert: n_layers is 12, not 6")


class Training(TachoCase):
    def test_it_starts_from_a_state_dict_and_refuses_missing_tensors(self):
        shapes = {**LENET5, "fc3.weight": (10, 84), "fc3.bias": (10,)}
        weights = self.home / "w.pth"
        write_state_dict(weights, state_dict(shapes, {}))
        args = ("train", "lenet5", "--data", "synthetic", "--steps", 1, "--batch", 2, "--weights")
        self.tacho(*args, weights)
        del shapes["fc2.bias"]
        write_state_dict(weights, state_dict(shapes, {}))
        said = self.tacho(*args, weights, expect=None)
        self.assertNotEqual(said.code, 0)
        self.assertIn("missing fc2.bias; use --weights-partial", said.err + said.out)
        self.tacho(*args, weights, "--weights-partial")


if __name__ == "__main__":
    unittest.main()
