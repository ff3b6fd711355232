"""docs/changes.md names every path, parameter and field that the API no longer has."""

import re
import unittest
from pathlib import Path

from api_names import api_names, from_text
from http_case import ServeCase

ROOT = Path(__file__).resolve().parents[2]


def last_part(name):
    return name if name.startswith("/") else name.rpartition(".")[2]


def listed_changes(text):
    """From the rows of all tables, `| old | new | … |`: each old name with its new names; none means removed."""
    changes = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.lstrip().startswith("|") or len(cells) < 2:
            continue
        new = re.findall(r"`([^`]+)`", cells[1])
        if new or "removed" in cells[1].lower():
            for old in re.findall(r"`([^`]+)`", cells[0]):
                changes.setdefault(last_part(old), set()).update(map(last_part, new))
    return changes


def unexplained(before, now, changes):
    """The names of `before` that are gone from `now` and that `changes` does not explain."""
    missing = []
    for place, names in before.items():
        path = place.split()[1]
        if place.split()[:2] not in [other.split()[:2] for other in now]:
            explained = path in changes and all(
                any(other.split()[1] == new for other in now) for new in changes[path])
            missing += [] if explained else [place]
            continue
        have = now.get(place, set())
        for name in sorted(names - have):
            parent, dot, last = name.rpartition(".")
            renamed = changes.get(last)
            explained = renamed is not None and (not renamed or any(parent + dot + new in have for new in renamed))
            missing += [] if explained else [f"{place}: {name}"]
    return missing


class Changes(ServeCase):
    def test_every_name_that_is_gone_is_listed_in_docs_changes(self):
        before = from_text((ROOT / "tests/e2e/api_v1_names.txt").read_text())
        now = api_names(self.ask("/api/v1/openapi.json")[2])
        changes = listed_changes((ROOT / "docs/changes.md").read_text())
        self.assertGreater(len(before), 50)
        self.assertEqual(unexplained(before, now, changes), [])

    def test_a_name_that_is_not_listed_is_found(self):
        before = {"GET /a query": {"x"}, "GET /a 200": {"rows", "rows.old", "rows.lost"}, "GET /b": set()}
        now = {"GET /a query": {"x"}, "GET /a 200": {"rows", "rows.new"}, "GET /c": set()}
        self.assertEqual(unexplained(before, now, {}), ["GET /a 200: rows.lost", "GET /a 200: rows.old", "GET /b"])
        table = "| before | now |\n|---|---|\n| `rows.old` | `new` |\n| `lost` | removed |\n| `/b` | `/c` |\n"
        self.assertEqual(unexplained(before, now, listed_changes(table)), [])
        wrong = table.replace("`new`", "`newer`").replace("`/c`", "`/d`")
        self.assertEqual(unexplained(before, now, listed_changes(wrong)), ["GET /a 200: rows.old", "GET /b"])

    def test_a_name_in_prose_is_not_listed(self):
        self.assertEqual(listed_changes("`old` is now `new`.\n\n| `old` | see below |\n"), {})


if __name__ == "__main__":
    unittest.main()
