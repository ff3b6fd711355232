"""Several ranks learn the same as one, and record it.

Other tests compare one rank with PyTorch. TACHO_TEST_STEPS=50 makes the slowest model train longer."""

import os
import signal
import unittest

from dist_case import SECRET, DistCase, kinds_in
from tacho_case import INTERRUPTED, end_all, wait_until
from toy_data import write_image_folder, write_sentences

SLOW_STEPS = int(os.environ.get("TACHO_TEST_STEPS", 4))


class RanksLearnWhatOneLearns(DistCase):
    STEPS = ("--steps", 50)

    def test_a_convolutional_network(self):
        one = self.train("-b", 8, *self.STEPS)
        for ranks, batch, *options in (
                (2, 4), (4, 2), (2, 4, "--no-overlap", "--bucket-mb", 0.01),
                (2, 4, "--backend", "gloo", "--bucket-mb", 0.01),
                (4, 2, "--backend", "gloo", "--no-overlap")):
            with self.subTest(ranks=ranks, options=options):
                record = self.train("-b", batch, "--nproc", ranks, *self.STEPS, *options)
                self.assert_same_run(one, record)
                self.assertEqual(record["ranks"]["backend"],
                                 "gloo" if "gloo" in options else "shm")

    def test_accumulated_gradients(self):
        one = self.train("-b", 8, *self.STEPS, "--accumulate", 2)
        for ranks, batch, *options in ((2, 4), (4, 2, "--backend", "gloo", "--bucket-mb", 0.01)):
            with self.subTest(ranks=ranks):
                self.assert_same_run(one, self.train("-b", batch, "--nproc", ranks, *self.STEPS,
                                                     "--accumulate", 2, *options))

    def test_a_last_batch_that_cannot_be_divided(self):
        # 45 = 5 * 8 + 5: four ranks get 1, 1, 1 and 2 samples. 41: only one rank gets a sample.
        for samples, *divisions in ((45, (4, 2)), (41, (2, 4), (4, 2))):
            part = ("-e", 2, "--train-samples", samples, "--eval-samples", 3)
            one = self.train("-b", 8, *part)
            for ranks, batch in divisions:
                with self.subTest(samples=samples, ranks=ranks):
                    self.assert_same_run(one, self.train("-b", batch, "--nproc", ranks, *part))

    def test_two_machines_with_two_ranks_each(self):
        one = self.train("-b", 8, *self.STEPS)
        nodes = ("-b", 2, "--nproc", 2, "--nnodes", 2, *self.STEPS,
                 "--rendezvous", f"127.0.0.1:{self.free_port()}")
        # The second machine has another home.
        home = self.new_folder()
        self.addCleanup(end_all, home)
        other = self.start(*self.order(*nodes, "--node-rank", 1),
                           env={"TACHO_HOME": str(home), **SECRET})
        record = self.tacho(*self.order(*nodes, "--node-rank", 0), env=SECRET).json
        self.assertEqual(other.ended().code, 0)
        self.assertEqual(record["ranks"]["backend"], "shm+gloo")
        self.assertEqual([rank["node"] for rank in record["ranks"]["ranks"]], [0, 0, 1, 1])
        self.assert_same_run(one, record)


class SentencesAndTransformers(DistCase):
    def test_an_lstm(self):
        self.data = ("--data", "sst2", "--data-dir", write_sentences(self.home / "text", 420, 60))
        self.model = "lstm"
        options = ("--no-dropout", "--steps", 50)
        for accumulate in (1, 2):
            one = self.train("-b", 8, *options, "--accumulate", accumulate)
            for ranks, batch in ((2, 4), (4, 2)):
                with self.subTest(ranks=ranks, accumulate=accumulate):
                    self.assert_same_run(one, self.train("-b", batch, "--nproc", ranks, *options,
                                                         "--accumulate", accumulate))

    def test_a_vision_transformer(self):
        images = self.home / "pictures"
        write_image_folder(images, train=24, evaluate=5)
        self.data = ("--data", "image-folder", "--data-dir", images, "--input", "3x48x48")
        self.model = "vit_small"
        options = ("-e", 1 + SLOW_STEPS // 6, "--steps", SLOW_STEPS, "--no-checkpoints",
                   "--no-dropout")
        one = self.train("-b", 8, *options)
        for ranks, batch, *more in ((2, 4), (4, 2, "--accumulate", 2)):
            with self.subTest(ranks=ranks):
                alone = self.train("-b", 8, *options, *more) if more else one
                several = self.train("-b", batch, "--nproc", ranks, *options, *more)
                self.assert_same_run(alone, several)


