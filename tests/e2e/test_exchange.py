"""tacho runs import and export, with files made here from the descriptions of their formats: LevelDB's
log and wandb_internal.proto, MLflow's file store and tables, TensorBoard's events, Parquet."""

import json
import math
import sqlite3
import struct
import unittest
import zlib
from pathlib import Path

from tacho_case import TachoCase

BEGAN = 1_700_000_000.125  # whole milliseconds, as MLflow stores them


# Protobuf's wire format.

def varint(number):
    number &= (1 << 64) - 1
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def field(number, value):
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


# W&B: a LevelDB log with zlib's CRC-32, of records.

def wandb_log(records):
    log = b":W&B" + struct.pack("<HB", 0xBEE1, 0)
    for record in records:
        first = True
        while True:
            room = 32768 - len(log) % 32768
            if room < 7:
                log += bytes(room)
                continue
            part, record = record[:room - 7], record[room - 7:]
            kind = (2 if record else 1) if first else (3 if record else 4)
            log += struct.pack("<IHB", zlib.crc32(bytes([kind]) + part), len(part), kind) + part
            first = False
            if not record:
                break
    return log


def items(number, values):
    return b"".join(field(number, field(1, name) + field(16, json.dumps(value)))
                    for name, value in values.items())


def wandb_run(points, run="3fa8c1", name="base", exit_code=0):
    began = field(1, int(BEGAN)) + field(2, round(BEGAN % 1 * 1e9))
    config = items(1, {"lr": 0.1, "model": {"depth": 3}, "wandb_api_key": "x1", "_wandb": {"t": 1}})
    records = [field(21, b""),
               field(17, field(1, run) + field(3, "digits") + field(4, config) + field(8, name)
                     + field(10, "small") + field(13, "box") + field(17, began))]
    for step, time, values in points:
        history = items(1, {**values, "_step": step, "_timestamp": time, "_runtime": time - BEGAN})
        records.append(field(2, history + field(2, field(1, step) if step else b"")))
    records += [field(7, items(3, {"cpu": 12.5})), field(13, field(3, "hello\n")),
                field(18, field(1, exit_code) + field(2, 3))]
    return wandb_log(records)


# TensorBoard: records with CRC-32C, of events.

def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def tensorboard_file(points):
    out = b""
    for step, time, values in points:
        for name, value in values.items():
            number = field(1, name) + varint(2 << 3 | 5) + struct.pack("<f", value)
            event = field(1, time) + (field(2, step) if step else b"") + field(5, field(1, number))
            head = struct.pack("<Q", len(event))
            out += head + masked(head) + event + masked(event)
    return out


# Parquet: Thrift's compact protocol, plain values, run lengths of definition levels.

class Thrift:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def varint(self):
        number = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind in (4, 5, 6):
            number = self.varint()
            return number >> 1 ^ -(number & 1)
        if kind == 8:
            size = self.varint()
            self.at += size
            return self.data[self.at - size:self.at]
        if kind == 9:
            head = self.data[self.at]
            self.at += 1
            size = self.varint() if head >> 4 == 15 else head >> 4
            return [self.value(head & 15) for _ in range(size)]
        assert kind == 12, kind
        return self.struct()

    def struct(self):
        fields, number = {}, 0
        while head := self.data[self.at]:
            self.at += 1
            assert head >> 4, "a long field number"
            number += head >> 4
            fields[number] = self.value(head & 15)
        self.at += 1
        return fields


def levels(data):
    """The bits of run lengths and of groups of eight."""
    thrift, bits = Thrift(data), []
    while thrift.at < len(data):
        head = thrift.varint()
        for _ in range(head >> 1 if head & 1 else 1):
            byte = data[thrift.at]
            thrift.at += 1
            bits += [byte >> i & 1 for i in range(8)] if head & 1 else [byte] * (head >> 1)
    return bits


