"""The file of events to which this process logs, in the folder of a run."""

import functools
import json
import math
import os
import sys
import threading
import time

GATHER_SECONDS = 0.25  # a killed process loses what it logged in this time
MANY_BYTES = 1 << 20  # written at once
MOST_BYTES = 64 << 20  # waiting for the disk; more is dropped

_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
_said = set()


def warn(sentence):
    """Prints a note to standard error, each only once."""
    if sentence not in _said:
        _said.add(sentence)
        print(f"tacho: note: {sentence}", file=sys.stderr)


def harmless(function):
    """A method that records: its failure is a note and does not fail the program."""
    @functools.wraps(function)
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Exception as error:
            warn(f"not recorded: {type(error).__name__} in {function.__qualname__}: {error}")
    return call


def event_line(kind, **fields):
    return '{"v":1,"t":%.6f,"kind":"%s",%s\n' % (time.time(), kind, _encode(fields)[1:])


class EventFile:
    """A thread writes the events, so that the caller neither waits for the disk nor fails with it."""

    def __init__(self, folder):
        self._folder = folder
        self._file = None
        self._begin()
        os.register_at_fork(after_in_child=self._begin)

    def _begin(self):
        """Also in a forked child, which has a file of its own and none of its parent's threads."""
        self._lines = []
        self._bytes = 0
        self._lock = threading.RLock()  # of the lines; a signal handler may log, too
        self._writing = threading.Lock()  # of the file
        self._some = threading.Event()
        self._hurry = threading.Event()
        self._closed = False
        self._failed = False  # to write
        self._thread = None
        self._close_file()

    def _close_file(self):
        if self._file is not None:
            os.close(self._file)
        self._file = None

    def add(self, kind, **fields):
        self.add_line(event_line(kind, **fields))

    def add_figures(self, step, values):
        try:
            text = _encode(values)
        except ValueError:  # JSON has no numbers that are not finite
            text = _encode({name: value if math.isfinite(value) else None
                            for name, value in values.items()})
        self.add_line('{"v":1,"t":%.6f,"kind":"figures","from":"python","step":%d,"values":%s}\n'
                      % (time.time(), step, text))

    def add_line(self, line):
        with self._lock:
            first = not self._lines
            if self._bytes + len(line) <= MOST_BYTES:
                self._lines.append(line)
                self._bytes += len(line)
            else:
                warn("the program logs faster than its figures can be written; some are lost")
        if self._bytes > MANY_BYTES and not self._failed:
            self._hurry.set()
        if first:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="tacho", daemon=True)
                self._thread.start()
            self._some.set()

    def close(self):
        """Writes what is left."""
        self._closed = True
        self._hurry.set()
        self._some.set()
        self.flush()
        with self._writing:
            self._close_file()

    def _work(self):
        while not self._closed:
            self._some.wait()
            self._some.clear()
            self._hurry.wait(GATHER_SECONDS)
            self._hurry.clear()
            self.flush()

    def flush(self):
        """Writes what was added until now."""
        with self._writing:
            with self._lock:
                lines, self._lines = self._lines, []
                size, self._bytes = self._bytes, 0
            try:
                if lines:
                    self._write("".join(lines).encode())
                self._failed = False
            except OSError as error:
                warn(f"what the program logs is not recorded now: {error.strerror}; "
                     f"make {self._folder} writable, with free space")
                self._failed = True
                with self._lock:  # tried again
                    self._lines[:0] = lines
                    self._bytes += size
                self._some.set()

    def _write(self, data):
        if self._file is None:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            self._file = os.open(os.path.join(self._folder, f"{os.getpid()}.jsonl"),
                                 os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        before = os.fstat(self._file).st_size
        written = 0
        try:
            while written < len(data):
                written += os.write(self._file, data[written:])
        except OSError:
            os.ftruncate(self._file, before)  # no partial line
            raise
