import csv
import html.parser
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
import unittest

from small_image import open_image
from tacho_case import INTERRUPTED, TACHO, SharedHomeCase, TachoCase, wait_until

TRAIN = ["--", "train", "mlp", "--data", "synthetic", "--input", "1x28x28", "--train-samples", 64,
         "--eval-samples", 32, "-b", 16, "--steps", 4, "--threads", 1, "--no-checkpoints"]
VOID = {"meta", "br", "hr", "img", "input", "link", "line", "circle", "rect", "path"}


def python(program):
    return shlex.join([sys.executable, "-c", program])


class WellFormed(html.parser.HTMLParser):
    """Checks that all elements are closed in order and that nothing is loaded."""

    def __init__(self, text):
        super().__init__()
        self.open, self.fetched = [], re.findall(r"(?:src|href)=\"(?!#|data:)[^\"]*", text)
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        assert self.open and self.open[-1] == tag, f"</{tag}> within {self.open}"
        self.open.pop()


class Programs(SharedHomeCase):
    """One comparison of a fast program with one that sleeps, shown in all formats."""

    def prepare(self):
        type(self).folder = self.new_shared_folder()
        type(self).said = self.tacho(
            "compare", "--cmd", python("print('loss=0.5 accuracy=0.9')"),
            "--cmd", python("import time; time.sleep(0.5); print('loss=0.25')"),
            "--repeat", 7, "--max-repeat", 7, "--json", "--html", self.folder / "page.html",
            "--csv", self.folder / "found.csv", "--values", self.folder / "values.csv")
        type(self).comparison = self.said.json

    def new_shared_folder(self):
        folder = self.home / "out"
        folder.mkdir()
        return folder

    def finding(self, metric):
        return next(f for f in self.comparison["findings"] if f["metric"] == metric)

    def test_every_run_is_an_ordinary_stored_run(self):
        keys = {run["key"] for run in self.runs()}
        self.assertEqual({run["run"] for run in self.comparison["runs"]}, keys)
        self.assertEqual(len(keys), 16)

    def test_runs_are_interleaved_and_the_first_block_warms_up(self):
        blocks = {}
        for run in self.comparison["runs"]:
            blocks.setdefault(run["block"], []).append(run["variant"])
            self.assertEqual(run["warm_up"], run["block"] == 0)
        self.assertEqual([sorted(block) for block in blocks.values()], [[0, 1]] * 8)

    def test_half_a_second_of_sleep_is_detected(self):
        self.assertEqual(self.finding("wall_s")["verdict"], "higher")
        self.assertIn("slower by", self.finding("wall_s")["words"])

    def test_printed_figures_are_compared(self):
        self.assertAlmostEqual(self.finding("heard:loss")["ratio"]["value"], 0.5)

    def test_only_the_report_is_printed(self):
        self.assertEqual(self.said.err, "")

    def test_the_page_is_well_formed_and_needs_no_network(self):
        page = (self.folder / "page.html").read_text()
        parsed = WellFormed(page)
        self.assertEqual((parsed.open, parsed.fetched), ([], []))
        self.assertIn("slower by", page)

    def test_csv_has_one_row_per_finding_and_one_per_value(self):
        with open(self.folder / "found.csv", newline="") as file:
            found = list(csv.DictReader(file))
        self.assertEqual([row["metric"] for row in found],
                         [f["metric"] for f in self.comparison["findings"]])
        with open(self.folder / "values.csv", newline="") as file:
            values = list(csv.DictReader(file))
        self.assertEqual(len(values), sum(len(run["values"]) for run in self.comparison["runs"]))

    def test_it_can_be_shown_again(self):
        self.assertEqual(self.tacho("compare", "show", "last", "--json").json, self.comparison)
        text = self.tacho("compare", "show", 1).out
        self.assertTrue(text.startswith("comparison 1  "), text)
        self.assertIn("slower by", text)
        self.assertNotIn("\033", text)
        self.assertLessEqual(max(map(len, text.splitlines()[1:])), 80, text)

    def test_ls_lists_it(self):
        rows = self.tacho("compare", "ls", "--json").json
        self.assertEqual([row["id"] for row in rows if row["id"] == 1], [1])
        self.assertIn("time.sleep(0.5)", self.tacho("compare", "ls").out)

    def test_comparing_the_recorded_runs_gives_the_same_direction(self):
        sides = [",".join(run["run"] for run in self.comparison["runs"]
                          if run["variant"] == variant and not run["warm_up"])
                 for variant in (0, 1)]
        again = self.tacho("compare", "--runs", "/".join(sides), "--metric", "wall_s",
                           "--json").json
        self.assertEqual([f["verdict"] for f in again["findings"]], ["higher"])
        self.assertIn("not interleaved", again["notes"][-1])
        self.tacho("compare", "rm", again["id"])

    def test_only_terminals_get_colour(self):
        master, slave = pty.openpty()
        process = subprocess.Popen([TACHO, "compare", "show", "1"], stdout=slave, stderr=slave,
                                   env={**self.environment(), "TERM": "xterm"})
        os.close(slave)
        text = b""
        try:
            while part := os.read(master, 65536):
                text += part
        except OSError:
            pass  # Linux reports a closed terminal in this way
        os.close(master)
        self.assertEqual(process.wait(), 0)
        self.assertIn(b"\033[31m", text)


