"""Language models: own text, training, generation."""

import json
import math
import random
import unittest

from tacho_case import SharedHomeCase

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
SMALL = {"--layers": 2, "--width": 32, "--heads": 4, "--length": 32, "--batch": 8, "--threads": 1,
         "--seed": 1, "--lr": "1e-2"}


def words_of(options):
    return [word for option in options.items() for word in option]


class Alphabet(SharedHomeCase):
    """A text that a model can learn by heart."""

    def prepare(self):
        type(self).text = self.new_folder() / "text.txt"
        self.text.write_text(ALPHABET * 200)
        type(self).record = self.train("gpt2", "--tokens", "characters", "--epochs", 2).json

    def train(self, model, *args, text=None, expect=0):
        """`args`: options with values; they replace those of SMALL."""
        options = {**SMALL, "--data-dir": text or self.text, **dict(zip(args[::2], args[1::2]))}
        return self.tacho("train", model, "--data", "text", "--no-dropout", "--json",
                          *words_of(options), expect=expect)

    def generate(self, run, *args, expect=0):
        return self.tacho("generate", run, *args, expect=expect)

    def test_the_metrics_are_those_of_a_language_model(self):
        metrics = self.record["metrics"]
        self.assertAlmostEqual(metrics["perplexity"], math.exp(metrics["eval_loss"]), places=6)
        self.assertLess(metrics["perplexity"], 1.5)
        self.assertAlmostEqual(metrics["tokens_per_s"], 32 * metrics["samples_per_s"], places=3)
        # A tenth of the characters is for evaluation; a sample's last label is the next one's first.
        self.assertEqual(self.record["input"]["eval_samples"], (26 * 20 - 1) // 32)
        few = self.train("gpt2", "--tokens", "characters", "--train-samples", 10, "--eval-samples", 3).json
        self.assertEqual((few["input"]["train_samples"], few["input"]["eval_samples"]), (10, 3))

    def test_what_was_learned_is_generated(self):
        run = self.record["key"]
        said = self.generate(run, "abc", "--temperature", 0, "--max-tokens", 60)
        self.assertEqual(said.out, (ALPHABET * 3)[:63] + "\n")
        report = self.generate(run, "xyz", "--top-k", 1, "--max-tokens", 26, "--json").json
        self.assertEqual((report["prompt"], report["text"], report["tokens"]), ("xyz", ALPHABET, 26))
        self.assertGreater(report["tokens_per_s"], 0)

    def test_a_seed_repeats_what_was_drawn(self):
        drawn = [self.generate(self.record["key"], "--temperature", 5, "--seed", seed).out
                 for seed in (1, 1, 2)]
        self.assertEqual(drawn[0], drawn[1])
        self.assertNotEqual(drawn[0], drawn[2])

    def test_llama_learns_it_too(self):
        run = self.train("llama-125m", "--tokens", "characters", "--epochs", 2, "--kv-heads", 2).json
        self.assertLess(run["metrics"]["perplexity"], 1.5)
        said = self.generate(run["key"], "mno", "--temperature", 0, "--max-tokens", 40)
        self.assertEqual(said.out, (ALPHABET * 3)[12:55] + "\n")

    def test_documents_are_learned_with_byte_pairs(self):
        folder = self.new_folder()
        lines = [json.dumps({"text": f"the {word} ends."}) for word in ("first", "second") * 400]
        (folder / "train.jsonl").write_text("\n".join(lines))
        (folder / "val.jsonl").write_text("\n".join(lines[:40]))
        run = self.train("gpt2", "--vocab-size", 280, "--epochs", 8, text=folder).json
        # Each document ends with a token of its own.
        answer = self.generate(run["key"], "the first", "--temperature", 0, "--json").json
        self.assertEqual(answer["text"], " ends.")
        tokenizer = self.home / "runs" / run["key"] / "tokenizer.json"
        again = self.train("gpt2", "--vocab", tokenizer, "--epochs", 8, text=folder).json
        self.assertEqual(again["epochs"][-1]["eval_loss"], run["epochs"][-1]["eval_loss"])

    def test_two_processes_equal_one(self):
        one = self.train("gpt2", "--tokens", "characters", "--epochs", 1, "--batch", 16).json
        two = self.train("gpt2", "--tokens", "characters", "--epochs", 1, "--nproc", 2).json
        self.assertAlmostEqual(two["epochs"][0]["eval_loss"], one["epochs"][0]["eval_loss"], places=3)

    def test_adapters_are_trained_and_exported_with_the_weights(self):
        folder = self.home / "runs" / self.record["key"]
        tokenizer, (base,) = folder / "tokenizer.json", (folder / "checkpoints").iterdir()
        backwards = self.new_folder() / "text.txt"
        backwards.write_text(ALPHABET[::-1] * 200)
        given = ("--vocab", tokenizer, "--epochs", 4)
        run = self.train("gpt2", *given, "--weights", base, "--lora", 8, "--lora-layers",
                         "c_attn,attn.c_proj,c_fc", text=backwards).json
        losses = [epoch["eval_loss"] for epoch in run["epochs"]]
        self.assertLess(losses[-1], losses[0])
        self.assertIn("trains ", json.dumps(run["notes"]))
        said = self.generate(run["key"], "zyx", "--temperature", 0, "--max-tokens", 40)
        self.assertEqual(said.out, (ALPHABET[::-1] * 2)[:43] + "\n")

        weights = self.new_folder() / "model.safetensors"
        self.tacho("runs", "export", run["key"], "--format", "safetensors", "-o", weights)
        again = self.train("gpt2", *given, "--weights", weights, "--lr", "1e-12", "--epochs", 1,
                           text=backwards).json
        self.assertAlmostEqual(again["epochs"][0]["eval_loss"], losses[-1], places=4)
        self.assertEqual(self.generate(again["key"], "zyx", "--temperature", 0, "--max-tokens", 40).out,
                         said.out)

    def test_weights_of_other_models_are_exported_too(self):
        run = self.tacho("train", "mlp", "--data", "fashion-mnist", "--train-samples", 200,
                         "--eval-samples", 100, "--json").json
        file = self.new_folder() / "mlp.safetensors"
        said = self.tacho("runs", "export", run["key"], "--format", "safetensors", "-o", file)
        self.assertEqual(said.out, f"wrote {file}\n")
        again = self.tacho("train", "mlp", "--data", "fashion-mnist", "--train-samples", 200,
                           "--eval-samples", 100, "--weights", file, "--lr", "1e-12", "--json").json
        self.assertAlmostEqual(again["epochs"][0]["eval_loss"], run["epochs"][0]["eval_loss"], places=5)
        for words, expected in (((), "writes the weights of one run"),
                                ((run["key"],), "writes the weights of one run"),
                                ((run["key"], "-o", file, "--checkpoint", "first"),
                                 "unknown checkpoint 'first'")):
            said = self.tacho("runs", "export", "--format", "safetensors", *words, expect=2)
            self.assert_one_error_line(said, expected)

    def test_only_completions_are_learned(self):
        folder = self.new_folder()
        lines = [json.dumps({"prompt": "".join(random.Random(n).choices("xyz", k=8)) + "=",
                             "completion": "abcdef."}) for n in range(400)]
        (folder / "train.jsonl").write_text("\n".join(lines))
        run = self.train("gpt2", "--tokens", "characters", "--epochs", 3, text=folder).json
        # Nobody can predict the prompts; seven of sixteen characters count.
        self.assertLess(run["metrics"]["perplexity"], 1.2)
        self.assertGreater(run["metrics"]["top1"], 0.95)
        self.assertAlmostEqual(run["metrics"]["tokens_per_s"], 32 * run["metrics"]["samples_per_s"],
                               places=3)
        said = self.generate(run["key"], "zyxzyxzy=", "--temperature", 0, "--max-tokens", 7)
        self.assertEqual(said.out, "zyxzyxzy=abcdef.\n")

    def test_synthetic_text_measures_speed(self):
        run = self.tacho("train", "llama-125m", "--data", "synthetic", *words_of(SMALL), "--kv-heads", 1,
                         "--steps", 3, "--json").json
        self.assertEqual(run["metrics"]["steps_done"], 3)

    def test_what_does_not_fit_is_refused_with_what_does(self):
        for words, expected in (
                (("gpt2", "--width", 30), "--width must be a multiple of --heads"),
                (("gpt2", "--kv-heads", 2), "--kv-heads is for llama"),
                (("gpt2", "--head-lr", "0.1"), "the head of gpt2 is its embedding"),
                (("llama-125m", "--kv-heads", 3), "--heads must be a multiple of --kv-heads"),
                (("llama-125m", "--width", 36, "--heads", 12), "must be even"),
                (("gpt2", "--lora", 8), "add --weights FILE"),
                (("gpt2", "--lora-alpha", 8), "need --lora RANK"),
                (("gpt2", "--length", 100_000), "too few for samples of 100000"),
                (("gpt2", "--vocab-size", 3), "--vocab-size"),
                (("gpt2", "--data-dir", self.home / "absent"), "absent")):
            said = self.train(*words, expect=None)
            self.assertNotEqual(said.code, 0, words)
            self.assertIn(expected, said.err + said.out, words)
        said = self.tacho("train", "lenet5", "--data", "fashion-mnist", "--layers", 3, expect=2)
        self.assert_one_error_line(said, "--layers is for language models")
        said = self.tacho("train", "gpt2", "--data", "fashion-mnist", expect=None)
        self.assertIn("gpt2 reads documents, but fashion-mnist holds images", said.err + said.out)

    def test_generate_refuses_what_makes_no_sense(self):
        run = self.record["key"]
        said = self.generate(run, "A", expect=2)
        self.assertIn("the character 'A' does not occur in the training text", said.err)
        for words in (("--temperature", -1), ("--max-tokens", 0), ("--top-k", -1), ("--top-p", 0)):
            self.assertIn(words[0], self.generate(run, *words, expect=2).err)

    def test_data_verify_reads_the_text(self):
        said = self.tacho("data", "verify", "text", "--from", self.text)
        self.assertIn("training text", said.out)


if __name__ == "__main__":
    unittest.main()
