import csv
import io
import json
import os
import random
import shutil
import subprocess
import unittest

from tacho_case import TACHO, SharedHomeCase, TachoCase, learned
from toy_data import write_images


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


def train(case, images, model, batch, *more):
    return case.tacho("train", model, "--data", "fashion-mnist", "--data-dir", images, "--batch",
                      batch, "--epochs", 2, "--threads", 1, "--seed", 1, "--json", *more).json


class ReadRuns(SharedHomeCase):
    """Three runs: 1 is lenet5, 2 and 3 are mlp with batch sizes 32 and 64."""

    def prepare(self):
        images = write_images(self.home / "images")
        type(self).records = [train(self, images, "lenet5", 32), train(self, images, "mlp", 32),
                              train(self, images, "mlp", 64)]

    def ids(self, *args):
        return [run["id"] for run in self.tacho("runs", "ls", "--json", *args).json]

    def test_ls_lists_every_run_newest_first(self):
        lines = self.tacho("runs", "ls").out.splitlines()
        self.assertEqual(lines[0].split()[:4], ["id", "started", "model", "data"])
        self.assertEqual([line.split()[0] for line in lines[1:]], ["3", "2", "1"])
        self.assertTrue(all(line.endswith("  ok") for line in lines[1:]), lines)

    def test_ls_json_has_the_metrics_of_the_record(self):
        runs = self.tacho("runs", "ls", "--json").json
        self.assertEqual([run["metrics"] for run in runs],
                         [record["metrics"] for record in reversed(self.records)])

    def test_ls_csv_equals_ls_json(self):
        from_csv = rows_of(self.tacho("runs", "ls", "--csv").out)
        from_json = self.tacho("runs", "ls", "--json").json
        self.assertEqual([row["key"] for row in from_csv], [run["key"] for run in from_json])
        for row, run in zip(from_csv, from_json):
            for metric, value in run["metrics"].items():
                self.assertEqual(float(row[metric]), value, metric)

    def test_where_keeps_runs_that_match_all_filters(self):
        self.assertEqual(self.ids("--where", "model=mlp"), [3, 2])
        self.assertEqual(self.ids("-w", "model=mlp", "-w", "batch<64"), [2])
        self.assertEqual(self.ids("-w", "model!=mlp"), [1])
        self.assertEqual(self.ids("-w", "top1 > 1"), [])

    def test_sort_orders_by_any_column_in_both_directions(self):
        by_speed = sorted(self.records, key=lambda record: record["metrics"]["step_s"])
        expected = [record["id"] for record in by_speed]
        self.assertEqual(self.ids("--sort", "step_s", "--ascending"), expected)
        self.assertEqual(self.ids("--sort", "step_s"), expected[::-1])

    def test_limit_shortens_the_list(self):
        self.assertEqual(self.ids("--limit", 2), [3, 2])

    def test_json_and_csv_together_are_rejected(self):
        said = self.tacho("runs", "ls", "--json", "--csv", expect=2)
        self.assert_one_error_line(said, "--json", "--csv")

    def test_show_json_equals_the_output_of_train(self):
        for record in self.records:
            for handle in (record["id"], record["key"]):
                with self.subTest(handle):
                    self.assertEqual(self.tacho("runs", "show", handle, "--json").json, record)
        self.assertEqual(self.tacho("runs", "show", "last", "--json").json, self.records[-1])

    def test_show_prints_the_same_as_text(self):
        out = self.tacho("runs", "show", 1).out
        self.assertTrue(out.startswith("run 1  lenet5 on fashion-mnist, batch 32"), out)
        self.assertIn(str(self.home / "runs" / self.records[0]["key"]), out)

    def test_export_json_has_complete_records(self):
        exported = self.tacho("runs", "export", "--json").json
        self.assertEqual(exported, self.records[::-1])
        self.assertEqual(self.tacho("runs", "export", "--json", 2).json, [self.records[1]])

    def test_export_brief_leaves_out_the_steps(self):
        expected = {name: value for name, value in self.records[0].items() if name != "steps"}
        listed = self.tacho("runs", "ls", "--json").json[-1]
        self.assertEqual(self.tacho("runs", "export", "--json", "--brief", 1).json,
                         [{**expected, "last_figures": {}, "listed": listed}])
        said = self.tacho("runs", "export", "--csv", "--brief", expect=2)
        self.assert_one_error_line(said, "--brief is for --json")

    def test_export_csv_has_one_row_per_run(self):
        rows = rows_of(self.tacho("runs", "export", "--csv", "-w", "model=mlp").out)
        self.assertEqual([row["id"] for row in rows], ["3", "2"])

    def test_export_epochs_has_one_row_per_epoch(self):
        rows = rows_of(self.tacho("runs", "export", "--csv", "--table", "epochs").out)
        self.assertEqual(len(rows), 6)
        of_first = [row for row in rows if row["run"] == "1"]
        self.assertEqual([float(row["eval_loss"]) for row in of_first],
                         [epoch["eval_loss"] for epoch in self.records[0]["epochs"]])

    def test_export_steps_has_one_row_per_step(self):
        out = self.tacho("runs", "export", "--csv", "--table", "steps", 1).out
        self.assertEqual(out.split("\r\n")[0], "run,step,warmup,seconds,input_seconds,loss")
        rows = rows_of(out)
        self.assertEqual([int(row["step"]) for row in rows], list(range(1, 41)))
        self.assertEqual([float(row["loss"]) for row in rows], self.records[0]["steps"]["loss"])

    def test_export_into_a_file_writes_the_same_output(self):
        file = self.home / "runs.csv"
        said = self.tacho("runs", "export", "--csv", "-o", file)
        self.assertEqual(said.out, "")
        with open(file, newline="") as written:
            self.assertEqual(written.read(), self.tacho("runs", "export", "--csv").out)


