"""Runs of the store."""

from datetime import datetime
from html import escape

from ._answer import answer
from ._recorder import Error
from ._series import Frame, history_of, usage_of
from ._values import flat

MOST_RECORDS = 500  # asked for at once
MOST_ROWS = 50  # shown in a notebook


def value_of(text):
    """The number, bool or None of which this is the text; else the text."""
    for kind in (int, float):
        try:
            value = kind(text)
        except ValueError:
            continue
        if str(value) == text:
            return value
    return {"True": True, "False": False, "None": None}.get(text, text)


def of_one_type(values):
    """Numbers as float if some are, everything as texts if some are: data frames need one type."""
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) < 2:
        return values
    kind = float if kinds == {int, float} else str
    return [None if value is None else kind(value) for value in values]


def html_table(head, rows):
    """Escapes all texts."""
    def line(tag, cells):
        return "<tr>" + "".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"
    body = "".join(line("td", row) for row in rows)
    return f"<table><thead>{line('th', head)}</thead><tbody>{body}</tbody></table>"


class Records:
    """The records of some runs, asked for many at a time when the first is needed."""

    def __init__(self, runs, found):
        self._runs = runs
        self._found = {record["id"]: record for record in found}

    def of(self, run):
        if run not in self._found:
            first = self._runs.index(run) // MOST_RECORDS * MOST_RECORDS
            some = self._runs[first:first + MOST_RECORDS]
            try:
                records = answer("runs", "export", "--json", "--brief", *some)
            except Error:  # one of them was removed
                records = answer("runs", "export", "--json", "--brief", run)
            self._found.update((record["id"], record) for record in records)
        return self._found[run]


class RecordedRun:
    """A run of the store, as it was when it was asked for. Methods ask the program for more."""

    def __init__(self, row, records):
        self.id, self.key, self.name = row["id"], row["key"], row["name"] or row["model"]
        self.began = datetime.fromisoformat(row["created_at"].replace("Z", "+00:00"))
        self.outcome, self.metrics = row["outcome"], row["metrics"]
        self.seconds = self.metrics.get("total_s", self.metrics.get("wall_s"))
        self.folder, self.device, self.environment = row["folder"], row["device"], row["environment"]
        # Unknown for a program that Tacho only watches.
        self.data, self.batch = row["data"] or None, row["batch"] or None
        self._records = records
        self._answers = {}

    @property
    def record(self):
        """The whole record, as of `tacho runs export --json --brief`."""
        return self._records.of(self.id)

    @property
    def _described(self):
        """What the program said, or the user, who takes precedence."""
        return {**(self.record.get("described") or {}), **(self.record.get("edits") or {})}

    @property
    def project(self):
        return self._described.get("project", "")

    @property
    def tags(self):
        return list(self._described.get("tags", ()))

    @property
    def config(self):
        """The settings that the program recorded, or the options of a training."""
        settings = self._described.get("config")
        if settings is None:
            return dict(flat(self.record.get("spec") or {}))
        return {name: value_of(text) for name, text in settings.items()}

    @property
    def summary(self):
        """The last value of each figure that the program logged or printed."""
        return self.record["last_figures"]

    @property
    def notes(self):
        return self.record["notes"]

    @property
    def reason(self):
        return self.record["reason"]

    def history(self, *names):
        """The values at each step, by name: a dict of series."""
        all_of_them = history_of(self._ask("runs", "history", self.id, "--json")["history"])
        for name in names:
            if name not in all_of_them:
                raise Error(f"run {self.id} has no {name!r}; it has: {', '.join(all_of_them) or 'nothing'}")
        return type(all_of_them)({name: all_of_them[name] for name in names or all_of_them})

    def usage(self):
        """CPU, memory, storage and GPU use over time: a dict of series."""
        return usage_of(self._ask("runs", "history", self.id, "--json")["usage"])

    def report(self):
        """Where the time went and what to change, as of `tacho report --json`."""
        return self._ask("report", self.id, "--json")

    def kernels(self):
        """The CUDA kernels of all processes, each process's longest first."""
        return [{"process": gpu["process"], **kernel}
                for gpu in self.report()["gpu"] for kernel in gpu["kernels"]]

    def _ask(self, *words):
        if self.outcome == "running" or words not in self._answers:
            self._answers[words] = answer(*words)
        return self._answers[words]

    def row(self):
        """Everything but the series, in one dict."""
        known = {name: getattr(self, name) for name in (
            "id", "key", "name", "project", "tags", "outcome", "began", "seconds", "data", "batch", "device",
            "environment")}
        return {**known, **{f"config.{name}": value for name, value in self.config.items()},
                **{f"summary.{name}": value for name, value in self.summary.items()}, **self.metrics}

    def __repr__(self):
        return f"<run {self.id} {self.name!r} {self.outcome}>"

    def _repr_html_(self):
        return html_table((f"run {self.id}", ""), self.row().items())


class Runs(list, Frame):
    """A list of runs. As a data frame: one row per run, with metrics, config.* and summary.*"""

    def columns(self):
        rows = [run.row() for run in self]
        names = dict.fromkeys(name for row in rows for name in row)
        return {name: of_one_type([row.get(name) for row in rows]) for name in names}

    def __getitem__(self, at):
        found = super().__getitem__(at)
        return Runs(found) if isinstance(at, slice) else found

    def _repr_html_(self):
        shown = self[:MOST_ROWS]
        head = ("id", "name", "project", "tags", "outcome", "began", "seconds", "summary")
        rows = [(run.id, run.name, run.project, ", ".join(run.tags), run.outcome,
                 f"{run.began:%Y-%m-%d %H:%M}", "" if run.seconds is None else f"{run.seconds:.4g}",
                 ", ".join(f"{name} = {value:.4g}" for name, value in run.summary.items() if value is not None))
                for run in shown]
        more = len(self) - len(shown)
        return html_table(head, rows) + (f"<p>and {more} more runs</p>" if more else "")


def runs_of(rows, known=()):
    """rows: as listed by `tacho runs ls`; known: records that need not be asked for."""
    records = Records([row["id"] for row in rows], known)
    return Runs(RecordedRun(row, records) for row in rows)
