"""Runs the commands of README.md and docs/ in page order, in a folder with the files they use, and
compares their output with the page, except for numbers.

Long commands run in a shorter version (SHORTER) or not at all (NEVER and LONG, with the reason). For the
latter, tacho only parses the arguments (--read-words), which detects missing commands and options.
TACHO_DOCS=all runs everything that works on this machine at full length: script/test-docs.
TACHO_DOCS_PAGES="docs/load.md docs/infer.md" runs only the commands of these pages.
"""

import os
import re
import subprocess
import sys
import time
import unittest
from collections import Counter

from doc_commands import (ROOT, inline_commands, label, name_of, pages, shown_commands, simple_commands,
                          skeleton, tacho_words)
from doc_workspace import PATIENCE_SECONDS, PORTS, Workspace
from tacho_case import TACHO, commands

ALL = os.environ.get("TACHO_DOCS") == "all"
ONLY = os.environ.get("TACHO_DOCS_PAGES", "").split()
# Reasons for not running commands, with patterns of the commands.
NEVER = [
    ("needs a GPU", r"--device cuda|--env-gpus|--trace trace.json"),
    ("is about the tree it lies in", r"^(script|bench)/"),
    ("needs the installed wheel", r"^(pip|python) |run -- python train"),
    ("needs a cluster", r"^(sbatch|torchrun|kind|minikube|kubectl)|--nnodes|KEY|\bkind load|\bminikube"),
    ("needs archives that others publish", r"prepare (cifar10|tiny-imagenet|imagenet|imdb)|--data imagenet"),
    ("needs an image of the reader's own", r"/srv/images"),
    ("needs something that is running", r"/live$|sweep (watch|cancel)"),
    ("needs a served model of pictures", r"--images"),
    ("needs weights that others publish", r"--weights gpt2/"),
    ("needs files of other tools", r"runs import (wandb|mlruns|lightning)"),
    ("takes hours", r"study (?!.*--dry-run).*--full"),
]
LONG = [
    ("takes minutes", r"tacho evaluate|curve --evaluate|bench probe|bench memory( |$)|bench comms(?! --quick)"
                      r"|sweep examples/cpu-quick.yaml$"),
    ("makes a whole study", r"study (?!ls|show)(?!.*--dry-run)\S+"),
    ("makes an image", r"env build|--env bare,podman|-E podman"),
    ("searches for a rate", r"--slo "),
    ("downloads", r"data get"),
]
# Shorter versions of commands.
SHORTER = [
    (r"(tacho train (?!.*--data synthetic).*)", r"\1 --train-samples 640 --eval-samples 128"),
    (r"(tacho train resnet50 .*)", r"\1 -b 2 --steps 2 --eval-samples 2"),
    (r"--eval-samples 128 (.*--eval-samples 2)$", r"\1"),
    (r"(tacho train .*)-e \d+", r"\1-e 2"),
    (r"tacho compare ((?!.*(--runs|ls|show)).*)",
     r"tacho compare --repeat 2 --max-repeat 2 \1"),
    (r"--repeat 2 --max-repeat 2 (.*--cmd)", r"--repeat 5 --max-repeat 5 \1"),
    (r"--repeat 2 --max-repeat 2 (.*)--repeat 10", r"\1--repeat 2 --max-repeat 2"),
    (r"(compare .*)--steps \d+", r"\1--steps 3 --eval-samples 64"),
    (r"tacho try -- ", "tacho try --budget 20s -- "),
    (r"batch=32,64,128", "batch=32,64"),
    (r"(bench comms --quick)", r"\1 --max-size 64K --no-gradients"),
    (r"(compare (?!.*--cmd).*)--max-time \d+\w", r"\1--max-time 4s"),
    (r"(tacho load .*--rate \d+)$", r"\1 --duration 1s"),
    (r"(tacho load .*/metrics.*)$", r"\1 --duration 1s"),
    (r"--duration \d+\w+", "--duration 1s"),
]
FEW = "--train-samples 320 --eval-samples 64 --seed 1"
# Commands that run first, so that "last" exists.
BEFORE = [
    (r"tacho curve last", f"tacho train lenet5 --data fashion-mnist -e 6 {FEW}"),
    (r"tacho predict mnist-cnn", f"tacho train mnist-cnn --data fashion-mnist -b 32 {FEW}"),
    (r"tacho predict mnist-cnn", f"tacho train mnist-cnn --data fashion-mnist -b 128 {FEW}"),
    (r"tacho infer last --max-tokens", "tacho train gpt2 --data text --data-dir docs --tokens characters --layers 1"
     " --width 32 --heads 2 --length 32 -b 8 --steps 20 --seed 1"),
    (r"tacho infer last$", f"tacho train lstm --data sst2 -e 1 {FEW}"),
    (r"tacho bench ls", "tacho bench memory --quick --only copy"),
]
# The output depends on the machine: only the beginnings of lines are compared.
SAID_FREELY = r"tacho (report|compare|runs ls|predict|recommend)"
# Predictions may abstain if measurements on this machine vary too much.
REFUSED = r"no prediction: |runs on this machine are too different"
# Output that needs a GPU.
FROM_A_GPU = r"kernels of process"


