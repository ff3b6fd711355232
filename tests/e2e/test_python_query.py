"""Questions from Python to the store: runs, their history, data frames, predictions, comparisons."""

import importlib
import json
import os
import signal
import subprocess
import sys
import unittest
from pathlib import Path

from tacho_case import TACHO, SharedHomeCase, TachoCase, processes_of, wait_until
from toy_data import write_images

PACKAGE = Path(__file__).resolve().parents[2] / "python"
sys.path.insert(0, str(PACKAGE))
import tacho  # noqa: E402  of this tree
from tacho._series import history_of  # noqa: E402

MADE_GPU_TRACE = os.environ.get("MADE_GPU_TRACE") or Path(TACHO).parents[1] / "test-bin" / "made_gpu_trace"
LOGGED = """
import tacho
with tacho.init(project='digits', name='<b>base</b>', tags=['small', 'a&b'],
                config={'lr': 0.1, 'batch': 64, 'wide': True, 'opt': {'name': 'sgd'}}) as run:
    for step in range(0, 100, 2):
        run.log({'loss': 1 / (step + 1), 'odd': float('nan')}, step=step)
    run.log({'top1': 0.5}, step=98)
    run.summary['best'] = 0.25
"""
PRINTED = """
import time
for i in range(5):
    print(f'loss={8 - i}', flush=True)
while time.process_time() < 0.6:
    pass
"""


class QueryCase(TachoCase):
    """Python's questions go to the home of the test."""

    def setUp(self):
        super().setUp()
        self.use_home()

    def use_home(self):
        changes = {"TACHO_HOME": str(self.home), "TACHO_INCLUDE_DISTURBED": "1", "TACHO_RUN_FOLDER": "",
                   "PATH": f"{Path(TACHO).parent}:{os.environ['PATH']}", "PYTHONPATH": str(PACKAGE)}
        before = {name: os.environ.get(name) for name in changes}
        os.environ.update(changes)
        self.addCleanup(os.environ.update, {name: value for name, value in before.items() if value is not None})

    def python(self, code):
        subprocess.run([sys.executable, "-c", code], check=True)

    def begin(self, code, stderr):
        return subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.DEVNULL, text=True,
                                stdout=subprocess.PIPE, stderr=stderr)


