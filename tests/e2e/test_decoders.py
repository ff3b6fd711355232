"""tacho predict for decoder language models, by name and by shape."""

import unittest

from tacho_case import TachoCase

SHAPE = ["--layers", "32", "--width", "4096", "--heads", "32", "--vocab", "50368", "--tied"]


class Decoders(TachoCase):
    def predicted(self, *words):
        return self.tacho("predict", *words, "--json").json

    def test_a_shape_is_predicted_like_the_model_that_has_it(self):
        asked = ["--gpu", "H100", "--num-gpus", "64", "--sequence", "4096", "-b", "2"]
        named = self.predicted("gpt-7b", *asked)
        shape = self.predicted(*SHAPE, *asked)
        self.assertEqual(named["model"], "mpt-7b")
        self.assertEqual(named["num_nodes"], 8)
        speeds = [one["tokens_per_s_per_gpu"] for one in (named, shape)]
        self.assertAlmostEqual(speeds[0] / speeds[1], 1, delta=0.001)
        for key in ["tokens_per_s_per_gpu", "tokens_per_s", "mfu", "step_seconds"]:
            self.assertTrue(named[key + "_low90"] < named[key] < named[key + "_high90"], key)
        self.assertAlmostEqual(named["tokens_per_s"], 64 * speeds[0], delta=1)
        self.assertAlmostEqual(named["step_seconds"], 2 * 4096 / speeds[0], delta=1e-6)

    def test_memory_decides_about_recomputation_unless_told(self):
        asked = ["mpt-7b", "--gpu", "A100", "--num-gpus", "8", "-b", "32"]
        self.assertTrue(self.predicted(*asked)["recompute"])
        off = self.predicted(*asked, "--recompute", "off")
        self.assertEqual((off["recompute"], off["fits"]), (False, False))
        most = str(int(off["largest_batch_per_gpu"]))
        self.assertTrue(self.predicted(*asked[:-1], most, "--recompute", "off")["fits"])

    def test_a_whole_training_takes_time_and_money(self):
        asked = ["llama3-8b", "--gpu", "H100", "--num-gpus", "64", "--tokens", "1T"]
        said = self.predicted(*asked)
        training = said["training"]
        self.assertAlmostEqual(training["seconds"] * said["tokens_per_s"], 1e12,
                               delta=1e6)
        self.assertAlmostEqual(training["usd"],
                               training["seconds"] / 3600 * 64 * training["usd_per_gpu_hour"],
                               delta=1)
        text = self.tacho("predict", *asked).out
        self.assertIn("1 T tokens", text)
        self.assertIn("PyTorch FSDP", text)
        self.assertIn("wider interval: the fitted jobs have no gates", text)

    def test_bad_input_is_refused_with_a_remedy(self):
        for words, remedy in [
                (["lama3-8b", "--sequence", "4096", "--gpu", "H100"], "did you mean 'llama3-8b'?"),
                (["llama3-8b"], "--gpu"),
                (["llama3-8b", "--gpu", "V100", "--precision", "bf16"], "--precision fp16"),
                (["llama3-8b", "--gpu", "H100", "--layers", "3"], "not both"),
                (["--layers", "3", "--gpu", "H100"], "--layers, --width, --heads and --vocab"),
                ([*SHAPE, "--kv-heads", "5", "--gpu", "H100"], "--kv-heads 5"),
                (["llama3-8b", "--gpu", "H100", "--tokens", "1X"], "300B"),
                (["llama3-8b", "--gpu", "H100", "--precision", "fp32"], "bf16, fp16, fp8"),
                (["llama3-8b", "--gpu", "H100", "--recompute", "maybe"], "on, off or auto"),
                (["llama3-8b", "--gpu", "H100", "-b", "0"], "--batch"),
                (["llama3-8b", "--gpu", "H100", "--num-gpus", "12", "--num-nodes", "5"],
                 "--num-nodes")]:
            with self.subTest(words=words):
                self.assertIn(remedy, self.tacho("predict", *words, expect=2).err)

    def test_evaluate_prints_the_errors_of_held_out_jobs(self):
        scores = self.tacho("evaluate", "--split", "decoders", "--json").json["decoders"]
        size = next(one for one in scores if one["held_out"] == "size")
        self.assertEqual((size["folds"], size["jobs"]), (7, 104))
        self.assertLess(size["median_error"], 0.12)


if __name__ == "__main__":
    unittest.main()