def read_parquet(path):
    """The file's columns, None for null, and its metadata."""
    data = Path(path).read_bytes()
    assert data[:4] == data[-4:] == b"PAR1"
    size = struct.unpack("<I", data[-8:-4])[0]
    footer = Thrift(data[-8 - size:-8]).struct()
    schema = footer[2]
    assert schema[0][5] == len(schema) - 1
    columns = {}
    for group in footer[4]:
        for element, chunk in zip(schema[1:], group[1], strict=True):
            facts = chunk[3]
            assert facts[3] == [element[4]] and facts[1] == element[1] and facts[4] == 0
            page = Thrift(data, facts[9])
            head = page.struct()
            assert head[1] == 0 and head[2] == head[3] and head[5][1] == facts[5] == group[3]
            body = data[page.at:page.at + head[3]]
            assert facts[7] == page.at + head[3] - facts[9]
            present = [1] * facts[5]
            if element[3] == 1:
                length = struct.unpack("<I", body[:4])[0]
                present, body = levels(body[4:4 + length]), body[4 + length:]
            numbers = iter(struct.unpack(f"<{sum(present)}{'q' if facts[1] == 2 else 'd'}", body))
            columns.setdefault(element[4].decode(), []).extend(
                next(numbers) if there else None for there in present)
    assert all(len(column) == footer[3] for column in columns.values())
    return columns, {pair[1]: pair[2] for pair in footer[5]}


POINTS = [(0, BEGAN + 1.001, {"loss": 2.5, "eval/acc": 0.1}), (1, BEGAN + 2.002, {"loss": 1 / 3}),
          (1 << 40, BEGAN + 3.003, {"loss": 1e-300})]
DESCRIBED = {"name": "base", "project": "digits"}


