#!/usr/bin/env python3
"""Holds libtacho_inject.so to its promises: it needs the C library only, shows two functions, and a
program that loads it without a GPU runs on and keeps its output to itself.

  injected_library.py LIBRARY
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

LOAD = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
assert library.InitializeInjection() == 1
assert library.InitializeInjection() == 1
library.InitializeInjectionNvtx2.argtypes = [ctypes.c_void_p]
"""


def needed(library):
    text = subprocess.check_output(["objdump", "-p", library], text=True)
    return set(re.findall(r"NEEDED\s+(\S+)", text))


def shown(library):
    text = subprocess.check_output(["objdump", "-T", library], text=True)
    # Some linkers list sections here as well, which are local: nobody can call them.
    return {line.split()[-1] for line in text.splitlines()
            if re.match(r"[0-9a-f]{16} [gw]", line) and "*UND*" not in line}


def newest_glibc(library):
    text = subprocess.check_output(["objdump", "-T", library], text=True)
    versions = {tuple(int(part) for part in found.split("."))
                for found in re.findall(r"GLIBC_([0-9.]+)", text)}
    return ".".join(str(part) for part in max(versions))


def load(library, folder):
    """Loads it as the driver does; returns the files it left."""
    environment = dict(os.environ, TACHO_TRACE_FOLDER=str(folder)) if folder else {
        name: value for name, value in os.environ.items() if name != "TACHO_TRACE_FOLDER"}
    done = subprocess.run([sys.executable, "-c", LOAD, library], capture_output=True, text=True,
                          env=environment, timeout=50)
    assert done.returncode == 0, done
    assert done.stdout == "" and done.stderr == "", done
    return sorted(folder.iterdir()) if folder else []


def main():
    library = sys.argv[1]
    strays = {name for name in needed(library) if not re.match(r"lib(c|m|pthread|dl)\.so|ld-linux", name)}
    assert not strays, f"{library} needs {strays}"
    assert shown(library) == {"InitializeInjection", "InitializeInjectionNvtx2"}, shown(library)
    load(library, None)
    with tempfile.TemporaryDirectory() as name:
        files = load(library, pathlib.Path(name))
        assert len(files) == 1 and files[0].suffix in (".problem", ".tgt"), files
        if files[0].suffix == ".problem":
            sentence = files[0].read_text()
            assert sentence.count("\n") == 1 and len(sentence) > 20, sentence
            print("without a GPU:", sentence.strip())
    print(f"needs {sorted(needed(library))}, glibc {newest_glibc(library)} or later")


if __name__ == "__main__":
    main()