class Edit(TachoCase):
    """Names, tags, notes and the archive."""

    def setUp(self):
        super().setUp()
        for word in ("one", "two"):
            self.tacho("run", "-q", "--", "echo", word)

    def edit(self, *words):
        return self.tacho("runs", "edit", *words)

    def run_1(self):
        [run] = self.tacho("runs", "ls", "--json", "--archived", "-w", "id=1").json
        return run

    def test_the_list_and_the_run_show_what_was_edited(self):
        said = self.edit(1, "--name", "base", "--project", "digits", "--tag", "small", "--tag", "old")
        self.assertEqual(said.out, "run 1  base  project digits  tags small, old\n")
        self.edit("--untag", "old", "--tag", "new", 1, "--notes", "first\nsecond")
        self.assertIn("base", self.tacho("runs", "ls").out.splitlines()[-1])
        self.assertEqual(self.run_1()["tags"], "small, new")
        self.assertIn("notes     first\n          second\n", self.tacho("runs", "show", 1).out)
        self.assertEqual(self.tacho("runs", "ls", "--json", "-w", "tags~new").json, [self.run_1()])

    def test_archived_runs_are_listed_on_request(self):
        self.edit(1, "--archive")
        self.assertEqual([run["id"] for run in self.tacho("runs", "ls", "--json").json], [2])
        self.assertEqual(len(rows_of(self.tacho("runs", "export", "--csv").out)), 1)
        self.assertEqual(len(rows_of(self.tacho("runs", "export", "--csv", "--archived").out)), 2)
        self.assertTrue(self.run_1()["archived"])
        self.edit(1, 2, "--unarchive")
        self.assertEqual(len(self.tacho("runs", "ls", "--json").json), 2)

    def test_edits_are_in_the_folder(self):
        self.edit("last", "--name", "kept", "--tag", "a b")
        [folder] = [each for each in self.folders() if (each / "edits.json").exists()]
        (self.home / "tacho.db").unlink()
        self.tacho("runs", "ingest", folder)
        [run] = self.tacho("runs", "ls", "--json").json
        self.assertEqual((run["name"], run["tags"]), ("kept", "a b"))

    def test_a_killed_edit_is_whole_or_absent(self):
        for _ in range(10):
            words = [TACHO, "runs", "edit", "1", "--name", "n" * 200, "--tag", "t", "--notes", "x" * 9999]
            process = subprocess.Popen(words, env={**os.environ, "TACHO_HOME": str(self.home)},
                                       stdout=subprocess.PIPE)
            process.stdout.read(random.choice((0, 1)))
            process.kill()
            process.communicate()
            self.assertIn(self.run_1()["tags"], ("", "t"))
        self.edit(1, "--notes", "y", "--tag", "t")
        self.assertEqual(self.run_1()["tags"], "t")

    def test_wrong_edits_change_nothing(self):
        for words, why in (((1,), "--archive"), ((1, "--tag", "a,b"), "comma"), ((99, "--name", "x"), "99"),
                           ((1, "--untag", "none"), "none"), ((1, "--name", "a\nb"), "one line"),
                           ((1, 99, "--name", "x"), "99"), ((1, "--archive", "--unarchive"), "--archive")):
            with self.subTest(words):
                said = self.tacho("runs", "edit", *words, expect=None)
                self.assertIn(said.code, (1, 2))
                self.assert_one_error_line(said, why)
        self.assertEqual((self.run_1()["name"], self.run_1()["tags"]), ("", ""))


