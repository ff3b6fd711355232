"""What a run recorded over time, and data frames."""

from importlib import import_module
from itertools import repeat

from ._recorder import Error

NAN = float("nan")


def frame(library, columns):
    """A DataFrame of pandas or polars."""
    try:
        return import_module(library).DataFrame(columns)
    except ImportError:
        raise Error(f"{library} is missing; install it with: pip install {library}") from None


class Frame:
    """Something with columns: lists of equal length, by name."""

    def to_pandas(self):
        return frame("pandas", self.columns())

    def to_polars(self):
        return frame("polars", self.columns())


class Series(Frame):
    """The values of one quantity, with their steps (none for usage) and times (Unix seconds)."""

    def __init__(self, time, value, step=None):
        self.step = step
        self.time = time
        self.value = [NAN if each is None else each for each in value]

    def columns(self):
        steps = {} if self.step is None else {"step": self.step}
        return {**steps, "time": self.time, "value": self.value}

    def __len__(self):
        return len(self.value)

    def __repr__(self):
        return f"<{len(self)} values" + (f", last {self.value[-1]:g}>" if self.value else ">")


class History(dict, Frame):
    """Series by name. As a data frame: one row per call of log(), one column per name. The column of a figure
    that is called step or time has `logged.` before its name."""

    def columns(self):
        rows = {}
        for name, series in self.items():
            for step, time, value in zip(series.step or repeat(None), series.time, series.value):
                rows.setdefault((time, step), {})[name] = value
        at = sorted(rows, key=lambda each: (each[0], -1 if each[1] is None else each[1]))
        columns = {"step": [step for _, step in at], "time": [time for time, _ in at]}
        taken = set(columns)
        if all(series.step is None for series in self.values()):
            del columns["step"]
        for name in self:
            columns["logged." * (name in taken) + name] = [rows[each].get(name, NAN) for each in at]
        return columns


def history_of(answer):
    return History({name: Series(**lists) for name, lists in answer.items()})


def usage_of(answer):
    """One series for each quantity of the processes and of each GPU: cores, gpu0.busy, …"""
    lists = answer["series"]
    if lists is None:
        raise Error(answer["why"])
    parts = {"": lists, **{f"gpu{gpu['index']}.": gpu for gpu in lists["gpus"]}}
    return History({prefix + name: Series(lists["unix_seconds"], values["mean"])
                    for prefix, part in parts.items()
                    for name, values in part.items() if isinstance(values, dict)})
