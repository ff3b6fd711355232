"""On a busy machine, runs are marked as disturbed and comparisons claim nothing."""

import contextlib
import os
import subprocess
import sys
import unittest

from tacho_case import PATIENCE_SECONDS, TachoCase

# A fixed amount of CPU time.
WORK = "import time\nwhile time.process_time() < 0.5: pass"
IGNORE_DISTURBED = {"TACHO_INCLUDE_DISTURBED": "0"}


@contextlib.contextmanager
def busy_machine():
    """Starts enough busy programs that a thread gets a third of a core."""
    count = 2 * len(os.sched_getaffinity(0))
    programs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


class BusyMachine(TachoCase):
    def test_a_run_is_marked_in_the_terminal_the_record_the_report_and_the_exports(self):
        with busy_machine():
            said = self.start("run", "--", sys.executable, "-c", WORK).ended(PATIENCE_SECONDS * 5)
        self.assertEqual(said.code, 0, said.err)
        self.assertRegex(said.err, r"disturbed +other programs took \d+ % of the processors")
        self.assertIn("not comparable", said.err)
        record = self.tacho("runs", "show", "1", "--json").json
        self.assertRegex(record["disturbed"][0],
                         r"^other programs took \d+ % of the processors, and a thread waited")
        self.assertGreater(record["metrics"]["waited"], 0.05)
        self.assertGreaterEqual(record["metrics"]["disturbed"], 1)
        self.assertIn("not comparable", self.tacho("report", "1").out.replace("\n          ", " "))

    def test_a_comparison_claims_nothing_and_names_the_disturbed_runs(self):
        slow = WORK.replace("0.5", "0.7")
        with busy_machine():
            said = self.start("compare", "--json", "--repeat", "2", "--max-repeat", "2",
                              "--cmd", f"{sys.executable} -c '{WORK}'",
                              "--cmd", f"{sys.executable} -c '{slow}'",
                              env=IGNORE_DISTURBED).ended(PATIENCE_SECONDS * 5)
        self.assertEqual(said.code, 0, said.err)
        found = said.json
        self.assertEqual(found["stopped"], "busy")
        for finding in found["findings"]:
            self.assertEqual(finding["verdict"], "unclear", finding)
            self.assertRegex(finding["words"], r"no result: the machine was busy in \d of \d runs")
        self.assertIn("does not count: other programs took", " ".join(found["notes"]))


if __name__ == "__main__":
    unittest.main()
