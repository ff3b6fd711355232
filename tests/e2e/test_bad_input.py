import contextlib
import os
import shutil
import sqlite3
import subprocess
import unittest

from tacho_case import TACHO, SharedHomeCase, TachoCase
from toy_data import write_images, write_sentences

FASHION = ("train", "lenet5", "--data", "fashion-mnist")

# Command, exit code, and words that its one line on standard error must contain.
REFUSED = [
    (("trian",), 2, "unknown command 'trian'", "did you mean 'train'?"),
    (("runs", "sl"), 2, "'sl'"),
    (("runs",), 2, "tacho runs --help"),
    (("--bogus",), 2, "--bogus"),
    ((*FASHION, "--bacth", 3), 2, "--bacth", "tacho train --help"),
    (("train",), 2, "no model named"),
    (("train", "lenet6", "--data", "fashion-mnist"), 2, "'lenet6'", "did you mean 'lenet5'?"),
    (("train", "lenet5", "--data", "nope"), 2, "unknown dataset 'nope'", "fashion-mnist"),
    (("train", "lenet5"), 2, "--data"),
    (("train", "mlp", "--data", "mnist"), 2, "mnist", "tacho data get mnist"),
    (("train", "lstm", "--data", "fashion-mnist"), 2, "lstm reads text"),
    ((*FASHION, "--data-dir", "/nonexistent"), 2, "/nonexistent"),
    ((*FASHION, "--optimizer", "sgdd"), 2, "unknown optimizer 'sgdd'"),
    ((*FASHION, "--schedule", "cos"), 2, "unknown schedule 'cos'"),
    ((*FASHION, "--device", "gpu"), 2, "unknown device 'gpu'"),
    ((*FASHION, "--mkldnn", "maybe"), 2, "--mkldnn", "'maybe'"),
    ((*FASHION, "--stock", "--mkldnn", "on"), 2, "--stock", "--mkldnn"),
    ((*FASHION, "--batch", 0), 2, "--batch must be at least 1"),
    ((*FASHION, "--batch", -1), 2, "--batch must be at least 1"),
    ((*FASHION, "--batch", "many"), 2, "--batch", "many"),
    ((*FASHION, "--batch", 10**20), 2, "--batch"),
    ((*FASHION, "--epochs", 0), 2, "--epochs must be at least 1"),
    ((*FASHION, "--steps", 0), 2, "--steps must be at least 1"),
    ((*FASHION, "--threads", 0), 2, "--threads must be at least 1"),
    ((*FASHION, "--lr", 0), 2, "--lr must be above 0"),
    ((*FASHION, "--lr", "nan"), 2, "--lr must be above 0"),
    ((*FASHION, "--target", 2), 2, "--target"),
    ((*FASHION, "--input", "3x64"), 2, "--input", "3x224x224"),
    ((*FASHION, "--workers", -1), 2, "--workers"),
    ((*FASHION, "--accumulate", 0), 2, "--accumulate must be at least 1"),
    ((*FASHION, "--accumulate-samples", 200, "--batch", 64), 2, "192 or 256"),
    ((*FASHION, "--accumulate-samples", 64, "--accumulate", 1), 2, "not both"),
    ((*FASHION, "--milestones", "80,60"), 2, "increasing epochs"),
    ((*FASHION, "--milestones", "3", "--schedule", "cosine"), 2, "--schedule milestones"),
    ((*FASHION, "--warmup-steps", 3, "--warmup-epochs", 1), 2, "not both"),
    ((*FASHION, "--mean", "0.1,0.2"), 2, "one value per channel"),
    ((*FASHION, "--std", "0"), 2, "above 0"),
    ((*FASHION, "--stem", "cifar"), 2, "--stem is for ResNets"),
    ((*FASHION, "--patience", 0), 2, "--patience must be at least 1"),
    ((*FASHION, "--keep", "best", "--no-checkpoints"), 2, "leave out --no-checkpoints"),
    ((*FASHION, "--checkpoint", "best"), 2, "--resume"),
    ((*FASHION, "--ema", 1), 2, "--ema must be at most"),
    ((*FASHION, "--clip", 0), 2, "--clip must be above 0"),
    ((*FASHION, "--label-smoothing", 1), 2, "--label-smoothing"),
    ((*FASHION, "--erase", 1.5), 2, "--erase must be at most 1"),
    (("train", "lstm", "--data", "sst2", "--trivial-augment"), 2, "not for text"),
    ((*FASHION, "--precision", "bf16"), 2, "--device cuda"),
    ((*FASHION, "--precision", "int8"), 2, "unknown precision 'int8'"),
    ((*FASHION, "--graphs", "on"), 2, "--device cuda"),
    ((*FASHION, "--weights-partial"), 2, "--weights FILE"),
    (("train", "resnet18", "--data", "image-folder", "--data-dir", "/nonexistent"), 2,
     "/nonexistent"),
    (("train", "--resume", 99), 2, "no run 99"),
    (("train", "--resume", 1), 2, "run 1 is complete"),
    (("train", "--resume", 1, "--batch", 3), 2, "leave out --batch"),
    (("runs", "show", 99), 2, "no run 99"),
    (("runs", "ls", "--where", "colour=red"), 2, "unknown column 'colour'"),
    (("runs", "ls", "--where", "top1"), 2, "'top1' is not a filter"),
    (("runs", "ls", "--where", "top1>high"), 2, "top1 needs a number"),
    (("runs", "ls", "--sort", "topp1"), 2, "unknown column 'topp1'", "did you mean 'top1'?"),
    (("runs", "ls", "--limit", -1), 2, "--limit"),
    (("runs", "export"), 2, "--csv", "--json"),
    (("runs", "export", "--csv", "--table", "weeks"), 2, "unknown table 'weeks'"),
    (("runs", "export", "--json", "--table", "steps"), 2, "--table is for --csv"),
    (("runs", "export", "--csv", 1, "--where", "top1>0"), 2, "--where"),
    (("runs", "export", "--csv", "-o", "/nonexistent/runs.csv"), 2, "/nonexistent/runs.csv"),
    (("runs", "ingest", "/usr"), 2, "/usr: not a run's folder"),
    (("data", "get", "nope"), 2, "unknown dataset 'nope'"),
    (("data", "get", "sst2"), 2, "tacho data prepare sst2 --from SST-2.zip"),
    (("data", "prepare", "sst2", "--from", "/nonexistent"), 2, "/nonexistent/train.tsv"),
    (("completion", "tcsh"), 2, "tcsh"),
]


