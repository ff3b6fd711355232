"""`tacho bench memory` and its stored surveys."""

import json
import os
import re
import signal
import unittest
from pathlib import Path

from tacho_case import INTERRUPTED, TachoCase, wait_until

def caught(pid):
    """The signals that a process handles, as a bit mask."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"SigCgt:\s+(\w+)", status)[1], 16)


SMALL = ("bench", "memory", "--quick", "--size", "1M", "--only", "reduction")


class BenchMemory(TachoCase):
    def test_a_survey_is_measured_stored_listed_and_shown(self):
        made = self.tacho(*SMALL, "--json").json
        self.assertEqual((made["kind"], made["device"], made["complete"]), ("memory", "cpu", True))
        self.assertIsNone(made["theoretical_bytes_per_s"])
        levels = {m["level"] for m in made["measurements"]}
        self.assertIn("memory", levels)
        for m in made["measurements"]:
            self.assertEqual(m["operation"], "reduction")
            self.assertAlmostEqual(m["gb_per_s"], m["necessary_bytes"] / m["seconds"] / 1e9)
            self.assertLessEqual(m["of_ceiling"], 1)
        self.assertEqual([s["key"] for s in self.tacho("bench", "ls", "--json").json], [made["key"]])
        self.assertEqual(self.tacho("bench", "show", "--json").json, made)
        text = self.tacho("bench", "show", made["key"]).out
        self.assertIn("the ceiling", text)
        self.assertIn("unknown; set it with --peak", text)

    def test_the_share_of_a_known_peak_is_shown(self):
        said = self.tacho(*SMALL, "--peak", "1000")
        self.assertIn("of peak", said.out)
        self.assertIn("1,000 GB/s, from the data sheet", said.out)

    def test_ctrl_c_keeps_what_was_measured(self):
        going = self.start("bench", "memory", "--threads", 1, "--json")  # takes minutes
        # Every measurement begins after Ctrl-C is caught.
        wait_until(lambda: caught(going.process.pid) & 1 << (signal.SIGINT - 1), "signal handler")
        going.signal(signal.SIGINT)
        self.assertEqual(going.ended().code, INTERRUPTED)

    def test_no_survey_yet(self):
        self.assertIn("nothing was measured yet", self.tacho("bench", "ls").out)
        said = self.tacho("bench", "show", expect=2)
        self.assert_one_error_line(said, "nothing was measured yet")

    def test_invalid_arguments_are_named(self):
        for words, part in ((("--threads", "0"), "--threads must be between 1 and"),
                            (("--size", "10"), "--size"),
                            (("--size", "1K"), "--size must be between 1 MiB"),
                            (("--only", "trias"), "triad"),
                            (("--only", "transfer"), "not measured on a CPU"),
                            (("--peak", "0"), "--peak"),
                            (("--device", "tpu"), "tpu")):
            said = self.tacho("bench", "memory", "--quick", *words,
                              expect=1 if "transfer" in words else 2)
            self.assert_one_error_line(said, part)
        self.assertEqual(os.listdir(Path(self.home) / "lab") if (Path(self.home) / "lab").exists() else [], [])

    def test_a_damaged_survey_is_named_and_the_others_are_listed(self):
        key = self.tacho(*SMALL, "--json").json["key"]
        (Path(self.home) / "lab" / "broken.json").write_text("{")
        said = self.tacho("bench", "ls", "--json")
        self.assertEqual([s["key"] for s in json.loads(said.out)], [key])
        self.assertIn("broken.json", said.err)


if __name__ == "__main__":
    unittest.main()