def rule_of(rules, text):
    return next((why for why, pattern in rules if re.search(pattern, text)), None)


def shorter(text):
    for pattern, words in SHORTER if not ALL else []:
        text = re.sub(pattern, words, text)
    return text


def not_shown(shown, printed):
    """Lines of the page that the command did not print, except for numbers."""
    essence = label if re.search(SAID_FREELY, shown.text) else skeleton
    here = {essence(line) for line in printed.splitlines()} | {""}
    return [line for line in shown.output if "…" not in line and essence(line) not in here]


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workspace = Workspace()
        cls.addClassCleanup(cls.workspace.close)
        cls.workspace.fill_home()
        cls.counts = Counter()
        cls.only_read = Counter()

    @classmethod
    def tearDownClass(cls):
        print(f"\n{cls.counts['run']} commands run, {cls.counts['outputs']} outputs compared, "
              f"{cls.only_read.total()} only read: "
              + ", ".join(f"{why} ({count})" for why, count in cls.only_read.most_common()),
              file=sys.stderr)

    def test_every_command_of_every_page(self):
        for path in pages():
            if ONLY and name_of(path) not in ONLY:
                continue
            self.workspace.end_servers()  # the next page expects its own model
            commands, unmarked = shown_commands(path)
            self.assertEqual(unmarked, [], "commands begin with '$ '")
            for shown in commands:
                with self.subTest(shown.place):
                    self.check(shown)

    def check(self, shown):
        text = shown.text.split("  #")[0].strip()
        in_study = shown.page.startswith(("docs/results/", "docs/notes/", "deploy/"))
        why = rule_of(NEVER, text) or (None if ALL else rule_of(LONG, text))
        if in_study and not why:
            why = "belongs to a measurement or to a server elsewhere"
        self.read_words(text)
        if why:
            self.only_read[why] += 1
            return
        for pattern, before in BEFORE:
            if re.search(pattern, text):
                self.workspace.must(before)
        self.counts["run"] += 1
        printed = self.run_it(text)
        if shown.output and printed is not None and not re.search(FROM_A_GPU, "\n".join(shown.output)):
            self.counts["outputs"] += 1
            self.assertEqual(not_shown(shown, printed), [], f"`{text}` printed\n{printed[-3000:]}")

    def run_it(self, text):
        words = tacho_words(simple_commands(text)[0]) or []
        for port, command in PORTS.items():
            if words[:1] == [command]:
                return self.workspace.serve(text, port)
            if f":{port}" in text and port not in self.workspace.servers:
                if command == "infer":
                    self.workspace.must(f"tacho train lstm --data sst2 -e 1 {FEW}")
                self.workspace.serve("tacho infer last" if command == "infer" else "tacho serve", port)
        began = time.monotonic()
        done = self.workspace.shell(shorter(text), seconds=3600 if ALL else PATIENCE_SECONDS)
        took = time.monotonic() - began
        if took > 4:
            print(f"{took:.1f} s: {text}", file=sys.stderr)
        if done.returncode == 1 and re.search(REFUSED, done.stderr):
            return None
        self.assertEqual(done.returncode, 0, f"`{shorter(text)}`: {done.stdout[-600:]}{done.stderr}")
        return done.stdout + done.stderr

    def read_words(self, text):
        """Makes tacho parse the arguments of each command, and of the command after `compare … --`."""
        for command in simple_commands(text):
            words = tacho_words(command)
            if words is None:
                continue
            self.tacho_reads(words)
            if words[0] == "compare" and "--" in words:
                self.tacho_reads(words[words.index("--") + 1:])

    def tacho_reads(self, words):
        done = subprocess.run([TACHO, "--read-words", *words], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, f"tacho {' '.join(words)}: {done.stderr}")


