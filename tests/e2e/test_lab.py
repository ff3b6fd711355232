"""`tacho lab memory` and the surveys it keeps."""

import json
import os
import unittest
from pathlib import Path

from tacho_case import TachoCase

SMALL = ("lab", "memory", "--quick", "--size", "1M", "--only", "reduction")


class LabMemory(TachoCase):
    def test_a_survey_is_measured_kept_listed_and_shown_again(self):
        made = self.tacho(*SMALL, "--json").json
        self.assertEqual((made["kind"], made["device"], made["complete"]), ("memory", "cpu", True))
        self.assertIsNone(made["theoretical_bytes_per_s"])
        levels = {m["level"] for m in made["measurements"]}
        self.assertIn("memory", levels)
        for m in made["measurements"]:
            self.assertEqual(m["operation"], "reduction")
            self.assertAlmostEqual(m["gb_per_s"], m["necessary_bytes"] / m["seconds"] / 1e9)
            self.assertLessEqual(m["of_ceiling"], 1)
        self.assertEqual([s["key"] for s in self.tacho("lab", "ls", "--json").json], [made["key"]])
        self.assertEqual(self.tacho("lab", "show", "--json").json, made)
        text = self.tacho("lab", "show", made["key"]).out
        self.assertIn("the ceiling", text)
        self.assertIn("unknown; --peak", text)

    def test_the_share_of_a_known_peak_is_shown(self):
        said = self.tacho(*SMALL, "--peak", "1000")
        self.assertIn("of peak", said.out)
        self.assertIn("1,000 GB/s, by the data sheet", said.out)

    def test_nothing_measured_yet(self):
        self.assertIn("nothing was measured yet", self.tacho("lab", "ls").out)
        said = self.tacho("lab", "show", expect=2)
        self.assert_one_error_line(said, "nothing was measured yet")

    def test_bad_words_are_named(self):
        for words, part in ((("--threads", "0"), "--threads: between 1 and"),
                            (("--size", "10"), "--size"),
                            (("--size", "1K"), "--size: between 1 MiB"),
                            (("--only", "trias"), "triad"),
                            (("--only", "transfer"), "no form of that on a CPU"),
                            (("--peak", "0"), "--peak"),
                            (("--device", "tpu"), "tpu")):
            said = self.tacho("lab", "memory", "--quick", *words,
                              expect=1 if "transfer" in words else 2)
            self.assert_one_error_line(said, part)
        self.assertEqual(os.listdir(Path(self.home) / "lab") if (Path(self.home) / "lab").exists() else [], [])

    def test_a_damaged_survey_is_named_and_the_others_are_listed(self):
        key = self.tacho(*SMALL, "--json").json["key"]
        (Path(self.home) / "lab" / "broken.json").write_text("{")
        said = self.tacho("lab", "ls", "--json")
        self.assertEqual([s["key"] for s in json.loads(said.out)], [key])
        self.assertIn("broken.json", said.err)


if __name__ == "__main__":
    unittest.main()
