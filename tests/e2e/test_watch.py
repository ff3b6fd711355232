"""tacho run: watching other programs."""

import json
import os
import pty
import signal
import subprocess
import sys
import unittest
from pathlib import Path

from tacho_case import TACHO, TachoCase, clock_stepped_at, events_of, is_gone, processes_of, wait_until

KNOWN_LOAD = Path(TACHO).parents[1] / "test-bin" / "known_load"
MIB = 1 << 20


# Prints the number of every second step, pauses between epochs, and says at the end how long a step took.
STEPS = """
import statistics, time
times = []
for epoch in range(2):
    printed = None
    for step in range(20):
        time.sleep(0.05)
        if step % 2 == 0:
            now = time.perf_counter()
            if printed: times.append((now - printed) / 2)
            printed = now
            print("FORMAT".replace("N", str(step)))
    time.sleep(0.5)
print(f"real={statistics.median(times)}")
"""


def python(code):
    return ["--", sys.executable, "-c", code]


class Watch(TachoCase):
    def watched(self, *words, expect=0):
        return self.tacho("run", "--json", *words, expect=expect).json

    def test_the_programs_output_is_passed_through(self):
        said = self.tacho("run", "--", "sh", "-c", "echo out; echo err >&2")
        self.assertEqual(said.out, "out\n")
        self.assertIn("err\n", said.err)
        folder = self.folders().pop()
        self.assertEqual(sorted((folder / "output.log").read_text().split()), ["err", "out"])

    def test_step_numbers_give_the_time_of_a_step(self):
        for line in ("step N loss=0.5", "Epoch: [1][ N/40]\tTime 0.2",
                     "  5%|# | N/40 [00:01<00:09, 50.0it/s]"):
            record = self.watched(*python(STEPS.replace("FORMAT", line.replace("\t", " "))))
            found = record["found_steps"]
            self.assertTrue(found["printed"])
            self.assertEqual(found["steps"], 2 * 18)
            real = record["figures"][-1]["values"]["real"]
            # Within 1 % on an idle machine; on a busy one lines are read late.
            self.assertAlmostEqual(found["period_s"], real, delta=0.1 * real)
            time = {part["key"]: part["seconds"] for part in self.tacho("report", "last", "--json").json["time"]}
            self.assertAlmostEqual(sum(time.values()), record["totals"]["wall_seconds"], delta=0.02)
            self.assertGreater(time["pauses"], 0.4)
        shown = self.tacho("report", "last").out
        self.assertIn("steps; printed by", shown)

    def test_lines_without_steps_give_none(self):
        record = self.watched(*python("for i in range(100): print('loss =', i)"))
        self.assertIsNone(record.get("found_steps"))

    def test_returns_the_programs_exit_code(self):
        self.tacho("run", "-q", "--", "sh", "-c", "exit 7", expect=7)
        self.tacho("run", "-q", "--", "sh", "-c", "kill -9 $$", expect=128 + 9)
        outcomes = [(run["outcome"], run["model"]) for run in self.runs()]
        self.assertEqual(outcomes, [("failed", "sh")] * 2)

    def test_says_why_it_failed(self):
        record = self.watched(*python("raise ValueError('no such layer')"), expect=1)
        self.assertEqual(record["outcome"], "failed")
        self.assertEqual(record["reason"], "exit code 1; its last line: ValueError: no such layer")
        record = self.watched(*python("raise MemoryError()"), expect=1)
        self.assertEqual(record["outcome"], "out_of_memory")

    def test_a_missing_program_makes_no_run(self):
        said = self.tacho("run", "--", "no-such-program", expect=2)
        self.assert_one_error_line(said, "'no-such-program' was not found in $PATH")
        self.assert_one_error_line(self.tacho("run", expect=2), "PROGRAM is missing")
        self.assertEqual(self.runs(), [])

    def test_a_watched_program_is_not_resumed(self):
        self.tacho("run", "-q", "--", "false", expect=1)
        said = self.tacho("train", "--resume", "1", expect=2)
        self.assert_one_error_line(said, "run 1 is a watched program", "tacho run")

    def test_arguments_are_passed_unchanged(self):
        words = ["a b", "$HOME", "--json", "'", "*", "[a, b]", "[", ""]
        said = self.tacho("run", "--", sys.executable, "-c",
                          "import sys; print(sys.argv[1:])", *words)
        self.assertEqual(said.out, f"{words}\n")

    def test_reads_figures_from_text_json_and_mlperf_lines(self):
        record = self.watched(*python(
            "for i in range(3): print(f'step={i} loss={1 / (i + 1)}')\n"
            "print('{\"step\": 3, \"accuracy\": 0.5}')\n"
            "print(':::MLLOG {\"key\": \"eval_accuracy\", \"value\": 0.75, \"metadata\": {}}')"))
        seen = [(f.get("step"), f["values"]) for f in record["figures"]]
        self.assertEqual(seen, [(0, {"loss": 1}), (1, {"loss": 0.5}), (2, {"loss": 1 / 3}),
                                (3, {"accuracy": 0.5}), (None, {"eval_accuracy": 0.75})])

    def test_of_many_figures_the_last_and_the_extremes_are_kept(self):
        record = self.watched(*python(
            "for i in range(50000): print(f'step={i} loss={-7 if i == 31113 else 1 + i / 1e5}')"))
        figures = record["figures"]
        self.assertEqual((figures[-1]["step"], figures[-1]["values"]), (49999, {"loss": 1.49999}))
        self.assertIn({"loss": -7}, [figure["values"] for figure in figures])
        self.assertLess(len(figures), 20000)
        steps = [figure["step"] for figure in figures]
        self.assertEqual(steps, sorted(steps))
        self.assertTrue(any("50000 lines of figures" in note for note in record["notes"]))

    def test_a_killed_tacho_has_kept_a_recent_figure(self):
        going = self.start("run", *python(
            "import time\nfor i in range(50003): print(f'step={i} loss=0.5')\n"
            "print('printed', flush=True)\ntime.sleep(60)"))
        folder = self.new_run_folder(set())
        wait_until(lambda: '"step":50002,' in (folder / "events.jsonl").read_text()
                   if (folder / "events.jsonl").exists() else False, "last figure")
        going.signal(signal.SIGKILL)
        going.ended()
        run = self.tacho("runs", "show", "last", "--json").json
        self.assertEqual(run["figures"][-1]["step"], 50002)

    def test_reads_figures_from_tensorboard_files(self):
        work = self.new_folder()
        self.make_event_file(work / "made")
        self.tacho("run", "-q", "--", "sh", "-c", "mkdir logs; cp made logs/x.tfevents.1", cwd=work)
        figures = self.tacho("runs", "show", "last", "--json").json["figures"]
        self.assertEqual([(f["from"], f["step"], f["values"]) for f in figures],
                         [("tensorboard", 5, {"loss": 2.5})])

    @staticmethod
    def make_event_file(path):
        """Writes one scalar in TensorBoard's format, with checksums."""
        def crc(data):
            value = 0xFFFFFFFF
            for byte in data:
                value ^= byte
                for _ in range(8):
                    value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
            value ^= 0xFFFFFFFF
            return ((value >> 15 | value << 17) + 0xA282EAD8 & 0xFFFFFFFF).to_bytes(4, "little")
        scalar = b"\x0a\x04loss\x15\x00\x00\x20\x40"  # tag, simple_value 2.5
        summary = b"\x0a" + bytes([len(scalar)]) + scalar
        event = b"\x10\x05\x2a" + bytes([len(summary)]) + summary  # step 5
        length = len(event).to_bytes(8, "little")
        path.write_bytes(length + crc(length) + event + crc(event))

    def test_ctrl_c_reaches_the_program_first(self):
        going = self.start("run", *python(
            # In one write: print() makes two, and Ctrl-C may come between them.
            "import os, time\ntry:\n  os.write(1, b'up\\n'); time.sleep(60)\n"
            "except KeyboardInterrupt: print('tidied', flush=True); raise SystemExit(5)"))
        wait_until(lambda: any((f / "output.log").exists() and (f / "output.log").read_text()
                               for f in self.folders()), "output")
        going.signal(signal.SIGINT)
        said = going.ended()
        self.assertEqual((said.code, said.out), (5, "up\ntidied\n"))
        self.assertEqual(self.runs()[0]["outcome"], "cancelled")

    def test_a_killed_tacho_ends_the_program_and_keeps_its_figures(self):
        going = self.start("run", *python(
            "import time\nprint('loss=0.5', flush=True)\ntime.sleep(60)"))
        folder = self.new_run_folder(set())
        wait_until(lambda: (folder / "events.jsonl").exists()
                   and "figures" in (folder / "events.jsonl").read_text(), "figure")
        program = going.worker()
        going.signal(signal.SIGKILL)
        going.ended()
        wait_until(lambda: is_gone(program), "end of the program")
        run = self.tacho("runs", "show", "last", "--json").json
        self.assertEqual(run["outcome"], "failed")
        self.assertEqual(run["figures"][0]["values"], {"loss": 0.5})

    def test_a_changed_wall_clock_does_not_change_durations(self):
        step = self.home / "step"
        said = self.tacho("run", "--json", "--", "sh", "-c", f"touch {step}; sleep 1",
                          env=clock_stepped_at(step))
        metrics = said.json["metrics"]
        for name in ("wall_s", "total_s"):
            self.assertGreater(metrics[name], 0.9, name)
            self.assertLess(metrics[name], 600, name)
        usage = [json.loads(line) for line in
                 (self.folders().pop() / "usage.jsonl").read_text().splitlines()]
        times = [line["sample"]["unix_seconds"] for line in usage if "sample" in line]
        self.assertLess(times[-1] - times[0], 600)

    def test_a_changed_wall_clock_does_not_change_durations_of_a_killed_run(self):
        step = self.home / "step"
        going = self.start("run", *python(
            f"import time\nfor i in range(3000):\n  print(f'loss={{i}}', flush=True)\n"
            f"  time.sleep(0.1)\n  open('{step}', 'w').close()"), env=clock_stepped_at(step))
        folder = self.new_run_folder(set())
        wait_until(lambda: any(event["kind"] == "figures" and event["values"]["loss"] >= 10
                               for event in events_of(folder)), "figures after the step")
        going.signal(signal.SIGKILL)
        going.ended()
        metrics = self.tacho("runs", "show", "last", "--json").json["metrics"]
        self.assertGreater(metrics["wall_s"], 0.9)
        self.assertLess(metrics["wall_s"], 600)

    def test_a_program_sees_the_terminal(self):
        master, slave = pty.openpty()
        process = subprocess.Popen(
            [TACHO, "run", *python("import sys; print(sys.stdout.isatty())")], stdin=slave,
            stdout=slave, stderr=subprocess.PIPE, env=self.environment())
        os.close(slave)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(os.read(master, 100), b"True\r\n")
        os.close(master)

    def test_a_closed_output_pipe_does_not_end_the_program(self):
        read, write = os.pipe()
        process = subprocess.Popen(
            [TACHO, "run", *python("for i in range(20000): print(f'line {i}')")],
            stdin=subprocess.DEVNULL, stdout=write, stderr=subprocess.DEVNULL,
            env=self.environment())
        os.close(write)
        os.read(read, 10)
        os.close(read)
        process.wait(60)
        self.assertEqual(self.runs()[0]["outcome"], "ok")
        self.assertEqual(len((self.folders().pop() / "output.log").read_text().split("\n")), 20001)

    def test_a_remaining_process_does_not_block_tacho(self):
        self.tacho("run", "-q", "--", "sh", "-c", "sleep 60 & echo started")
        for pid in processes_of(self.home):
            os.kill(pid, signal.SIGKILL)