class Records(DistCase):
    def test_every_rank_is_in_every_step(self):
        record = self.train("-b", 4, "--nproc", 3, "-e", 2, "--train-samples", 200)
        steps = record["metrics"]["steps_done"]
        self.assertEqual(len(record["steps"]["loss"]), steps)
        self.assertEqual([rank["rank"] for rank in record["rank_steps"]], [0, 1, 2])
        for rank in record["rank_steps"]:
            for key in ("seconds", "backward_seconds", "comm_seconds", "exposed_seconds"):
                self.assertEqual(len(rank[key]), steps)
                self.assertTrue(all(value is not None and value >= 0 for value in rank[key]), key)
            for comm, exposed in zip(rank["comm_seconds"], rank["exposed_seconds"]):
                self.assertLessEqual(exposed, comm)
            self.assertEqual(set(rank["payload_bytes"]), {4 * 61706})
            self.assertEqual(set(rank["wire_bytes"]), {2 * 4 * 61706 * 2 // 3})
        self.assertTrue(0 <= record["metrics"]["comm_hidden"] <= 1, record["metrics"])

    def test_the_report_fits_eighty_columns(self):
        self.train("-b", 4, "--nproc", 3, "--steps", 12)
        shown = self.tacho("runs", "show", "last").out
        self.assertIn("3 on 1 node by shm", shown)
        folder = [line for line in shown.splitlines() if str(self.home) in line]
        for line in shown.splitlines():
            self.assertLessEqual(len(line), 80 if line not in folder else 200, line)

    def test_compression_without_effect_is_reported(self):
        record = self.train("-b", 4, "--nproc", 2, "--steps", 2, "--compress", "bf16")
        self.assertIn("nothing is compressed", " ".join(record["notes"]))
        said = self.tacho(*self.order("--nproc", 2, "--compress", "bf16", "--backend", "shm"),
                          expect=2)
        self.assert_one_error_line(said, "--compress", "--backend shm")

    def test_replicated_data_is_seen_by_every_rank(self):
        record = self.train("-b", 4, "--nproc", 2, "--train-samples", 40, "--replicate-data")
        self.assertEqual((record["epochs"][0]["steps"], record["epochs"][0]["samples"]), (10, 80))
        shared = self.train("-b", 4, "--nproc", 2, "--train-samples", 40)
        self.assertEqual((shared["epochs"][0]["steps"], shared["epochs"][0]["samples"]), (5, 40))

    def test_the_rate_is_scaled_by_the_ranks(self):
        for scaling, factor in (("linear", 2), ("sqrt", 2 ** 0.5), ("none", 1)):
            record = self.train("-b", 4, "--nproc", 2, "--steps", 2, "--lr", 0.01,
                                "--lr-scale", scaling)
            self.assertAlmostEqual(record["epochs"][0]["learning_rate"], 0.01 * factor, places=9)

    def test_compressed_gradients_send_fewer_bytes(self):
        # A learning rate at which rounding errors do not grow.
        run = ("-b", 4, "--nproc", 2, "--steps", 50, "--lr", 0.005, "--backend", "gloo",
               "--compress")
        whole = self.train(*run, "none")
        self.assertEqual(sent_by(whole), {4 * 61706})
        for compress, size, tolerance in (("bf16", 2 * 61706, 1e-2), ("fp16", 2 * 61706, 1e-3)):
            with self.subTest(compress):
                record = self.train(*run, compress)
                self.assertEqual(sent_by(record), {size})
                self.assert_close(whole["steps"]["loss"], record["steps"]["loss"], tolerance)
        record = self.train("-b", 4, "--nproc", 2, "-e", 4, "--backend", "gloo",
                            "--compress", "topk")
        self.assertEqual(sent_by(record), {8 * 617})  # 1 % of the gradients: index and value
        self.assertLess(record["epochs"][-1]["train_loss"], 0.6 * record["epochs"][0]["train_loss"])


class Resumed(DistCase):
    """Resumed runs."""
    model = "mnist-cnn"  # has dropout, so the random state matters
    train_samples = 120
    RUN = ("-b", 4, "-e", 4)

    def stopped(self, *args):
        """Stops a run after some epoch and returns its id."""
        for _ in range(5):
            going, folder, pids = self.begin(*args)
            wait_until(lambda: kinds_in(folder, "checkpoint"), "checkpoint")
            going.signal(signal.SIGINT)
            said = going.ended()
            if said.code != 0:  # else it finished before the signal
                break
        self.assertEqual((said.code, said.json["outcome"]), (INTERRUPTED, "cancelled"))
        self.assertEqual(said.json["reason"], "stopped by a signal")
        self.assert_all_end(pids)
        return said.json["id"]

    def resumed(self, run, *args):
        return self.tacho("train", "--resume", run, "--json", *args).json

    def test_the_same_number_of_ranks_resumes_to_the_same_losses(self):
        for options in ((), ("--optimizer", "adam", "--accumulate", 2)):
            with self.subTest(options):
                whole = self.train(*self.RUN, "--nproc", 2, *options)
                record = self.resumed(self.stopped(*self.RUN, "--nproc", 2, *options))
                self.assertGreaterEqual(record["started"]["resumed_epochs"], 1)
                self.assertEqual(record["steps"]["loss"], whole["steps"]["loss"])
                self.assertEqual([e["eval_loss"] for e in record["epochs"]],
                                 [e["eval_loss"] for e in whole["epochs"]])
                self.assertEqual({len(rank["seconds"]) for rank in record["rank_steps"]},
                                 {len(whole["steps"]["loss"])})

    def test_another_number_of_ranks_resumes(self):
        run = self.stopped(*self.RUN, "--nproc", 2, "--schedule", "cosine")
        record = self.resumed(run, "--nproc", 3)
        self.assertEqual((record["outcome"], len(record["epochs"])), ("ok", 4))
        self.assertEqual({rank["rank"] for rank in record["rank_steps"]}, {0, 1, 2})
        self.assertEqual(record["epochs"][-1]["steps"], 10)
        self.assertLess(record["epochs"][-1]["train_loss"], record["epochs"][0]["train_loss"])

    def test_another_number_of_ranks_completes_the_steps(self):
        run = self.stopped(*self.RUN, "--nproc", 2, "--steps", 40)  # 15 per epoch
        record = self.resumed(run, "--nproc", 1)  # 30 per epoch
        self.assertEqual((record["outcome"], record["metrics"]["steps_done"]), ("ok", 40))

    def test_a_resumed_run_has_the_batch_norms_of_rank_0(self):
        images = self.home / "pictures"
        write_image_folder(images, train=8, evaluate=4)
        self.data = ("--data", "image-folder", "--data-dir", images, "--input", "3x32x32")
        self.model = "resnet18"
        run = ("-b", 4, "--nproc", 2, "-e", 3, "--lr", 0.001)
        whole = self.train(*run)
        record = self.resumed(self.stopped(*run))
        self.assertEqual([e["eval_loss"] for e in record["epochs"]],
                         [e["eval_loss"] for e in whole["epochs"]])


def sent_by(record):
    return {size for rank in record["rank_steps"] for size in rank["wire_bytes"]}


if __name__ == "__main__":
    unittest.main()
