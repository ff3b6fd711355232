"""`tacho study` with several kinds of steps, interruptions, and its report."""

import json
import os
import random
import re
import shutil
import signal
import sqlite3
import time
import unittest

from tacho_case import INTERRUPTED, TachoCase, end_all, processes_of, wait_until
from test_compare import WellFormed

WORDS = ("mlp --data synthetic --input 1x28x28 --train-samples 64 --eval-samples 32 --threads 1 "
         "--no-checkpoints --no-tensorboard --seed 1")
STEPS = [
    {"name": "pair", "title": "Two programs", "show": ["wall_s"],
     "compare": "--cmd 'sleep 0.01' --cmd 'sleep {longer}' --metric wall_s --repeat 2 "
                "--max-repeat 2"},
    {"name": "grid", "title": "A grid", "show": ["wall_s"],
     "sweep": {"base": {"command": ["sh", "-c", "echo loss={n}; exit {code}"]},
               "matrix": {"n": "{numbers}", "code": [0, 3]}, "needs": {"cores": 0.5}},
     "picture": {"x": "n", "y": "wall_s", "lines": "code"}},
    {"name": "one", "title": "One run", "train": f"{WORDS} -b 16 -e 2",
     "show": ["train_loss", "steps_done"]},
    {"name": "cuda", "title": "On a GPU", "train": f"{WORDS} --device cuda", "needs": ["gpu"]},
    {"name": "machines", "title": "Two machines", "show": ["step_s"],
     "compare": "--vary nnodes=1,2 --metric step_s --repeat 2 --max-repeat 2 -- "
                f"train {WORDS} -b 8 --steps 6 --line-mbit 1000"},
    {"name": "lost", "title": "What was lost", "missing": {"of": "machines", "independent": "grid"}},
    {"name": "saved", "title": "What was saved", "savings": ["pair", "machines"]},
    {"name": "touched", "title": "Memory", "memory": "--quick --only copy --size 1M --threads 1"}]
STUDY = {"name": "tiny", "title": "Does the batch <matter>?", "about": "It is a test.",
         "values": {"numbers": {"quick": [1, 2], "full": [1, 2, 3]}, "longer": 0.1},
         "steps": STEPS}
RUNS = 2 * 3 + 4 + 1 + 2 * 3  # comparisons with warm-up, grid, single run
SHORT = {**STUDY, "steps": STEPS[:4]}
SHORT_RUNS = RUNS - 2 * 3


class StudyCase(TachoCase):
    def write(self, study=STUDY):
        """Writes a study as JSON, which is also YAML."""
        path = self.home / "study.yaml"
        path.write_text(study if isinstance(study, str) else json.dumps(study))
        return path

    def study(self, *words, study=STUDY, expect=0):
        return self.tacho("study", self.write(study), *words, expect=expect)

    def report(self, name="report.md"):
        """Writes the report again from the store."""
        file = self.home / "out" / name
        self.tacho("study", self.write(), "--report-only", "-o", file)
        return file.read_text()

    def section(self, report, title):
        return report.split(f"## {title}\n")[1].split("\n## ")[0]