class Private(TachoCase):
    """Secrets of a run are not shown."""

    WORDS = ("--token", "tok-abc123", "--password=pw-hunter2", "https://me:url-pass@host/")
    SECRETS = ("tok-abc123", "pw-hunter2", "url-pass", "var-s3cret")

    def setUp(self):
        super().setUp()
        self.home /= "made"

    def files(self):
        return [file for file in self.home.rglob("*") if file.is_file()]

    def test_only_the_user_can_read_the_home(self):
        self.tacho("run", "-q", "--env-var", "A=b", "--", "true")
        [folder] = self.folders()
        rights = {place: place.stat().st_mode & 0o777
                  for place in (self.home, folder, self.home / "tacho.db", folder / "secrets.json")}
        self.assertEqual(list(rights.values()), [0o700, 0o700, 0o600, 0o600], rights)

    def test_secrets_reach_the_program_but_no_shown_file(self):
        script = "test ${#VAR} = 10 && test ${#2} = 10"  # not the three characters ***
        self.tacho("run", "-q", "--env-var", "VAR=var-s3cret", "--", "sh", "-c", script, "x",
                   *self.WORDS)
        shown = [self.tacho(*words).out for words in (
            ("runs", "show", 1), ("runs", "show", 1, "--json"), ("runs", "export", "--json"),
            ("runs", "export", "--csv"), ("report", 1), ("report", 1, "--json"))]
        shown += [file.read_bytes().decode(errors="replace") for file in self.files()
                  if file.name != "secrets.json"]
        for secret in self.SECRETS:
            self.assertEqual([text for text in shown if secret in text], [], secret)

    def test_the_runs_of_a_sweep_get_the_real_secrets(self):
        grid = self.new_folder() / "grid.yaml"
        grid.write_text("base: {command: [sh, -c, 'test ${#2} = 10', '{x}', --token, tok-abc123]}\n"
                        "matrix: {x: [1]}\n")
        self.tacho("sweep", grid)
        self.assertEqual([run["outcome"] for run in self.runs()], ["ok"])
        self.assertNotIn("tok-abc123", self.tacho("runs", "export", "--json").out)


class Hostile(SharedHomeCase):
    """Folders that attack the user who ingests them."""

    def prepare(self):
        self.tacho("run", "-q", "--", "sh", "-c", "echo printed")

    def copy(self):
        folder = self.new_folder() / "run"
        shutil.copytree(next(iter(self.folders())), folder)
        return folder

    def test_links_and_pipes_are_rejected(self):
        secret = self.home / "secret"
        secret.write_text("nobody may read this\n")
        for name in ("spec.json", "events.jsonl"):
            for make in (lambda file: file.symlink_to(secret), os.mkfifo):
                folder = self.copy()
                (folder / name).unlink()
                make(folder / name)
                said = self.tacho("runs", "ingest", folder, expect=2)
                self.assert_one_error_line(said, name, "not a regular file")
        self.assertEqual(secret.read_text(), "nobody may read this\n")

    def test_the_end_of_a_killed_run_is_not_written_through_a_link(self):
        victim = self.home / "victim"
        events = (next(iter(self.folders())) / "events.jsonl").read_text().splitlines(True)
        victim.write_text(events[0])
        folder = self.copy()
        (folder / "events.jsonl").unlink()
        (folder / "events.jsonl").symlink_to(victim)
        self.tacho("runs", "ingest", folder, expect=2)
        self.assertEqual(victim.read_text(), events[0])

    def test_reports_ignore_links_and_pipes(self):
        folder = self.copy()
        (folder / "gpu").mkdir(exist_ok=True)
        for name in ("usage.jsonl", "ops.json", "gpu/1.tgt", "gpu/1.problem", "output.log"):
            (folder / name).unlink(missing_ok=True)
            os.mkfifo(folder / name)
        ingested = self.tacho("runs", "ingest", folder, "--json").json
        self.tacho("report", ingested["id"], "--json")
        self.tacho("runs", "rm", ingested["id"])


