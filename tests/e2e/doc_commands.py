"""Reads the commands of README.md and docs/ with their printed output."""

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Detects commands that lack their "$ ".
LOOKS_LIKE_A_COMMAND = re.compile(r"(tacho|build/bin/tacho|script/\S+|bench/\S+|curl) (?!.*──)")
NUMBER = re.compile(r"[−+-]?\d[\d,.]*(e[+-]?\d+)?"
                    r"( ?(%|ns|µs|ms|s|min|h|B|KiB|MiB|GiB|GB/s|GFLOP/s|/s|requests/s|epochs?|runs?"
                    r"|steps?)(?![a-z]))?")
DIGEST = re.compile(r"(sha256:)?\b[0-9a-f]{12,64}\b(\+changes)?")
DRAWING = re.compile(r"[├─●┤│┼═█▏▎▍▌▋▊▉▁▂▃▄▅▆▇]+")
# Only the first word is compared; the rest depends on the machine.
OF_THE_MACHINE = re.compile(r"^\s*(machine|torch|serving|cpu|memory|system)\b")


@dataclass
class Shown:
    """A command of a page with the lines below it."""
    page: str
    line: int
    text: str
    output: list = field(default_factory=list)

    @property
    def place(self):
        return f"{self.page}:{self.line}"


def pages():
    """README.md, then the other pages by name."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), ROOT / "deploy" / "README.md"]
    return [path for path in found if path.exists()]


def name_of(path):
    return str(path.relative_to(ROOT))


def code_lines(path):
    """Number and text of each code line: indented after a blank line, or in a fenced shell block."""
    fence, before, indented = None, "", False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if fence is None and line.startswith("```"):
            fence = line[3:].strip()
            yield number, None
        elif fence is not None and line.startswith("```"):
            fence = None
            yield number, None
        elif fence is not None:
            if fence in ("", "sh", "console"):
                yield number, line
        else:
            indented = line.startswith("    ") and (indented or not before.strip())
            if indented:
                yield number, line[4:]
            elif line.strip():
                yield number, None  # prose: the block ends
            before = line


def shown_commands(path):
    """All commands of a page in order, and lines that look like commands but are not marked."""
    page, marked = name_of(path), path.parent in (ROOT, ROOT / "docs")
    commands, unmarked, current = [], [], None
    for number, line in code_lines(path):
        if line is None:
            current = None
        elif line.startswith("$ "):
            current = Shown(page, number, line[2:].rstrip())
            commands.append(current)
        elif current is not None and not current.output and current.text.endswith("\\"):
            current.text = current.text[:-1].rstrip() + " " + line.strip()
        elif not marked and LOOKS_LIKE_A_COMMAND.match(line + " "):
            current = Shown(page, number, line.rstrip())
            commands.append(current)
        elif current is not None:
            current.output.append(line.rstrip())
        elif LOOKS_LIKE_A_COMMAND.match(line + " "):
            unmarked.append(f"{page}:{number}: {line}")
    return commands, unmarked


def inline_commands(path):
    """`tacho …` in sentences and tables, with positions."""
    fenced = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
        if fenced or line.startswith("    "):
            continue
        for code in re.findall(r"`(tacho [^`]+)`", line):
            yield f"{name_of(path)}:{number}", code


def simple_commands(text):
    """The words of each command of a shell line, without comments, pipes and redirections."""
    reader = shlex.shlex(text, posix=True, punctuation_chars=";|&>()")
    reader.whitespace_split = True
    commands, words, skip = [], [], False
    for word in reader:
        if skip:
            skip = False
        elif set(word) <= set(">"):
            skip = True
        elif set(word) <= set(";|&()"):
            commands.append(words)
            words = []
        else:
            words.append(word)
    return [words for words in [*commands, words] if words]


def tacho_words(words):
    """The arguments of tacho in a command, also after a launcher; none for other programs."""
    for place, word in enumerate(words):
        if word == "tacho" or re.fullmatch(r"build(-\w+)?/bin/tacho", word):
            return words[place + 1:]
        if word.endswith("train.sbatch"):
            return ["train", *words[place + 1:]]
    return None


def skeleton(line):
    """The part of a line that is compared: its words, not its numbers."""
    if OF_THE_MACHINE.match(line):
        return OF_THE_MACHINE.match(line)[1]
    line = NUMBER.sub("#", DIGEST.sub("#", DRAWING.sub(" ", line)))
    return " ".join(line.split())


def label(line):
    """The beginning of a line up to its first number; empty for continuation and table lines."""
    return re.match(r" ?((?:[^\W\d](?:(?!  )[^\d:])*)?)", line)[1].strip()