class Trainings(TachoCase):
    def test_an_option_varies(self):
        said = self.tacho("compare", "--vary", "batch=8,16", "--repeat", 2, "--max-repeat", 2,
                          "--json", *TRAIN)
        comparison = said.json
        self.assertEqual([v["name"] for v in comparison["variants"]], ["batch 8", "batch 16"])
        self.assertEqual(sorted(run["batch"] for run in self.runs()), [8] * 3 + [16] * 3)
        self.assertEqual(comparison["metrics"][0]["key"], "step_s")
        measured = {f["metric"] for f in comparison["findings"]}
        self.assertLessEqual({"step_s", "wall_s", "startup_s", "first_step_s", "user_s",
                              "system_s", "peak_memory"}, measured)

    def test_two_options_make_groups(self):
        comparison = self.tacho("compare", "--vary", "batch=8,16", "--vary", "seed=1,2",
                                "--env", "bare", "--repeat", 2, "--max-repeat", 2, "--metric",
                                "step_s", "--json", *TRAIN).json
        self.assertEqual([(v["group"], v["name"]) for v in comparison["variants"]],
                         [("batch 8", "seed 1"), ("batch 8", "seed 2"),
                          ("batch 16", "seed 1"), ("batch 16", "seed 2")])
        self.assertEqual([(f["base"], f["variant"]) for f in comparison["findings"]],
                         [(0, 1), (2, 3)])


class Environments(TachoCase):
    """A program of the image, bare and in a container. No difference is asserted."""

    def compare_bare_with(self, kind):
        image = open_image(kind)
        self.addCleanup(image.close)
        comparison = self.tacho("compare", "--env", f"bare,{image.handed_over()}", "--cmd",
                                "sh -c 'echo loss=1'", "--repeat", 3, "--max-repeat", 3, "--json",
                                cwd=self.new_folder()).json
        self.assertEqual([v["name"] for v in comparison["variants"]], ["bare", kind])
        self.assertIn("sha256:", comparison["variants"][1]["description"])
        measured = {f["metric"] for f in comparison["findings"]}
        self.assertLessEqual({"wall_s", "image_start_s", "total_s", "heard:loss"}, measured)
        environments = [run["environment"] for run in self.runs()]
        self.assertEqual(sorted(environments), sorted(["bare"] * 4 + [kind] * 4))

    def test_podman(self):
        self.compare_bare_with("podman")

    def test_charliecloud(self):
        self.compare_bare_with("charliecloud")

    def test_a_missing_image_is_reported_before_any_run(self):
        for missing in ("charliecloud:/no/such/folder", "podman:localhost/no-such-image"):
            said = self.tacho("compare", "--env", f"bare,{missing}", "--cmd", "true", expect=None)
            self.assertNotEqual(said.code, 0)
            self.assert_one_error_line(said)
        self.assertEqual(self.runs(), [])