class Query(SharedHomeCase, QueryCase):
    """Run 1 is a training, 2 printed, 3 logged, 4 has a trace of CUDA kernels."""

    def prepare(self):
        self.use_home()
        images = write_images(self.home / "images")
        self.tacho("train", "mlp", "--data", "fashion-mnist", "--data-dir", images, "--batch", 32,
                   "--epochs", 2, "--threads", 1, "--seed", 1, "--lr", 0.05)
        self.tacho("run", "-q", "--", sys.executable, "-c", PRINTED)
        self.python(LOGGED)
        folder = self.home / "runs" / "20261115-000004-abcdef"
        (folder / "gpu").mkdir(parents=True)
        (folder / "spec.json").write_text(json.dumps({
            "version": 1, "key": folder.name, "created_at": 1.7e9,
            "command": {"argv": ["python3", "gpu.py"], "folder": "/"}}))
        subprocess.run([MADE_GPU_TRACE, folder / "gpu" / "7.tgt", "sync"], check=True)
        self.tacho("runs", "ingest", folder)

    def setUp(self):
        super().setUp()
        self.use_home()

    def test_runs_of_every_kind_are_listed_newest_first(self):
        runs = tacho.runs()
        self.assertEqual([run.id for run in runs], [4, 3, 2, 1])
        self.assertEqual([run.name for run in runs][1:], ["<b>base</b>", Path(sys.executable).name, "mlp"])
        self.assertEqual([run.outcome for run in runs][1:], ["ok"] * 3)
        for run in runs:
            record = self.tacho("runs", "show", run.id, "--json").json
            self.assertEqual(run.metrics, record["metrics"])
            self.assertAlmostEqual(run.began.timestamp(), record["created_at"], delta=0.001)
        self.assertGreaterEqual(runs[2].seconds, 0.6)
        self.assertEqual(repr(runs[3]), "<run 1 'mlp' ok>")

    def test_filters_limit_and_order_are_those_of_runs_ls(self):
        def ids(*words, **more):
            return [run.id for run in tacho.runs(*words, **more)]
        self.assertEqual(ids("data=fashion-mnist"), [1])
        self.assertEqual(ids(where=["id>1", "id<4"]), [3, 2])
        self.assertEqual(ids(limit=2), [4, 3])
        self.assertEqual(ids(sort="wall_s", where="id>1", limit=1), [2])
        self.assertEqual(ids("model=none"), [])
        with self.assertRaisesRegex(tacho.Error, "^unknown column 'lr' "):
            tacho.runs("lr=1")

    def test_a_run_has_what_its_program_recorded(self):
        run = tacho.get_run(3)
        self.assertEqual((run.project, run.tags, run.reason), ("digits", ["small", "a&b"], ""))
        self.assertEqual(run.config, {"lr": 0.1, "batch": 64, "wide": True, "opt.name": "sgd"})
        self.assertEqual(run.summary, {"loss": 1 / 99, "odd": None, "top1": 0.5, "best": 0.25})
        self.assertEqual(tacho.get_run(2).summary, {"loss": 4})
        self.assertEqual(tacho.get_run(2).config, {})

    def test_a_training_has_its_options_as_config(self):
        run = tacho.get_run(1)
        self.assertEqual((run.config["optimizer.learning_rate"], run.config["batch"], run.batch), (0.05, 32, 32))
        self.assertEqual((run.project, run.tags, run.summary), ("", [], {}))

    def test_a_run_is_found_by_id_key_and_last(self):
        for handle in (4, "4", "last", "20261115-0000", tacho.get_run(4).key):
            self.assertEqual(tacho.get_run(handle).id, 4)
        with self.assertRaisesRegex(tacho.Error, "^no run 9; see 'tacho runs ls'$"):
            tacho.get_run(9)

    def test_records_are_fetched_some_at_a_time(self):
        from tacho import _recorded
        self.addCleanup(setattr, _recorded, "MOST_RECORDS", _recorded.MOST_RECORDS)
        _recorded.MOST_RECORDS = 3
        runs = tacho.runs()
        self.assertEqual([run.record["id"] for run in runs], [4, 3, 2, 1])
        self.assertNotIn("figures", runs[1].record)

    def test_history_has_the_steps_and_times_of_the_calls(self):
        run = tacho.get_run(3)
        history = run.history()
        self.assertEqual(list(history), ["best", "loss", "odd", "top1"])
        loss = history["loss"]
        self.assertEqual(loss.step, list(range(0, 100, 2)))
        self.assertEqual(loss.value, [1 / (step + 1) for step in loss.step])
        self.assertEqual(loss.time, sorted(loss.time))
        self.assertGreaterEqual(loss.time[0], run.began.timestamp() - 0.001)
        self.assertLess(loss.time[-1] - loss.time[0], 5)
        self.assertEqual(len(set(loss.time)), 50)
        self.assertEqual(list(run.history("top1", "loss")), ["top1", "loss"])
        with self.assertRaisesRegex(tacho.Error, "^run 3 has no 'acc'; it has: best, loss, odd, top1$"):
            run.history("acc")

    def test_history_of_a_training_has_steps_and_epochs(self):
        record = self.tacho("runs", "show", 1, "--json").json
        history = tacho.get_run(1).history()
        loss, top1 = history["train/loss"], history["eval/top1"]
        self.assertEqual((loss.step, loss.value), (list(range(1, 41)), record["steps"]["loss"]))
        self.assertEqual((top1.step, top1.value), ([20, 40], [epoch["top1"] for epoch in record["epochs"]]))
        self.assertEqual(loss.time, sorted(loss.time))
        self.assertLessEqual(loss.time[-1], top1.time[-1])

    def test_history_of_printed_figures_is_numbered(self):
        loss = tacho.get_run(2).history("loss")["loss"]
        self.assertEqual((loss.step, loss.value), ([1, 2, 3, 4, 5], [8, 7, 6, 5, 4]))

    def test_history_as_text_names_every_quantity(self):
        lines = self.tacho("runs", "history", 2).out.splitlines()
        self.assertEqual([line.split() for line in lines],
                         [["name", "values", "last", "step", "first", "last", "min", "max"],
                          ["loss", "5", "5", "8", "4", "4", "8"]])
        self.assertEqual(self.tacho("runs", "history", 4).out, "the run has recorded no values\n")

    def test_usage_shows_a_busy_processor(self):
        usage = tacho.get_run(2).usage()
        self.assertGreater(max(usage["cores"].value), 0.1)
        self.assertGreater(max(usage["resident_bytes"].value), 1 << 20)
        self.assertEqual(len(usage["cores"].time), len(usage["cores"]))
        self.assertIsNone(usage["cores"].step)
        with self.assertRaisesRegex(tacho.Error, "usage was not sampled"):
            tacho.get_run(4).usage()

    def test_report_and_kernels_are_those_of_the_command(self):
        run = tacho.get_run(4)
        said = self.tacho("report", 4, "--json").json
        self.assertEqual(run.report(), said)
        kernels = run.kernels()
        self.assertEqual(kernels, [{"process": 7, **kernel} for kernel in said["gpu"][0]["kernels"]])
        self.assertGreater(kernels[0]["total_s"], 0)
        self.assertEqual(tacho.get_run(2).kernels(), [])

    def test_columns_have_one_type_and_one_row_per_run(self):
        columns = tacho.runs("id<4").columns()
        self.assertEqual(columns["id"], [3, 2, 1])
        self.assertEqual(columns["config.batch"], [64, None, 32])
        self.assertEqual(columns["summary.loss"], [1 / 99, 4.0, None])
        self.assertEqual([type(each) for each in columns["config.opt.name"]], [str, type(None), type(None)])
        for name, values in columns.items():
            self.assertEqual(len(values), 3, name)
            self.assertLessEqual(len({type(each) for each in values} - {type(None)}), 1, name)

    def test_history_has_a_row_per_call(self):
        columns = tacho.get_run(3).history("loss", "odd", "best").columns()
        self.assertEqual(list(columns), ["step", "time", "loss", "odd", "best"])
        self.assertEqual(columns["step"], [*range(0, 100, 2), 98])
        self.assertEqual(columns["loss"][:2], [1, 1 / 3])
        self.assertEqual(columns["best"][-1], 0.25)
        self.assertEqual(list(tacho.get_run(2).usage().columns())[:2], ["time", "cores"])

    def test_figures_that_are_called_step_or_time_keep_their_values(self):
        one = {"time": [5.0], "value": [7.0]}
        history = history_of({"time": {**one, "step": [1]}, "step": one})
        self.assertEqual({name: str(values) for name, values in history.columns().items()},
                         {"step": "[None, 1]", "time": "[5.0, 5.0]", "logged.time": "[nan, 7.0]",
                          "logged.step": "[7.0, nan]"})

    def test_data_frames_where_their_library_is_installed(self):
        for library, size in (("pandas", lambda frame: frame.shape), ("polars", lambda frame: frame.shape)):
            for what, rows in ((tacho.runs(), 4), (tacho.get_run(3).history(), 52),
                               (tacho.get_run(2).history()["loss"], 5), (tacho.runs("id=0"), 0)):
                make = getattr(what, f"to_{library}")
                try:
                    importlib.import_module(library)
                except ImportError:
                    with self.assertRaisesRegex(tacho.Error, f"^{library} is missing; .* pip install {library}$"):
                        make()
                else:
                    self.assertEqual(size(make()), (rows, len(what.columns())))

    def test_notebooks_show_escaped_tables(self):
        for html in (tacho.runs()._repr_html_(), tacho.get_run(3)._repr_html_()):
            self.assertIn("&lt;b&gt;base&lt;/b&gt;", html)
            self.assertIn("a&amp;b", html)
            self.assertNotIn("<b>", html)
        self.assertIn("<td>loss = 4</td>", tacho.runs()._repr_html_())
        many = tacho.runs() * 30
        self.assertEqual(type(tacho.runs()[:2]), type(tacho.runs()))
        self.assertIn("and 70 more runs", type(tacho.runs())(many)._repr_html_())

    def test_predictions_and_recommendations_are_those_of_the_commands(self):
        made = tacho.predict("resnet50", gpu="H100", batch=256, num_gpus=2, precision="amp")
        self.assertEqual(made, self.tacho("predict", "resnet50", "--gpu", "H100", "--batch", 256, "--num-gpus", 2,
                                          "--precision", "amp", "--json").json)
        request = {"model": "resnet50", "data": "imagenet", "target": "top1=0.75", "clouds": ["aws", "gcp"]}
        self.assertEqual(tacho.recommend(spot=True, regions=None, **request), self.tacho(
            "recommend", "--model", "resnet50", "--data", "imagenet", "--target", "top1=0.75", "--clouds", "aws",
            "--clouds", "gcp", "--spot", "--json").json)

    def test_errors_of_commands_are_sentences(self):
        for call, sentence in ((lambda: tacho.predict("resnet5", gpu="H100"), "unknown model 'resnet5'; "),
                               (lambda: tacho.predict("resnet50", gpus="H100"), "unknown option '--gpus'; "),
                               (lambda: tacho.recommend(model="resnet50", csv=True), "--json and --csv exclude"),
                               (lambda: tacho.predict("mlp", "--no-such", batch=2), ".*'--no-such'")):
            with self.assertRaisesRegex(tacho.Error, f"^{sentence}"):
                call()

    def test_recorded_runs_are_compared(self):
        made = tacho.compare(runs="model=mlp/id=2", metric="wall_s", include_disturbed=True)
        self.assertEqual(made, self.tacho("compare", "show", "last", "--json").json)
        self.assertEqual(len(made["variants"]), 2)

    def test_import_stays_light(self):
        self.python("import sys, tacho\n"
                    "heavy = {'tacho._query', 'subprocess', 'datetime', 'html'} & set(sys.modules)\n"
                    "assert not heavy, heavy\n"
                    "assert 'runs' in dir(tacho)\n"
                    "from tacho import runs")