class Refuse(SharedHomeCase):
    def prepare(self):
        images = write_images(self.home / "images", train=64, evaluate=32)
        self.tacho("train", "mlp", "--data", "fashion-mnist", "--data-dir", images, "--threads", 1)

    def test_each_error_is_one_line_and_changes_nothing(self):
        after = self.runs()
        for command, code, *words in REFUSED:
            before = after
            said = self.tacho(*command, expect=None)
            after = self.runs()
            with self.subTest(" ".join(map(str, command))):
                self.assertEqual((said.code, said.out), (code, ""), said.err)
                self.assert_one_error_line(said, *words)
                self.assertEqual(after, before)

    def test_a_deeply_nested_spec_is_rejected(self):
        folder = self.home / "deep"
        shutil.copytree(self.folders().pop(), folder)
        (folder / "spec.json").write_text('{"spec":' + "[" * 100_000 + "]" * 100_000 + "}")
        said = self.tacho("runs", "ingest", folder, expect=2)
        self.assert_one_error_line(said, "nested more than 64 levels deep")

    def test_a_sentence_without_a_label_is_named_by_file_and_line(self):
        sentences = write_sentences(self.home / "sentences")
        with open(sentences / "dev.tsv", "a") as dev:
            dev.write("no label here\n")
        said = self.tacho("data", "prepare", "sst2", "--from", sentences, expect=2)
        self.assert_one_error_line(said, "dev.tsv: line 201: no label")
        self.assertFalse((self.home / "data" / "sst2").exists())


class TruncatedImages(TachoCase):
    def setUp(self):
        super().setUp()
        self.images = write_images(self.home / "images")
        self.cut = self.images / "train-images-idx3-ubyte"
        os.truncate(self.cut, 10000)

    def test_verify_names_the_file(self):
        said = self.tacho("data", "verify", "fashion-mnist", "--from", self.images, expect=2)
        self.assert_one_error_line(said, str(self.cut), "10000 bytes")

    def test_verify_json_lists_damaged_files(self):
        said = self.tacho("data", "verify", "fashion-mnist", "--from", self.images, "--json",
                          expect=2)
        self.assertEqual(said.json[0]["state"], "wrong size")
        self.assertIn(str(self.cut), said.json[0]["problem"])

    def test_a_run_on_them_is_stored_as_failed_with_the_reason(self):
        said = self.tacho(*FASHION, "--data-dir", self.images, "--threads", 1, "--json",
                          expect=1)
        self.assert_one_error_line(said, str(self.cut))
        [run] = self.runs()
        self.assertEqual((run["id"], run["outcome"]), (said.json["id"], "failed"))
        self.assertIn(str(self.cut), said.json["reason"])