# A program that ignores SIGTERM, its child in another session, and a daemon that was forked twice.
TREE = """
import os, pathlib, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
def stay(name):
    pathlib.Path(name + '.new').write_text(str(os.getpid()))
    os.rename(name + '.new', name + '.pid')
    time.sleep(600)
if os.fork() == 0:
    os.setsid()
    stay('child')
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        stay('daemon')
    os._exit(0)
stay('program')
"""


class Orphans(TachoCase):
    """Orphan processes of a killed tacho are ended by the next."""

    def begin(self):
        """Starts a tacho that watches a process tree; returns it with the process ids."""
        work = self.new_folder()
        going = self.start("run", "--quiet", *python(TREE), cwd=work)
        names = ("program.pid", "child.pid", "daemon.pid")
        wait_until(lambda: all((work / name).exists() for name in names), "tree of processes")
        return going, [int((work / name).read_text()) for name in names]

    def test_the_next_tacho_ends_only_the_process_tree_of_a_killed_one(self):
        dead, orphans = self.begin()
        alive, tree = self.begin()
        dead.signal(signal.SIGKILL)
        dead.ended()
        self.assertFalse([pid for pid in orphans if is_gone(pid)], "nobody has ended them yet")
        outcomes = [run["outcome"] for run in self.runs()]
        self.assertEqual([pid for pid in orphans if not is_gone(pid)], [])
        self.assertEqual(sorted(outcomes), ["failed", "running"])
        self.assertFalse([pid for pid in tree if is_gone(pid)], "of a run that continues")
        alive.signal(signal.SIGKILL)
        alive.ended()
        self.tacho("runs", "ls")
        self.assertEqual([pid for pid in tree if not is_gone(pid)], [])

    def test_a_daemon_of_a_finished_run_keeps_running(self):
        work = self.new_folder()
        self.tacho("run", "--quiet", "--", "sh", "-c",
                   "setsid sleep 600 >/dev/null 2>&1 & echo $! > daemon.pid", cwd=work)
        self.tacho("runs", "ls")
        self.assertFalse(is_gone(int((work / "daemon.pid").read_text())))


