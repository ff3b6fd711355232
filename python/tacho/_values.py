"""Figures and settings from what programs pass to log() and init()."""

from collections.abc import Mapping


def number_of(value):
    """A float; fails if it is no number."""
    if type(value) is float:
        return value
    if isinstance(value, (str, bytes)):
        raise TypeError("a text")
    return float(value.item() if hasattr(value, "item") else value)


def flat(data, prefix=""):
    """The entries of nested dicts: {"a": {"b": 1}} has a.b = 1."""
    for name, value in data.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield prefix + str(name), value


def settings_of(config):
    """The entries of a dict, of an argparse.Namespace or of another object with fields."""
    return dict(config if isinstance(config, Mapping) else getattr(config, "__dict__", {}))