class Trouble(TachoCase):
    def test_errors_are_one_line(self):
        true = ["--cmd", "true", "--cmd", "true"]
        for words, expected in [
                ([], "nothing to run"),
                (["--cmd", "true"], "two or more variants"),
                (TRAIN, "two or more variants"),
                (["--cmd", "true", "--cmd", "no-such-program"], "no-such-program"),
                (["--cmd", "true", "--cmd", "'true"], "never closed"),
                (["--vary", "batch=8,x", *TRAIN], "batch"),
                (["--vary", "bacth=8,9", *TRAIN], "bacth"),
                (["--vary", "batch=8,9", "--", "fly"], "'fly'"),
                (["--env", "bare,dockr:x", *TRAIN], "docker"),
                ([*true, "--resolution", "1"], "--resolution"),
                ([*true, "--resolution", "0%"], "--resolution"),
                ([*true, "--max-time", "10"], "--max-time"),
                ([*true, "--repeat", 1], "--repeat"),
                ([*true, "--metric", "speed"], "--metric"),
                ([*true, "--bogus"], "--bogus"),
                (["--runs", "1/2"], "no run 1"),
                (["--runs", "1"], "slash"),
                (["--runs", "1/2", *true], "--runs"),
                (["show", "7"], "no comparison 7"),
                (["rm", "7"], "no comparison 7"),
                (["resume", "last"], "no comparison last")]:
            with self.subTest(words):
                self.assert_one_error_line(self.tacho("compare", *words, expect=2), expected)
        self.assertEqual(self.runs(), [])
        self.assertEqual(self.tacho("compare", "ls", "--json").json, [])

    def test_a_failing_variant_is_reported_and_the_others_are_kept(self):
        comparison = self.tacho("compare", "--cmd", "true", "--cmd", "sh -c 'echo no; exit 3'",
                                "--cmd", "sleep 0", "--repeat", 2, "--max-repeat", 2,
                                "--json").json
        self.assertIn("exit code 3", comparison["notes"][0])
        self.assertEqual({f["variant"] for f in comparison["findings"]}, {2})

    def test_it_ends_if_only_one_variant_is_left(self):
        said = self.tacho("compare", "--cmd", "true", "--cmd", "false", expect=1)
        self.assertIn("fewer than two variants", said.out)
        self.assertIn("false, warm-up: run", said.out)

    def start_long_one(self):
        return self.start("compare", "--cmd", "true", "--cmd", "sleep 0.05", "--repeat", 10000,
                          "--max-repeat", 10000, "--json")

    def blocks_kept(self):
        said = self.tacho("compare", "show", "last", "--json", expect=None)
        return len(said.json["runs"]) // 2 if said.code == 0 else 0

    def test_ctrl_c_keeps_what_was_measured(self):
        going = self.start_long_one()
        wait_until(lambda: self.blocks_kept() >= 4, "four blocks")
        going.signal(signal.SIGINT)
        said = going.ended()
        self.assertEqual(said.code, INTERRUPTED)
        self.assertEqual(said.json["stopped"], "user")
        self.assertGreaterEqual(len(said.json["runs"]), 8)
        self.assertTrue(said.json["findings"])
        self.assertIn("tacho compare resume 1", said.err)
        self.assertEqual(self.tacho("compare", "show", 1, "--json").json, said.json)

    def test_a_killed_comparison_keeps_its_blocks_and_resumes(self):
        going = self.start_long_one()
        wait_until(lambda: self.blocks_kept() >= 4, "four blocks")
        going.signal(signal.SIGKILL)
        going.ended()
        kept = self.blocks_kept()
        self.assertGreaterEqual(kept, 4)
        resumed = self.tacho("compare", "resume", 1, "--repeat", kept + 1, "--max-repeat",
                             kept + 1, "--json").json
        self.assertEqual(resumed["stopped"], "repeats")
        self.assertEqual(len(resumed["runs"]), 2 * (kept + 2))
        self.assertEqual(resumed["id"], 1)


if __name__ == "__main__":
    unittest.main()
