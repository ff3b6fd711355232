"""tacho report and tacho diff on synthetic run folders, without worker and GPU."""

import html.parser
import json
import os
import re
import subprocess
import unittest
import xml.dom.minidom
from pathlib import Path

from tacho_case import TACHO, SharedHomeCase

MADE_GPU_TRACE = os.environ.get("MADE_GPU_TRACE") or Path(TACHO).parents[1] / "test-bin" / "made_gpu_trace"
VOID = {"meta", "br", "img", "link", "input", "hr"}


class Balance(html.parser.HTMLParser):
    """Fails on tags that are not closed in order; collects URLs that would be loaded."""

    def __init__(self):
        super().__init__()
        self.open, self.fetched = [], []

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        self.fetched += [value for name, value in attributes if name in ("src", "href")]

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (self.open, tag, self.getpos())
        self.open.pop()


class Report(SharedHomeCase):
    """Runs 1 to 4: input-bound, with blocking calls, with tiny batches, without a GPU."""

    def prepare(self):
        for number, kind in enumerate(("starved", "sync", "tiny", None), 1):
            self.ingest(f"20261115-00000{number}-abcdef", kind)

    def ingest(self, key, kind):
        folder = self.home / "runs" / key
        (folder / "gpu").mkdir(parents=True)
        spec = self.spec()
        (folder / "spec.json").write_text(json.dumps(
            {"version": 1, "key": key, "created_at": 1.7e9, "spec": spec}))
        if kind:
            subprocess.run([MADE_GPU_TRACE, folder / "gpu" / "7.tgt", kind], check=True)
        self.tacho("runs", "ingest", folder)

    def spec(self):
        return {"model": "mlp<&>", "data": "fashion-mnist", "batch": 64, "epochs": 1,
                "optimizer": {"kind": "sgd", "learning_rate": 0.1}, "seed": 1, "device": "cpu",
                "mkldnn": "auto"}

    def first_advice(self, run):
        return self.tacho("report", run, "--json").json["advice"][0]

    def test_the_right_advice_comes_first(self):
        self.assertEqual([self.first_advice(run)["key"] for run in (1, 2, 3)],
                         ["input", "sync", "batch"])

    def test_the_first_screen_fits_a_terminal(self):
        lines = self.tacho("report", 1).out.splitlines()
        self.assertTrue(lines[0].startswith("run 1  "), lines[0])
        self.assertLess(lines.index("Kernel classes, per step"), 45)
        self.assertLessEqual(max(map(len, lines)), 80)

    def test_a_run_without_a_gpu_lists_missing_parts(self):
        out = self.tacho("report", "last").out
        self.assertIn("no GPU trace: ", out)
        self.assertIn("no usage: ", out)
        self.assertIn("no operators: ", out)

    def test_html_is_well_formed_and_loads_nothing(self):
        for run in (1, 4):
            page = self.new_folder() / "report.html"
            self.tacho("report", run, "--html", page)
            text = page.read_text()
            balance = Balance()
            balance.feed(text)
            self.assertEqual((balance.open, balance.fetched), ([], []))
            self.assertNotIn("mlp<&>", text)
            for svg in re.findall(r"<svg.*?</svg>", text, re.S):
                xml.dom.minidom.parseString(svg)

    def test_diff_names_faster_kernels(self):
        rows = self.tacho("diff", 2, 3, "--json").json["kernels"]["rows"]
        self.assertEqual([row["change"] for row in rows if "fprop" in row["name"]], ["faster"])
        self.assertIn("run 2 to run 3", self.tacho("diff", 2, 3).out)

    def test_the_timeline_has_perfettos_format(self):
        file = self.new_folder() / "trace.json"
        self.tacho("report", 1, "--trace", file)
        events = json.loads(file.read_text())["traceEvents"]
        kernels = [event for event in events if "fprop" in event.get("name", "")]
        self.assertEqual(len(kernels), 60 * 12)
        said = self.tacho("report", 4, "--trace", file, expect=2)
        self.assert_one_error_line(said, "no GPU trace")

    def test_an_unknown_run_is_one_error_line(self):
        self.assert_one_error_line(self.tacho("report", 99, expect=2), "99")

    def test_an_unwritable_page_is_one_error_line(self):
        said = self.tacho("report", 1, "--html", self.home / "no" / "such.html", expect=None)
        self.assertNotEqual(said.code, 0)
        self.assert_one_error_line(said, "such.html")

    def test_a_missing_folder_is_reported(self):
        other = self.new_folder()
        env = {"TACHO_HOME": str(other)}
        folder = other / "runs" / "20261115-000009-abcdef"
        folder.mkdir(parents=True)
        (folder / "spec.json").write_text(json.dumps(
            {"version": 1, "key": folder.name, "created_at": 1.7e9, "spec": self.spec()}))
        self.tacho("runs", "ingest", folder, env=env)
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
        self.assert_one_error_line(self.tacho("report", 1, expect=2, env=env), "is missing")


if __name__ == "__main__":
    unittest.main()