class Exchange(TachoCase):
    def write(self, path, data):
        file = self.home / "files" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data if isinstance(data, bytes) else data.encode())
        return file

    def imported(self, *paths, change="added"):
        answers = self.tacho("runs", "import", "--json", *paths).json
        self.assertEqual({answer["change"] for answer in answers}, {change})
        return [answer["run"] for answer in answers]

    def record(self, run):
        return self.tacho("runs", "show", run, "--json").json

    def points(self, run):
        """Steps, times and values, in the order in which they were logged."""
        out = self.home / f"points-{run}.jsonl"
        self.tacho("runs", "export", run, "--format", "jsonl", "-o", out)
        return [(line.pop("_step"), line.pop("_timestamp"), line)
                for line in map(json.loads, out.read_text().splitlines())
                if line.pop("_runtime") is not None]

    def write_mlflow(self, root="mlruns"):
        run = f"{root}/5/ab12"
        self.write(f"{root}/5/meta.yaml",
                   "artifact_location: file:///x\nexperiment_id: '5'\nlifecycle_stage: active\nname: digits\n")
        self.write(f"{run}/meta.yaml",
                   f"artifact_uri: file:///x\nend_time: {round(BEGAN * 1000) + 9000}\nexperiment_id: '5'\n"
                   f"lifecycle_stage: active\nrun_id: ab12\nrun_name: base\nrun_uuid: ab12\n"
                   f"start_time: {round(BEGAN * 1000)}\nstatus: 3\ntags: []\nuser_id: me\n")
        for name in {name for _, _, values in POINTS for name in values}:
            self.write(f"{run}/metrics/{name}",
                       "".join(f"{round(time * 1000)} {values[name]} {step}\n"
                               for step, time, values in POINTS if name in values))
        self.write(f"{run}/params/lr", "0.1")
        self.write(f"{run}/tags/owner", "me")
        return self.home / "files" / root

    def test_a_run_of_wandb_becomes_a_run(self):
        self.write("wandb/offline-run-20231114_221320-3fa8c1/run-3fa8c1.wandb", wandb_run(POINTS))
        [run] = self.imported(self.home / "files")
        record = self.record(run)
        self.assertEqual(record["described"],
                         {"name": "base", "project": "digits", "tags": ["small"],
                          "config": {"lr": "0.1", "model.depth": "3", "wandb_api_key": "***"}})
        self.assertEqual((record["outcome"], record["totals"]["wall_seconds"]), ("ok", POINTS[2][1] - BEGAN))
        self.assertEqual(self.points(run), POINTS)
        listed = self.tacho("runs", "ls", "--json").json[0]
        self.assertEqual(listed["created_at"][:19], "2023-11-14T22:13:20")
        self.assertIn("  base  ", self.tacho("runs", "ls").out)
        self.assertIn("W&B run 3fa8c1 of host box", self.tacho("runs", "show", run).out)
        self.assertIn("run 1", self.tacho("report", run).out)

    def test_importing_twice_makes_no_second_run(self):
        file = self.write("run-3fa8c1.wandb", wandb_run(POINTS[:2]))
        [run] = self.imported(file)
        self.assertEqual(self.imported(file, change="unchanged"), [run])
        self.write("run-3fa8c1.wandb", wandb_run(POINTS))
        self.assertEqual(self.imported(file, change="updated"), [run])
        self.assertEqual(self.points(run), POINTS)
        self.assertEqual(len(self.tacho("runs", "ls", "--json").json), 1)

    def test_runs_of_mlflow_come_from_files_or_from_a_database(self):
        with sqlite3.connect(self.home / "mlflow.db") as database:
            database.executescript(
                "CREATE TABLE experiments (experiment_id INTEGER, name TEXT, lifecycle_stage TEXT);"
                "CREATE TABLE runs (run_uuid TEXT, name TEXT, status TEXT, start_time BIGINT,"
                " end_time BIGINT, lifecycle_stage TEXT, experiment_id INTEGER);"
                "CREATE TABLE metrics (key TEXT, value FLOAT, timestamp BIGINT, run_uuid TEXT,"
                " step BIGINT, is_nan BOOLEAN);"
                "CREATE TABLE params (key TEXT, value TEXT, run_uuid TEXT);"
                "CREATE TABLE tags (key TEXT, value TEXT, run_uuid TEXT);"
                "INSERT INTO experiments VALUES (5, 'digits', 'active');"
                "INSERT INTO params VALUES ('lr', '0.1', 'cd34');"
                "INSERT INTO tags VALUES ('owner', 'me', 'cd34');")
            database.execute("INSERT INTO runs VALUES ('cd34', 'base', 'FINISHED', ?, ?, 'active', 5)",
                             (round(BEGAN * 1000), round(BEGAN * 1000) + 9000))
            for step, time, values in POINTS:
                for name, value in values.items():
                    database.execute("INSERT INTO metrics VALUES (?, ?, ?, 'cd34', ?, 0)",
                                     (name, value, round(time * 1000), step))
        database.close()
        for run in self.imported(self.write_mlflow(), self.home / "mlflow.db"):
            record = self.record(run)
            self.assertEqual(record["described"], {**DESCRIBED, "tags": ["owner=me"], "config": {"lr": "0.1"}})
            self.assertEqual((record["outcome"], record["totals"]["wall_seconds"]), ("ok", 9))
            self.assertEqual(self.points(run), POINTS)

    def test_folders_of_tensorboard_and_tables_become_runs(self):
        floats = [(0, BEGAN, {"loss": 2.5}), (1, BEGAN + 1, {"loss": 0.5})]
        self.write("logs/base/events.out.tfevents.1.box", tensorboard_file(floats))
        table = self.write("base.csv", "epoch,loss\n" + "".join(
            f"{step},{values['loss']}\n" for step, _, values in floats))
        lines = self.write("base.jsonl", "".join(json.dumps(
            {"_step": step, "_timestamp": time, **values}) + "\n" for step, time, values in floats))
        runs = self.imported(self.home / "files" / "logs", table, lines)
        for run in runs:
            self.assertEqual(self.record(run)["described"]["name"], "base")
        self.assertEqual(self.points(runs[0]), floats)
        self.assertEqual([(step, values) for step, _, values in self.points(runs[1])],
                         [(step, values) for step, _, values in floats])
        self.assertEqual(self.points(runs[2]), floats)

    def test_a_round_trip_through_each_format_keeps_everything_that_it_can(self):
        [run] = self.imported(self.write("run-3fa8c1.wandb", wandb_run(POINTS)))
        for form in ("csv", "jsonl", "tensorboard", "mlflow"):
            out = self.home / ("base." + form if form in ("csv", "jsonl") else form)
            self.tacho("runs", "export", run, "--format", form, "-o", out)
            [again] = self.imported(out)
            self.assertEqual(self.points(again), POINTS, form)
            self.assertEqual(self.record(again)["described"]["name"], "base", form)
        described = self.record(again)["described"]  # of MLflow
        self.assertEqual(described, self.record(run)["described"])
        for first, second in zip(self.record(run)["figures"], self.record(again)["figures"], strict=True):
            self.assertEqual((first["step"], first["values"]), (second["step"], second["values"]))

    def test_parquet_has_a_column_per_figure(self):
        [run] = self.imported(self.write("run-3fa8c1.wandb", wandb_run(POINTS)))
        self.tacho("runs", "export", run, "--format", "parquet", "-o", self.home / "base.parquet")
        columns, metadata = read_parquet(self.home / "base.parquet")
        self.assertEqual(columns, {
            "_step": [step for step, _, _ in POINTS],
            "_timestamp": [time for _, time, _ in POINTS],
            "_runtime": [time - BEGAN for _, time, _ in POINTS],
            "eval/acc": [0.1, None, None],
            "loss": [values["loss"] for _, _, values in POINTS]})
        self.assertEqual(json.loads(metadata[b"run"])["name"], "base")

    def test_long_runs_keep_every_point(self):
        points = [(i, BEGAN + i / 8, {f"m{i % 40}": math.sin(i)}) for i in range(20_000)]
        [run] = self.imported(self.write("run-3fa8c1.wandb", wandb_run(points)))
        self.assertLess(len(self.record(run)["figures"]), 16_000)
        self.assertEqual(self.points(run), points)
        self.tacho("runs", "export", run, "--format", "parquet", "-o", self.home / "long.parquet")
        columns, _ = read_parquet(self.home / "long.parquet")
        self.assertEqual(columns["_timestamp"], [time for _, time, _ in points])
        self.assertEqual(columns["m39"], [values.get("m39") for _, _, values in points])

    def test_several_runs_become_several_files(self):
        self.write("wandb/a/run-a.wandb", wandb_run(POINTS, "a"))
        self.write("wandb/b/run-b.wandb", wandb_run(POINTS, "b", "other"))
        self.imported(self.home / "files")
        said = self.tacho("runs", "export", "--where", "outcome=ok", "--format", "csv", "-o", self.home / "out")
        self.assertEqual(sorted(said.out.splitlines()), [f"wrote {self.home / 'out' / name}.csv"
                                                         for name in ("base", "other")])

    def refused(self, words, *args):
        self.assert_one_error_line(self.tacho(*args, expect=2), words)

    def test_wrong_input_is_one_sentence(self):
        damaged = bytearray(wandb_run(POINTS))
        damaged[40] ^= 1
        cases = [(self.write("a.wandb", bytes(damaged)), "damaged at byte"),
                 (self.write("b.wandb", "hello"), "not a log of W&B"),
                 (self.write("c.csv", "step,loss\n1,2\n2,x\n"), "line 3: loss is 'x', not a number"),
                 (self.write("d.csv", "step,loss\nx,1\n"), "--step"),
                 (self.write("e.jsonl", "{\n"), "line 1"),
                 (self.write("f/events.out.tfevents.1", "hello, this is no event file"), "not a TensorBoard"),
                 (self.write("g.db", b"SQLite format 3\0" + bytes(100)), "MLflow"),
                 (self.write("h.txt", "hello"), "tacho help import-export"),
                 (self.home / "missing", "missing")]
        good = self.write("good.csv", "step,loss\n1,2\n")
        for path, words in cases:
            with self.subTest(path.name):
                self.refused(words, "runs", "import", good, path)
        self.assertEqual(self.tacho("runs", "ls", "--json").json, [])

    def test_wrong_exports_are_one_sentence(self):
        [run] = self.imported(self.write("a.csv", "step,loss\n1,2\n"))
        for words, args in [("parquet", ("--format", "parket", "-o", "x")),
                            ("-o PATH", ("--format", "csv")),
                            ("--table", ("--format", "csv", "--table", "steps", "-o", "x")),
                            ("no --csv", ("--format", "csv", "--csv", "-o", "x")),
                            ("one of --csv, --json and --format", ())]:
            self.refused(words, "runs", "export", run, *args)


if __name__ == "__main__":
    unittest.main()
