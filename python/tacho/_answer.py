"""Asks the program tacho: runs a command and returns its answer in JSON."""

import codecs
import json
import os
import re
import signal
import subprocess
import sys
import threading
from contextlib import suppress

from ._recorder import Error, program


def options_of(settings):
    """The words of the command line: num_gpus=2 is --num-gpus=2, trace=True is --trace, a list
    repeats the option. None and False are left out; a _ at the end avoids Python's words (from_)."""
    words = []
    for name, value in settings.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        for each in value if isinstance(value, (list, tuple)) else [value]:
            if each is True:
                words.append(option)
            elif each is not None and each is not False:
                words.append(f"{option}={each}")
    return words


def answer(*words, progress=False):
    """What `tacho WORDS` prints as JSON. An error of the command becomes tacho.Error; its notes are
    printed. progress: shows the command's progress where somebody watches."""
    command = [program(), *map(str, words)]
    if progress and (sys.stderr.isatty() or "ipykernel" in sys.modules):
        code, out, said = _run_in_terminal(command)
    else:
        code, out, said = _run(command, subprocess.PIPE)
        if code == 0 and said:
            sys.stderr.write(said)
    if code != 0:
        sentences = re.findall(r"tacho: (?!note: )([^\r\n]*)", said)
        raise Error(sentences[-1] if sentences else f"tacho {words[0]} ended with exit code {code}")
    try:
        return json.loads(out)
    except ValueError:
        raise Error(f"tacho {words[0]} did not answer with JSON; leave out options that choose "
                    "another output") from None


def _run(command, stderr):
    """Exit code, output and errors. Ctrl-C is passed on, and waits: the command then stores what it
    has measured."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr,
                               env={**os.environ, "NO_COLOR": "1"}, start_new_session=True)
    try:
        out, said = process.communicate()
    except BaseException:
        while process.returncode is None:
            process.send_signal(signal.SIGINT)  # again with each Ctrl-C: the second ends it harder
            with suppress(KeyboardInterrupt):
                process.communicate()
        raise
    return process.returncode, out, (said or b"").decode(errors="replace")


def _run_in_terminal(command):
    """Gives the command a terminal for its errors, which are shown as they come: it shows progress
    only there."""
    ours, its = os.openpty()
    said = []
    watcher = threading.Thread(target=_show, args=(ours, said), daemon=True)
    watcher.start()
    try:
        code, out, _ = _run(command, its)
    finally:
        os.close(its)
        watcher.join(1)  # longer only if a process of the command survives it
    return code, out, "".join(said)


def _show(terminal, said):
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    try:
        while True:
            said.append(decoder.decode(os.read(terminal, 4096)))
            sys.stderr.write(said[-1])
            sys.stderr.flush()
    except OSError:  # all its writers have ended
        os.close(terminal)