class Instrument(TachoCase):
    """Compares the record of a program with its known resource use."""

    def measured(self, *words):
        record = self.tacho("run", "--json", "--", KNOWN_LOAD, *words).json
        log = (self.folders().pop() / "output.log").read_text().split()
        return record["metrics"], float(log[0]), float(log[1])

    def assert_within_2_percent(self, value, truth):
        self.assertLess(abs(value - truth), 0.02 * truth, f"{value} is not {truth}")

    def test_two_seconds_of_cpu_time(self):
        metrics, cpu, _ = self.measured("burn", "2.0")
        self.assert_within_2_percent(cpu, 2.0)
        self.assert_within_2_percent(metrics["user_s"] + metrics["system_s"], 2.0)

    def test_256_mib_of_memory(self):
        metrics, _, _ = self.measured("touch", "256", "sleep", "0.3")
        self.assert_within_2_percent(metrics["run_memory"], 256 * MIB)

    def test_64_mib_written(self):
        file = self.new_folder() / "file"
        metrics, _, _ = self.measured("write", file, "64")
        self.assert_within_2_percent(metrics["write_bytes"], 64 * MIB)

    def test_one_second_of_sleep(self):
        metrics, cpu, wall = self.measured("sleep", "1.0")
        self.assertGreaterEqual(wall, 1.0)
        self.assert_within_2_percent(metrics["wall_s"], wall)
        used = metrics.get("user_s", 0) + metrics.get("system_s", 0)
        self.assertLess(used, cpu + 0.02)


if __name__ == "__main__":
    unittest.main()