class BadHome(TachoCase):
    def test_a_home_that_cannot_be_created_is_named(self):
        file = self.home / "file"
        file.write_text("in the way")
        for home in ("/proc/tacho", file, file / "below"):
            for command in (("runs", "ls"), FASHION):
                with self.subTest(f"{home} {command[0]}"):
                    said = self.tacho(*command, env={"TACHO_HOME": str(home)}, expect=1)
                    self.assertEqual(said.out, "")
                    self.assert_one_error_line(said, str(home))
        self.assertEqual(file.read_text(), "in the way")

    def test_the_doctor_reports_a_home_that_is_not_a_folder(self):
        file = self.home / "file"
        file.write_text("in the way")
        # Without a worker, since checking torch takes seconds.
        said = self.tacho("doctor", "--json", expect=1,
                          env={"TACHO_HOME": str(file), "TACHO_WORKER": "/nonexistent/worker"})
        [home] = [finding for finding in said.json if finding["name"] == "home"]
        self.assertEqual(home["health"], "trouble")

    def test_a_newer_store_is_rejected_and_unchanged(self):
        self.tacho("runs", "ls")
        store = self.home / "tacho.db"
        with contextlib.closing(sqlite3.connect(store)) as database:
            database.execute("PRAGMA journal_mode = DELETE")
            database.execute("PRAGMA user_version = 999")
        before = store.read_bytes()
        for command in (("runs", "ls"), FASHION):
            said = self.tacho(*command, expect=1)
            self.assert_one_error_line(said, str(store), "newer", "update tacho")
        self.assertEqual(store.read_bytes(), before)
        self.assertEqual(self.folders(), set())

    def test_a_file_that_is_not_a_store_is_rejected_and_unchanged(self):
        store = self.home / "tacho.db"
        for content in (b"shopping list\n", bytes(5000), b"\xff" * 5000):
            store.write_bytes(content)
            said = self.tacho("runs", "ls", expect=2)
            self.assert_one_error_line(said, str(store), "not a Tacho store")
            self.assertEqual(store.read_bytes(), content)

    def test_a_database_of_another_program_is_rejected_and_unchanged(self):
        store = self.home / "tacho.db"
        with contextlib.closing(sqlite3.connect(store)) as database:
            database.execute("CREATE TABLE recipes (name TEXT)")
        before = store.read_bytes()
        self.assert_one_error_line(self.tacho("runs", "ls", expect=2), "another program")
        self.assertEqual(store.read_bytes(), before)


class BrokenSurroundings(TachoCase):
    def test_unwritable_output_is_an_error(self):
        for command in (["runs", "ls"], ["data", "ls"], ["completion", "bash"], ["--help"],
                        ["train", "--help"], ["--version"], []):
            with self.subTest(" ".join(command)), open("/dev/full", "w") as full:
                ended = subprocess.run([TACHO, *command], stdout=full, stderr=subprocess.PIPE,
                                       env=self.environment(), text=True)
                self.assertEqual(ended.returncode, 1)
                self.assertIn("tacho: standard output could not be written", ended.stderr)

    def test_a_missing_worker_is_an_error_without_a_run(self):
        said = self.tacho(*FASHION, env={"TACHO_WORKER": "/nonexistent/worker"}, expect=1)
        self.assert_one_error_line(said, "/nonexistent/worker")
        self.assertEqual(self.runs(), [])

    def test_a_worker_that_exits_immediately_is_a_failed_run(self):
        false = shutil.which("false")
        said = self.tacho(*FASHION, "--json", env={"TACHO_WORKER": false}, expect=1)
        self.assert_one_error_line(said, "exit code 1")
        self.assertEqual([run["outcome"] for run in self.runs()], ["failed"])


if __name__ == "__main__":
    unittest.main()