class Report(StudyCase):
    def test_one_command_makes_all_runs_and_one_page(self):
        said = self.study("--json")
        made = said.json
        self.assertTrue(made["complete"])
        states = {step["name"]: step["state"] for step in made["steps"]}
        self.assertEqual(states, {"pair": "done", "grid": "done", "one": "done",
                                  "cuda": "impossible", "machines": "done", "lost": "done",
                                  "saved": "done", "touched": "done"})
        self.assertIn("no NVIDIA GPU", made["steps"][3]["absent"][0]["why"])
        self.assertEqual(len(self.runs()), RUNS)
        self.assertEqual(len(self.tacho("sweep", "ls", "--json").json), 1)
        self.assertEqual(len(self.tacho("compare", "ls", "--json").json), 2)
        with open(made["report"]) as file:
            page = file.read()
        parsed = WellFormed(page)
        self.assertEqual((parsed.open, parsed.fetched), ([], []))
        self.assertIn("Does the batch &lt;matter&gt;?", page)
        self.assertIn("Not available: On a GPU.", page)
        self.assertGreaterEqual(page.count("<svg "), 2)  # grid and run; the comparison if it fits

        # The same store gives the same bytes without new runs.
        os.remove(made["report"])
        text = self.tacho("study", self.write(), "--report-only").out
        with open(made["report"]) as file:
            self.assertEqual(file.read(), page)
        self.assertEqual(self.study().out, text)
        self.assertEqual(len(self.runs()), RUNS)
        self.assertIn(f"{RUNS}, ", text)

        # The numbers in the table of a run equal those of the store.
        one = next(step for step in made["steps"] if step["name"] == "one")
        record = self.tacho("runs", "show", one["key"], "--json").json
        loss = record["metrics"]["train_loss"]
        self.assertIn(f"| train loss | {loss:.4g} |", self.section(self.report(), "One run"))

        # The report depends only on the store.
        with sqlite3.connect(self.home / "tacho.db") as store:
            number, text = store.execute(
                "SELECT run_id, record FROM run_records JOIN runs ON id = run_id WHERE key = ?",
                (one["key"],)).fetchone()
            changed = json.loads(text)
            changed["epochs"][-1]["train_loss"] = 0.123
            store.execute("UPDATE run_records SET record = ? WHERE run_id = ?",
                          (json.dumps(changed), number))
        self.assertIn("| train loss | 0.123 |", self.section(self.report(), "One run"))

    def test_two_simulated_machines_and_missing_breakdowns(self):
        self.study()
        report = self.report()
        parts = [line.split("|")[1].strip() for line in
                 self.section(report, "What was lost").splitlines() if line.startswith("| ")]
        self.assertEqual(parts[1:], ["gradient exchange", "waiting for the slowest rank",
                                     "waiting for samples", "slower computation"])
        self.assertIn("nnodes 2 instead of nnodes 1", self.section(report, "What was saved"))
        self.assertIn("| copy |", self.section(report, "Memory"))
        if os.geteuid() == 0 and shutil.which("tc"):
            notes = [self.tacho("runs", "show", str(run["id"])).out for run in self.runs()]
            stood = [text for text in notes if "simulate machines" in text]
            self.assertEqual(len(stood), 3)  # two measured runs and the warm-up
        else:
            print("SKIPPED: without root no network namespaces simulate machines")
            self.assertIn("loopback instead", report)

    def test_changed_steps_run_again_and_changed_text_does_not(self):
        first = self.study("--json", study=SHORT).json["steps"]
        changed = json.loads(json.dumps(SHORT))
        changed["title"] = "Another question"
        changed["steps"][0]["title"] = "Said differently"
        changed["steps"][2]["train"] = f"{WORDS} -b 8 -e 2"
        second = self.study("--json", study=changed).json["steps"]
        self.assertEqual([s["key"] for s in first[:2]], [s["key"] for s in second[:2]])
        self.assertNotEqual(first[2]["key"], second[2]["key"])
        self.assertEqual(len(self.runs()), SHORT_RUNS + 1)

    def test_again_starts_over_and_keeps_earlier_runs(self):
        first = self.study("--json", study=SHORT).json
        second = self.study("--again", "--json", study=SHORT).json
        self.assertNotEqual(first["key"], second["key"])
        self.assertEqual(len(self.runs()), 2 * SHORT_RUNS)

    def test_a_missing_environment_is_reported_and_one_variant_is_not_compared(self):
        only_bare = {**STUDY, "steps": [
            {"name": "engines", "title": "Engines",
             "compare": f"--env bare,docker --repeat 2 --max-repeat 2 -- train {WORDS} --steps 4"}]}
        bin_folder = self.new_folder()  # a PATH without engines
        env = {"PATH": str(bin_folder)}
        said = self.tacho("study", self.write(only_bare), "--json", env=env).json
        self.assertEqual(said["steps"][0]["state"], "impossible")
        absent = {thing["what"]: thing["why"] for thing in said["steps"][0]["absent"]}
        self.assertIn("docker", absent["docker"])
        self.assertIn("a comparison needs two", absent["Engines"])
        self.assertEqual(self.runs(), [])


class DryRun(StudyCase):
    def plan(self, *words, study=STUDY):
        return self.study("--dry-run", "--json", *words, study=study).json["steps"]

    def test_it_lists_what_each_step_would_do_and_does_nothing(self):
        steps = {step["name"]: step for step in self.plan("--full")}
        self.assertEqual(list(steps), [step["name"] for step in STEPS])
        self.assertEqual(steps["pair"]["amount"], "2 variants, 2 runs of each")
        self.assertEqual(steps["grid"]["amount"], "6 runs")  # 4 with --quick
        self.assertEqual(steps["lost"]["amount"], "reports on machines")
        self.assertEqual(steps["cuda"]["state"], "not possible here")
        self.assertIn("no NVIDIA GPU", steps["cuda"]["why"])
        self.assertEqual(steps["one"]["state"], "waiting")
        self.assertTrue(steps["one"]["command"].startswith("tacho train mlp "))
        self.assertEqual(self.runs(), [])
        self.assertFalse((self.home / "studies").exists())

        text = self.study("--dry-run", "--full").out
        self.assertIn("6 runs", text)
        self.assertIn("cuda: this machine has no NVIDIA GPU", text)

    def test_it_lists_what_is_already_done(self):
        self.study(study=SHORT)
        self.assertEqual([step["state"] for step in self.plan(study=SHORT)],
                         ["done"] * 3 + ["not possible here"])
        self.assertEqual({step["state"] for step in self.plan("--again", study=SHORT)},
                         {"waiting", "not possible here"})


