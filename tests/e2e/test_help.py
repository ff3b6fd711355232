"""The help of every command: its width, its words, and that it fits one screen."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import unittest
from pathlib import Path

from tacho_case import TACHO, TachoCase, commands

ROOT = Path(__file__).parents[2]
SCREEN_LINES = 45
OPTION_LINE = re.compile(r"(?m)^  (-\S.*?)  +(\S.*)$")


def help_of(words, columns=None):
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    if columns:
        environment["COLUMNS"] = str(columns)
    done = subprocess.run([TACHO, *words, "--help"], check=True, capture_output=True, text=True,
                          env=environment)
    return done.stdout


def retired_words():
    """The patterns of script/retired-words.tsv, as script/lint-words reads them."""
    for line in (ROOT / "script" / "retired-words.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            pattern = line.split("\t")[0]
            yield re.compile(rf"(?<![A-Za-z])(?:{pattern})(?![a-z])", re.IGNORECASE)


class Width(unittest.TestCase):
    def widest(self, columns, expected):
        for words in commands():
            for line in help_of(words, columns).splitlines():
                self.assertLessEqual(len(line), expected, f"tacho {' '.join(words)}: {line}")

    def test_80_columns_without_a_terminal(self):
        self.widest(None, 80)

    def test_60_columns(self):
        self.widest(60, 60)

    def test_never_narrower_than_60_nor_wider_than_100(self):
        self.assertEqual(help_of(("train",), 30), help_of(("train",), 60))
        self.assertEqual(help_of(("train",), 200), help_of(("train",), 100))


class Text(unittest.TestCase):
    def test_no_retired_words(self):
        retired = list(retired_words())
        self.assertGreater(len(retired), 20)
        for words in commands():
            text = " ".join(help_of(words).split())
            for pattern in retired:
                self.assertIsNone(pattern.search(text), f"tacho {' '.join(words)}: {pattern.pattern}")

    def test_options_have_a_text_in_lower_case_without_a_full_stop(self):
        for words in commands():
            text = re.sub(r"\n {6,}", " ", help_of(words, 100))  # hanging lines
            for option, description in OPTION_LINE.findall(text):
                place = f"tacho {' '.join(words)} {option}: {description}"
                self.assertFalse(description.endswith("."), place)
                first = description.split()[0]
                self.assertFalse(first[:1].isupper() and first[1:].islower(), place)

    def test_the_same_option_has_the_same_text(self):
        texts = {}
        for words in commands():
            text = re.sub(r"\n {6,}", " ", help_of(words, 100))
            for option, description in OPTION_LINE.findall(text):
                if option in ("--json", "--seed N", "-h, --help", "-a, --all", "--include-disturbed"):
                    texts.setdefault(option, set()).add(description.split(" (default")[0])
        self.assertEqual(texts.pop("--json") - {"print JSON lines"} -
                         {"print JSON, with all offers", "print JSON, with the command of each run"},
                         {"print JSON"})
        for option, found in texts.items():
            self.assertEqual(len(found), 1, f"{option}: {found}")


class Overview(TachoCase):
    def test_it_fits_one_screen_and_lists_all_commands(self):
        text = help_of(())
        self.assertLessEqual(len(text.splitlines()), SCREEN_LINES)
        listed = re.findall(r"(?m)^  ([a-z]+)  +\S", text)
        self.assertEqual(listed, [words[0] for words in commands() if len(words) == 1])
        self.assertEqual(text.count("Start here:"), 1)
        self.assertNotIn("take-task", text)

    def test_the_former_name_of_bench_works_but_is_not_shown(self):
        self.assertNotIn(("lab",), commands())
        self.assertNotRegex(help_of(()), r"\blab\b")
        for below in ((), ("memory",), ("comms",), ("probe",), ("ls",), ("show",)):
            text = help_of(("bench", *below))
            self.assertNotRegex(text, r"\blab\b")
            self.assertEqual(help_of(("lab", *below)), text)
        self.assertEqual(self.tacho("help", "lab").out, self.tacho("help", "bench").out)
        self.assertIn("nothing was measured yet", self.tacho("lab", "ls").out)

    def test_only_the_overview_says_where_to_start(self):
        for words in commands():
            if words:
                self.assertNotIn("Start here", help_of(words))

    def test_a_terminal_has_its_width(self):
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 64, 0, 0))
        environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
        going = subprocess.Popen([TACHO, "help", "--help"], stdout=follower, env=environment)
        os.close(follower)
        shown = b""
        try:
            while piece := os.read(leader, 65536):
                shown += piece
        except OSError:
            pass  # the end of a terminal
        os.close(leader)
        self.assertEqual(going.wait(), 0)
        self.assertEqual(shown.decode().replace("\r\n", "\n"), help_of(("help",), 64))


class Suggestions(TachoCase):
    def test_typing_errors_get_the_word_that_was_meant(self):
        for words, meant in ((("train", "mlp", "--precison", "fp32"), "'--precision'"),
                             (("train", "mlp", "--learning-rate", "1"), "'--lr'"),
                             (("train", "mlp", "--multi-gpu"), "'--nproc'"),
                             (("train", "mlp", "--data", "synthetic", "--device", "gpu"), "'cuda'"),
                             (("train", "mlp", "--data", "synthetic", "--precision", "half"), "'fp16'"),
                             (("train", "mlp", "--data", "fashion_mnist"), "'fashion-mnist'"),
                             (("train", "ResNet-50", "--data", "synthetic"), "'resnet50'"),
                             (("runs", "list"), "'ls'"), (("raport",), "'report'")):
            said = self.tacho(*words, expect=2)
            self.assert_one_error_line(said, f"did you mean {meant}?")

    def test_other_mistakes_are_named(self):
        for words, part in ((("train", "mlp", "--batch", "many"), "'many' is not a valid whole number"),
                            (("train", "mlp", "--batch"), "--batch needs a value"),
                            (("report",), "RUN is missing"),
                            (("report", "1", "2"), "unexpected argument '2'"),
                            (("runs", "ls", "--json", "--csv"), "exclude each other"),
                            (("run", "--lr", "1", "true"), "unknown option '--lr'")):
            self.assert_one_error_line(self.tacho(*words, expect=2), part)


if __name__ == "__main__":
    unittest.main()