class Live(QueryCase):
    def test_a_running_run_has_its_config_and_history(self):
        code = ("import sys, tacho; run = tacho.init(config={'lr': 0.1}); run.log({'loss': 3}, step=7)\n"
                "print('up', flush=True); sys.stdin.read()")
        process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.assertEqual(process.stdout.readline(), b"up\n")
        wait_until(lambda: tacho.get_run().history(), "history")
        run = tacho.get_run()
        self.assertEqual(run.outcome, "running")  # its seconds, if known, are those so far
        self.assertEqual(run.history("loss")["loss"].step, [7])
        wait_until(lambda: tacho.get_run().config == {"lr": 0.1}, "config")
        process.communicate()
        self.assertEqual(tacho.get_run().outcome, "ok")

    COMPARE = "import sys, tacho\nprint(tacho.compare(cmd=[{!r}, {!r}], repeat=5, max_repeat=5)['id'])"

    def test_a_comparison_shows_its_progress_on_a_terminal(self):
        ours, its = os.openpty()
        process = self.begin(self.COMPARE.format("true a", "true b"), its)
        os.close(its)
        shown = b""
        try:
            while data := os.read(ours, 4096):
                shown += data
        except OSError:  # the end of a terminal's output
            pass
        self.assertEqual(process.communicate()[0], "1\n", shown)
        self.assertEqual(process.returncode, 0)
        self.assertIn(b"block 1 of 5", shown)

    def test_a_comparison_says_why_it_failed(self):
        with self.assertRaisesRegex(tacho.Error, "no-such"):
            tacho.compare(cmd=["/no-such/program", "true"])

    def test_an_interrupted_comparison_is_kept(self):
        process = self.begin(self.COMPARE.format("sleep 600", "sleep 601"), subprocess.PIPE)
        wait_until(lambda: any(Path(f"/proc/{pid}/comm").read_text() == "sleep\n"
                               for pid in processes_of(self.home)), "program")
        process.send_signal(signal.SIGINT)
        self.assertIn("KeyboardInterrupt", process.communicate(timeout=300)[1])
        self.assertEqual(self.tacho("compare", "ls", "--json").json[0]["id"], 1)
        wait_until(lambda: not processes_of(self.home), "end of the processes")

    def test_a_missing_program_is_an_error_with_the_fix(self):
        os.environ["PATH"] = "/nonexistent"
        with self.assertRaisesRegex(tacho.Error, "^the program tacho is missing; install the wheel, "):
            tacho.runs()


if __name__ == "__main__":
    unittest.main()