class Interrupted(StudyCase):
    def test_an_interrupted_memory_survey_is_measured_again(self):
        long = {**STUDY, "steps": [{"name": "touched", "memory": "--threads 1"}]}  # takes minutes
        going = self.start("study", self.write(long))
        wait_until(lambda: len(processes_of(self.home)) > 1, "survey")
        going.signal(signal.SIGINT)
        self.assertEqual(going.ended().code, INTERRUPTED)
        short = {**STUDY, "steps": [STEPS[-1]]}
        self.assertTrue(self.study("--json", study=short).json["complete"])

    def shape(self):
        """The parts of the report that do not depend on measured times."""
        report = self.report()
        rows = [[cell for cell in line.split("|") if not re.search(r"\d (s|ms|µs) ", cell)]
                for title in ("Two programs", "A grid", "One run", "Two machines")
                for line in self.section(report, title).splitlines() if line.startswith("|")]
        rows += [line.split("|")[1] for title in ("What was lost", "What was saved", "Memory")
                 for line in self.section(report, title).splitlines() if line.startswith("|")]
        rows.append(re.search(r"(?m)^- runs: (\d+),", report)[1])  # no run is counted twice
        headings = re.findall(r"(?m)^## .*$", report)
        # Charts and their number depend on the measured ratios.
        one = re.sub(r"report-\d+", "report", self.section(report, "One run"))
        return headings, rows, one

    def undisturbed(self):
        self.study()
        return self.shape()

    def test_interrupted_at_any_moment_it_ends_with_the_same_report(self):
        expected = self.undisturbed()
        rng = random.Random()
        for how in (signal.SIGINT, signal.SIGKILL):
            self.home = self.new_folder()
            self.addCleanup(end_all, self.home)
            moments, ended = [], False
            while not ended:
                going = self.start("study", self.write(), "--json")
                moment = rng.uniform(0.05, 6)
                moments.append(round(moment, 2))
                time.sleep(moment)
                if len(moments) < 6:
                    going.signal(how)
                said = going.ended()
                ended = said.code == 0
                wait_until(lambda: not processes_of(self.home), "end of all runs")
            print(f"{how.name} after {moments} s")
            self.assertEqual(self.shape(), expected)


class Wrong(StudyCase):
    def test_invalid_studies_are_rejected_with_position_and_fix_before_any_run(self):
        def with_step(**step):
            return {**STUDY, "steps": [{"name": "a", **step}]}
        for study, *parts in [
            ("name: [1\n", "not YAML"),
            ("name: tiny\ntitle: x\nstpes: []\n", ":3:1:", "'steps'"),
            (with_step(tarin="mlp"), "'train'"),
            (with_step(train="mpl --data synthetic"), "a:", "unknown model 'mpl'"),
            (with_step(train="mlp --data synthetic -b -1"), "--batch"),
            (with_step(compare="--vary batch=8 -- train mlp"), "several"),
            (with_step(compare="--metric setp_s --vary batch=8,16 -- train mlp"), "step_s"),
            (with_step(sweep={"base": {"modle": "mlp"}}), "'model'"),
            (with_step(prediction={"of": "nothing"}), "earlier step"),
        ]:
            self.assert_one_error_line(self.study(study=study, expect=2), "study.yaml", *parts)
        self.assert_one_error_line(self.tacho("study", "enviroments", expect=2), "'environments'")
        self.assert_one_error_line(self.tacho("study", "no/where.yaml", expect=2), "no/where.yaml")
        self.assert_one_error_line(self.tacho("study", expect=2), "tacho study ls")
        self.assert_one_error_line(self.study("--report-only", expect=2), "was not begun")
        self.assert_one_error_line(self.study("--quick", "--full", expect=2), "--full")
        self.assertEqual(self.runs(), [])

    def test_only_one_tacho_runs_a_study(self):
        slow = {**STUDY, "steps": [{"name": "slow", "train": f"{WORDS} -e 100000"}]}
        going = self.start("study", self.write(slow))
        wait_until(self.folders, "a run")
        self.assert_one_error_line(self.tacho("study", self.write(slow), expect=2), "another tacho")
        going.signal(signal.SIGINT)
        said = going.ended()
        self.assertEqual(said.code, INTERRUPTED)
        self.assertIn("resume with: tacho study", said.err)


class Shipped(StudyCase):
    def test_a_shown_study_can_be_run_as_a_file(self):
        names = [study["name"] for study in self.tacho("study", "ls", "--json").json]
        self.assertIn("environments", names)
        for name in names:
            text = self.tacho("study", "show", name).out
            path = self.write(text)
            for level in ("--quick", "--full"):
                said = self.tacho("study", path, level, "--report-only", expect=2)
                self.assert_one_error_line(said, "was not begun")


if __name__ == "__main__":
    unittest.main()
