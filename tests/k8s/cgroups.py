"""Makes or removes the cgroup of the test cluster: cgroups.py make|remove NAME"""

import os
import sys
import time
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
END_SECONDS = 10  # killed processes take a moment to leave


def parents():
    if (ROOT / "cgroup.controllers").exists():
        return [ROOT]
    return [path for path in sorted(ROOT.iterdir()) if path.is_dir() and not path.is_symlink()]


def make(name):
    for parent in parents():
        (parent / name).mkdir()


def remove(name):
    deadline = time.monotonic() + END_SECONDS
    while left := [folder for parent in parents() for folder in removed(parent / name)]:
        if time.monotonic() > deadline:
            sys.exit(f"these cgroups remain: {', '.join(left)}")
        time.sleep(0.1)


def removed(top):
    """Removes cgroups from the innermost on, and returns those that still have processes."""
    left = []
    for folder, _, _ in os.walk(top, topdown=False):
        try:
            os.rmdir(folder)
        except OSError:
            left.append(folder)
    return left


if __name__ == "__main__":
    {"make": make, "remove": remove}[sys.argv[1]](sys.argv[2])