class Moved(TachoCase):
    def test_a_moved_home_finds_its_run_folders(self):
        self.home = self.home / "before"
        self.tacho("run", "-q", "--", "sh", "-c", "echo 'step 1 loss: 0.5'")
        elsewhere = self.new_folder() / "run"
        shutil.copytree(self.folders().pop(), elsewhere)
        spec = json.loads((elsewhere / "spec.json").read_text())
        (elsewhere / "spec.json").write_text(json.dumps({**spec, "key": "20260101-000000-abcdef"}))
        self.tacho("runs", "ingest", elsewhere)
        before, self.home = self.home, self.home.parent / "after"
        before.rename(self.home)
        [folder] = self.folders()
        self.assertIn(f"{folder}\n", self.tacho("runs", "show", 1).out)
        self.assertIn(f"{elsewhere}\n", self.tacho("runs", "show", 2).out)
        self.assertNotIn("gone", self.tacho("report", 1).out)
        self.tacho("runs", "rm", 1)
        self.assertFalse(folder.exists())


class ChangeRuns(SharedHomeCase):
    """Two runs, trained once and ingested into a new home for each test."""

    def prepare(self):
        images = write_images(self.home / "images", train=64, evaluate=32)
        type(self).records = [train(self, images, "mlp", 32), train(self, images, "mlp", 16)]

    def setUp(self):
        trained = self.home / "runs"
        self.home = self.new_folder()
        shutil.copytree(trained, self.home / "runs")
        for record in self.records:
            self.ingest(record)

    def folder(self, record):
        return self.home / "runs" / record["key"]

    def ingest(self, record):
        return self.tacho("runs", "ingest", self.folder(record), "--json").json

    def test_ingesting_again_changes_nothing(self):
        for record in self.records:
            self.assertEqual(self.ingest(record), record)
            self.assertEqual(self.ingest(record), record)
        self.assertEqual([run["id"] for run in self.runs()], [2, 1])

    def test_a_lost_store_is_rebuilt_from_the_folders(self):
        for file in self.home.glob("tacho.db*"):
            file.unlink()
        self.assertEqual(self.runs(), [])
        self.assertEqual([self.ingest(record) for record in self.records], self.records)

    def test_rm_keeps_a_folder_outside_of_the_home(self):
        elsewhere = self.new_folder() / "run"
        shutil.copytree(self.folder(self.records[0]), elsewhere)
        self.tacho("runs", "rm", 1)
        ingested = self.tacho("runs", "ingest", elsewhere, "--json").json
        self.assertEqual(learned(ingested), learned(self.records[0]))
        self.tacho("runs", "rm", ingested["id"])
        self.assertTrue((elsewhere / "spec.json").exists())

    def test_rm_removes_row_and_folder(self):
        said = self.tacho("runs", "rm", 1)
        self.assertEqual(said.out, "removed run 1\n")
        self.assertEqual([run["id"] for run in self.runs()], [2])
        self.assertFalse(self.folder(self.records[0]).exists())
        self.assertTrue(self.folder(self.records[1]).exists())

    def test_rm_of_an_unknown_run_removes_nothing(self):
        said = self.tacho("runs", "rm", 1, 99, 2, expect=2)
        self.assert_one_error_line(said, "no run 99")
        self.assertEqual([run["id"] for run in self.runs()], [2, 1])
        self.assertTrue(all(self.folder(record).exists() for record in self.records))


if __name__ == "__main__":
    unittest.main()
