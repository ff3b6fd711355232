"""tacho sweep: grids that are stopped, killed and resumed."""

import csv
import io
import json
import os
import signal
import sys
import unittest
from pathlib import Path

from tacho_case import INTERRUPTED, TachoCase, processes_of, wait_until


def grid(command, matrix, **rest):
    """A grid as JSON, which is also YAML."""
    return json.dumps({"base": {"command": command}, "matrix": matrix, **rest})


class Sweep(TachoCase):
    def write(self, text):
        path = self.home / "grid.yaml"
        path.write_text(text)
        return path

    def sweep(self, text, *words, expect=0):
        return self.tacho("sweep", self.write(text), *words, expect=expect)

    def show(self, handle="last"):
        return self.tacho("sweep", "show", handle, "--json").json

    def sleepers(self, count=6, seconds=0.2):
        """A grid of programs that each write a line and sleep."""
        marks = self.home / "marks"
        return marks, grid(["sh", "-c", f"sleep {seconds}; echo {{n}} >> {marks}"],
                           {"n": list(range(count))}, needs={"cores": 0.5})

    def test_a_dry_run_shows_the_runs_and_makes_none(self):
        text = "base: {model: mlp, data: synthetic}\nmatrix: {batch: [16, 32], lr: [0.1, 0.2]}\n"
        said = self.sweep(text, "--dry-run")
        self.assertIn("4 runs on local", said.out)
        runs = self.sweep(text, "--dry-run", "--json").json
        self.assertEqual([(run["spec"]["batch"], run["configuration"]["lr"]) for run in runs],
                         [(16, "0.1"), (16, "0.2"), (32, "0.1"), (32, "0.2")])
        self.assertEqual(self.tacho("sweep", "ls", "--json").json, [])
        self.assertEqual(self.folders(), set())

    def test_invalid_grids_are_rejected_with_position_and_fix(self):
        for text, *parts in [
            ("base: {model: mlp, data: synthetic}\nmatirx: {}\n", ":2:1:", "'matrix'"),
            ("base:\n  modle: mlp\n", ":2:3:", "'model'"),
            ("base: [1\n", "not YAML"),
            ("base: {model: mlp, data: synthetic, batch: -1}\n", "configuration 1", "--batch"),
            ("base: {model: mpl, data: synthetic}\n", "configuration 1", "unknown model 'mpl'"),
            ("base: {model: mlp, data: synthetic}\norder: adaptiv\n", "'adaptive'"),
        ]:
            self.assert_one_error_line(self.sweep(text, expect=2), *parts)
        self.assert_one_error_line(self.tacho("sweep", "nowhere.yaml", expect=2), "nowhere.yaml")
        self.assert_one_error_line(self.tacho("sweep", "resume", "7", expect=2), "no sweep 7")
        self.assertEqual(self.tacho("sweep", "ls", "--json").json, [])

    def test_every_run_is_made_once_and_recorded(self):
        said = self.sweep(grid(["sh", "-c", "echo loss={n}; exit {code}"],
                               {"n": [1, 2, 3], "code": [0, 3]}), "--json", expect=1)
        events = [json.loads(line) for line in said.out.splitlines()]
        self.assertEqual(events[0]["event"], "began")
        self.assertEqual(events[-1]["counts"]["outcomes"], {"ok": 3, "failed": 3})
        shown = self.show()
        self.assertEqual(shown["state"], "finished")
        for task in shown["tasks"]:
            self.assertEqual(task["outcome"],
                             "ok" if task["configuration"]["code"] == "0" else "failed")
        self.assertEqual(len(self.runs()), 6)
        self.assertEqual(len(self.folders()), 6)

    def test_next_proposes_runs_with_predictions(self):
        self.sweep(grid(["sh", "-c", "echo {n}"], {"n": [1, 11, 2, 4, 6, 8, 10]},
                        budget={"runs": 2}))
        proposed = self.tacho("sweep", "next", "last", "-n", "3", "--json").json
        self.assertEqual(len({one["position"] for one in proposed}), 3)
        for one in proposed:
            self.assertGreater(one["position"], 2)
            self.assertEqual(one["metric"], "wall_s")
            self.assertLess(0, one["low90"])
            self.assertLessEqual(one["low90"], one["value"])
            self.assertLessEqual(one["value"], one["high90"])
            self.assertEqual(one["command"], f"sh -c 'echo {one['configuration']['n']}'")
        self.assertIn("gain", self.tacho("sweep", "next", "last").out)
        for words, part in [(("last", "--metric", "top11"), "'top1'"),
                            (("last", "--metric", "ranks"), "has no better direction"),
                            (("last", "--target", "85"), "between 0 and 1"),
                            (("last", "-n", "0"), "-n"), (("9",), "no sweep 9")]:
            self.assert_one_error_line(self.tacho("sweep", "next", *words, expect=2), part)

    def test_an_adaptive_sweep_makes_every_run_once(self):
        text = grid(["sh", "-c", "echo loss={n}"], {"n": [1, 2, 3, 4, 5]}, order="adaptive")
        self.sweep(text, "--slots", "1")
        self.assertEqual({task["outcome"] for task in self.show()["tasks"]}, {"ok"})
        self.assertIn("no runs left", self.tacho("sweep", "next", "last").out)

    def test_failed_runs_are_repeated_and_replaced(self):
        flag = self.home / "flag"
        self.sweep(grid(["sh", "-c", f"[ {{n}} = 1 ] || [ -e {flag} ]"], {"n": [1, 2]}), expect=1)
        flag.touch()
        self.tacho("sweep", "retry-failed", "last")
        self.assertEqual([task["outcome"] for task in self.show()["tasks"]], ["ok", "ok"])
        self.assertEqual(len(self.runs()), 2)
        self.assertEqual(len(self.folders()), 2)

    def test_larger_batches_than_one_that_ran_out_of_memory_are_skipped(self):
        code = "import sys\nif {batch} >= 32: raise MemoryError()"
        text = grid([sys.executable, "-c", code], {"batch": [16, 32, 64, 128]})
        for slots in ("1", "2", "4"):  # the result does not depend on the order of ends
            with self.subTest(slots=slots):
                said = self.sweep(text, "--slots", slots, "--json")
                states = [task["state"] for task in self.show()["tasks"]]
                self.assertEqual(states, ["done", "done", "skipped", "skipped"])
                self.assertIn("would not fit: batch 32", said.out)

    def test_ctrl_c_stops_cleanly_and_resume_makes_the_rest(self):
        marks, text = self.sleepers(seconds=1)
        going = self.start("sweep", self.write(text), "--slots", "2")
        wait_until(marks.exists, "first run")
        going.signal(signal.SIGINT)
        said = going.ended()
        self.assertEqual(said.code, INTERRUPTED)
        self.assertIn("tacho sweep resume 1", said.err)
        self.assertEqual(processes_of(self.home), [])
        self.assertEqual(self.show()["state"], "stopped")
        done = self.show()["counts"]["done"]
        self.assertEqual(len(self.folders()), done)
        self.tacho("sweep", "resume", "1", "--slots", "6")
        self.check_all_done(6)

    def test_a_killed_tacho_loses_no_run_and_counts_none_twice(self):
        marks, text = self.sleepers(count=8)
        going = self.start("sweep", self.write(text), "--slots", "3")
        wait_until(lambda: marks.exists() and len(marks.read_text().split()) >= 3, "runs")
        going.signal(signal.SIGKILL)
        going.ended()
        wait_until(lambda: processes_of(self.home) == [], "end of what it started")
        self.tacho("sweep", "resume", "last")
        self.check_all_done(8)

    def test_a_killed_supervisor_or_program_is_repeated(self):
        for victim in ("tacho-take", "sleep"):
            with self.subTest(victim=victim):
                _, text = self.sleepers(count=2, seconds=1)
                going = self.start("sweep", self.write(text), "--json")

                def named():
                    return [pid for pid in processes_of(self.home)
                            if self.name_of(pid) == victim]
                os.kill(wait_until(named, victim)[0], signal.SIGKILL)
                said = going.ended()
                self.assertEqual(said.code, 0, said.err)
                if victim == "tacho-take":
                    self.assertIn('"event":"put_back"', said.out)
                self.check_all_done(2)

    @staticmethod
    def name_of(pid):
        try:
            return Path(f"/proc/{pid}/comm").read_text().strip()
        except OSError:
            return ""

    def check_all_done(self, count):
        shown = self.show()
        self.assertEqual(shown["state"], "finished")
        self.assertEqual([task["outcome"] for task in shown["tasks"]], ["ok"] * count)
        keys = {task["key"] for task in shown["tasks"]}
        self.assertEqual(len(keys), count)
        self.assertEqual({run["key"] for run in self.runs()} & keys, keys)
        self.assertEqual({folder.name for folder in self.folders()} & keys, keys)

    def test_cancel_ends_the_sweep_of_another_tacho(self):
        _, text = self.sleepers(seconds=60)
        going = self.start("sweep", self.write(text), "--slots", "2")
        wait_until(lambda: len(self.folders()) >= 2, "runs")
        self.tacho("sweep", "cancel", "last")
        self.assertEqual(going.ended().code, 1)
        self.assertEqual(processes_of(self.home), [])
        shown = self.show()
        self.assertEqual(shown["state"], "cancelled")
        self.assertEqual({task["state"] for task in shown["tasks"]}, {"cancelled"})
        self.assertEqual(self.folders(), set())
        going = self.start("sweep", "resume", "last")
        wait_until(lambda: len(self.folders()) >= 2, "runs again")
        self.tacho("sweep", "cancel", "last")
        self.assertEqual(going.ended().code, 1)

    def test_a_second_driver_of_a_sweep_is_rejected(self):
        _, text = self.sleepers(seconds=60)
        going = self.start("sweep", self.write(text), "--slots", "1")
        wait_until(lambda: self.folders(), "run")
        self.assert_one_error_line(self.tacho("sweep", "resume", "last", expect=2), "another tacho")
        going.signal(signal.SIGINT)
        going.ended()

    def test_stays_within_its_budget(self):
        _, text = self.sleepers(count=4, seconds=0)
        said = self.sweep(text, "--budget-runs", "3")
        self.assertIn("the budget is spent, 1 runs are left", said.err)
        self.tacho("sweep", "resume", "last", "--budget-runs", "4")
        self.check_all_done(4)

    def test_a_run_past_its_time_limit_is_a_result(self):
        text = grid(["sleep", "{n}"], {"n": [0, 60]}, limits={"time": "1s"})
        self.sweep(text, expect=1)
        self.assertEqual([task["outcome"] for task in self.show()["tasks"]], ["ok", "timed_out"])

    def test_export_has_one_row_per_run_without_names_of_this_machine(self):
        self.sweep(grid(["echo", "loss={n}"], {"n": [1, 2]}))
        text = self.tacho("sweep", "export", "last", "--csv").out
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual([row["option.n"] for row in rows], ["1", "2"])
        self.assertEqual({row["outcome"] for row in rows}, {"ok"})
        self.assertNotIn(str(self.home), text)
        self.assertNotIn(os.uname().nodename, [row.get("host") for row in rows])
        self.assert_one_error_line(self.tacho("sweep", "export", "last", expect=2), "--csv")

    def test_watch_follows_to_the_end(self):
        _, text = self.sleepers(count=2, seconds=1)
        going = self.start("sweep", self.write(text))
        wait_until(lambda: self.folders(), "run")
        said = self.tacho("sweep", "watch", "last", "--json")
        going.ended()
        self.assertNotEqual(json.loads(said.out.splitlines()[-1])["state"], "running")


if __name__ == "__main__":
    unittest.main()