class Words(unittest.TestCase):
    """Commands, files and pages named in sentences and tables."""

    def known(self, path, cache={}):
        """The subcommands and options of a command, from its help."""
        if path not in cache:
            done = subprocess.run([TACHO, *path, "--help"], capture_output=True, text=True)
            if done.returncode != 0:
                return None
            text = done.stdout
            below = {words[-1] for words in commands() if words[:-1] == path and words}
            cache[path] = below, set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", text))
        return cache[path]

    def test_commands_within_sentences_exist_with_their_options(self):
        wrong = []
        for path in pages():
            for place, code in inline_commands(path):
                words = code.split()[1:]
                reached = ()
                if "--" in words:
                    words = words[:words.index("--")]
                for word in words:
                    commands, options = self.known(reached)
                    option = re.match(r"--?[a-z][\w-]*", word)
                    if word in commands:
                        reached += (word,)
                    elif not reached and not self.known((word,)):
                        wrong.append(f"{place}: {code}: no command {word}")
                    elif option and option[0] not in options and reached != ("run",):
                        wrong.append(f"{place}: {code}: no option {word}")
        self.assertEqual(wrong, [])

    def test_the_summary_of_the_studies_agrees_with_their_reports(self):
        folder = ROOT / "docs" / "results" / "studies"
        rows = re.findall(r"(?m)^\| \[\S+\]\((\S+\.md)\) \|.*\| ([^|]+) \|$",
                          (folder / "README.md").read_text())
        self.assertGreaterEqual(len(rows), 5)
        for page, findings in rows:
            text = (folder / page).read_text()
            for number in re.findall(r"\d[\d,.]*\d|\d", findings):
                self.assertRegex(text, rf"(?<![\d.,]){re.escape(number)}(?![\d])", page)

    def test_pages_are_short(self):
        lengths = {name_of(path): len(path.read_text().splitlines()) for path in pages()}
        self.assertLessEqual(lengths.pop("README.md"), 250)
        self.assertEqual({page: lines for page, lines in lengths.items() if lines > 150}, {})

    def test_the_manuals_index_names_every_page(self):
        index = (ROOT / "docs" / "README.md").read_text()
        missing = [path.name for path in (ROOT / "docs").glob("*.md")
                   if path.name != "README.md" and f"({path.name})" not in index]
        self.assertEqual(missing, [])

    def test_links_and_named_programs_are_there(self):
        wrong = []
        for path in [*pages(), ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]:
            text = path.read_text()
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
                if "://" not in target and not (path.parent / target).exists():
                    wrong.append(f"{name_of(path)}: link to {target}")
            for program in re.findall(r"`((?:script|bench|tests)/[\w./-]+)", text):
                if not (ROOT / program.rstrip("./")).exists():
                    wrong.append(f"{name_of(path)}: {program}")
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
