"""The Python package: runs that a program logs, with and without tacho run."""

import os
import signal
import sys
import time
import unittest

from python_case import PythonCase
from tacho_case import wait_until

TRAIN = """
import tacho
with tacho.init(project='digits', name='base', tags=['small'], config={'lr': 0.1}) as run:
    for step in range(1, 101):
        with tacho.step():
            loss = 1 / step
        run.log({'loss': loss, 'eval': {'top1': 0.5}}, step=step)
    run.config.batch = 64
    run.summary['best'] = loss
"""
# What nanoGPT and common scripts call.
WANDB = """
import argparse
import tacho as wandb
wandb.login()
args = argparse.Namespace(lr=0.1, layers=2)
wandb.init(project='owt', entity='us', name='gpt2', config=args, settings=wandb.Settings(console='off'))
wandb.config.update({'batch': 12}, allow_val_change=True)
assert (wandb.config.lr, wandb.config['batch'], wandb.config.get('none', 7)) == (0.1, 12, 7)
wandb.define_metric('train/*', step_metric='iter')
wandb.watch(object(), log='all')
for it in range(0, 50, 10):
    wandb.log({'iter': it, 'train/loss': 4 - it / 100, 'sample': wandb.Image([[0]]), 'mfu': float('nan')})
wandb.log({'text': 'no number'}, commit=False)
table = wandb.Table(columns=['a'])
table.add_data(1)
wandb.run.log_artifact(wandb.Artifact('model', type='model'))
assert wandb.run.summary['train/loss'] == 3.6
wandb.save('model.pt')
wandb.finish()
"""


class Python(PythonCase):
    def check_training(self, record):
        self.assertEqual((record["outcome"], record["reason"]), ("ok", ""))
        losses = {f["step"]: f["values"]["loss"] for f in record["figures"] if "loss" in f["values"]}
        self.assertEqual(losses, {step: 1 / step for step in range(1, 101)})
        self.assertEqual(record["figures"][-1]["values"], {"best": 0.01})
        self.assertEqual(record["figures"][0]["values"]["eval.top1"], 0.5)
        self.assertEqual(record["described"], {
            "name": "base", "project": "digits", "tags": ["small"],
            "config": {"lr": "0.1", "batch": "64"}})
        self.assertEqual(record["metrics"]["steps_done"], 100)
        self.assertLess(record["metrics"]["step_s"], 0.01)

    def test_a_program_that_is_started_plainly_is_recorded(self):
        self.assertEqual(self.python(TRAIN), "")
        self.check_training(self.record())
        self.assertEqual([run["model"] for run in self.runs()], ["base"])
        usage = (self.folders().pop() / "usage.jsonl").read_text()
        self.assertNotIn('"processes":2', usage)  # that which records is not counted
        self.assertGreater(self.record()["metrics"]["run_memory"], 1 << 20)
        said = self.tacho("runs", "show", "last").out
        self.assertIn("config    batch=64, lr=0.1\n", said)
        self.assertIn("100 steps marked by the program", said)

    def test_within_tacho_run_there_is_one_run(self):
        self.tacho("run", "-q", "--", sys.executable, "-c", TRAIN)
        self.check_training(self.record())
        self.assertEqual(len(self.runs()), 1)

    def test_scripts_for_wandb_run_unchanged(self):
        err = self.python(WANDB)
        self.assertEqual(sorted(line.split(" ")[2] for line in err.splitlines()),
                         ["artifacts", "sample", "text"], err)
        record = self.record()
        self.assertEqual(record["outcome"], "ok")
        losses = [(f["step"], f["values"]["train/loss"]) for f in record["figures"]]
        self.assertEqual(losses, [(0, 4), (10, 3.9), (20, 3.8), (30, 3.7), (40, 3.6)])
        self.assertEqual(record["described"]["config"], {"batch": "12", "layers": "2", "lr": "0.1"})

    def test_says_how_a_program_ended(self):
        for end, code, outcome, reason in (
                ("raise ValueError('no such layer')", 1, "failed", "ValueError: no such layer"),
                ("raise MemoryError('8 GiB')", 1, "out_of_memory", "MemoryError: 8 GiB"),
                ("raise KeyboardInterrupt", -signal.SIGINT, "cancelled", "stopped by the user"),
                ("import sys; sys.exit(3)", 3, "failed", "exit code 3"),
                ("import sys; sys.exit()", 0, "ok", ""),
                ("tacho.finish(exit_code=4)", 0, "failed", "exit code 4")):
            self.python(f"import tacho; tacho.init(); {end}", code)
            record = self.record()
            self.assertEqual((record["outcome"], record["reason"]), (outcome, reason), end)

    def test_a_killed_program_loses_at_most_the_last_second(self):
        process = self.begin("import tacho, time; run = tacho.init()\nstep = 0\nwhile True:\n"
                             "  run.log({'t': time.time()}, step=step); step += 1; time.sleep(0.001)")
        folder = self.new_run_folder(set())
        logged = wait_until(lambda: list(folder.glob("logged/*.jsonl")), "logged file")[0]
        wait_until(lambda: logged.stat().st_size > 100_000, "1000 lines")
        process.kill()
        killed = time.time()
        process.communicate()
        wait_until(lambda: self.record()["outcome"] != "running", "end of the run")
        record = self.record()
        self.assertIn("killed", record["reason"])
        self.assertLess(killed - record["figures"][-1]["values"]["t"], 1)

    def test_ctrl_c_of_the_dashboard_reaches_the_program(self):
        process = self.begin("import tacho, time; run = tacho.init(); print('up', flush=True)\n"
                             "time.sleep(600)")
        self.assertEqual(process.stdout.readline(), "up\n")
        owner = int((self.folders().pop() / "owner").read_text())
        self.assertNotEqual(owner, process.pid)
        os.kill(owner, signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(self.record()["outcome"], "cancelled")

    def test_eight_programs_at_once(self):
        programs = [self.begin(TRAIN) for _ in range(8)]
        for program in programs:
            self.assertEqual(program.communicate(timeout=300)[1], "")
        for run in range(1, 9):
            self.check_training(self.record(run))

    def test_processes_of_multiprocessing_have_their_own_runs_if_they_begin_them(self):
        self.python("import multiprocessing as m, tacho\n"
                    "def work(i): tacho.init(name=f'w{i}'); tacho.log({'x': i})\n"
                    "tacho.init(name='parent')\n"
                    "all = [m.get_context('fork').Process(target=work, args=(i,)) for i in range(3)]\n"
                    "[p.start() for p in all]; [p.join() for p in all]")
        self.assertEqual(sorted((run["model"], run["outcome"]) for run in self.runs()),
                         [("parent", "ok"), ("w0", "ok"), ("w1", "ok"), ("w2", "ok")])

    def test_a_forked_process_logs_to_the_same_run(self):
        self.python("import os, sys, tacho; tacho.init(); tacho.log({'a': 1})\n"
                    "child = os.fork()\n"
                    "if child == 0: tacho.log({'b': 2}); sys.exit(5)\n"
                    "os.waitpid(child, 0); tacho.log({'a': 3})")
        record = self.record()
        self.assertEqual(record["outcome"], "ok")
        seen = [f["values"] for f in record["figures"]]
        self.assertCountEqual(seen, [{"a": 1}, {"b": 2}, {"a": 3}])
        self.assertEqual(len(self.runs()), 1)

    def test_a_full_disk_is_a_note(self):
        limit = "import resource, tacho; run = tacho.init()\n" \
                "def limit(size): resource.setrlimit(resource.RLIMIT_FSIZE, (size, -1))\n" \
                "limit(4000)\n" \
                "for i in range(1000): run.log({'loss': i})\n"
        freed = "import time\nwhile not run._events._failed: time.sleep(0.01)\n" \
                "limit(-1)\nwhile run._events._failed: time.sleep(0.01)\n"
        for code, complete in ((limit, False), (limit + freed, True)):
            err = self.python(code)
            self.assertEqual(err.count("\n"), 1, err)
            self.assertIn("is not recorded now: File too large; make ", err)
            self.assertEqual(self.record()["outcome"], "ok")
            self.assertEqual(len(self.record().get("figures", [])) == 1000, complete)

    def test_a_config_that_cannot_be_read_is_a_note(self):
        err = self.python("import tacho\nfrom collections import UserDict\nclass Missing(UserDict):\n"
                          "    def __getitem__(self, name): raise RuntimeError('no value')\n"
                          "tacho.init(config=Missing(lr=1)).log({'a': 1})")
        self.assertIn("tacho: note: the config is not recorded: RuntimeError: no value", err)
        self.assertEqual(self.record()["outcome"], "ok")

    def test_a_missing_program_is_a_note(self):
        err = self.python("import tacho\nwith tacho.init() as run: run.log({'a': 1}); run.config.b = 2",
                          PATH="/nonexistent")
        self.assertIn("this program is not recorded: the program tacho is missing", err)
        err = self.python("import tacho\nwith tacho.init() as run: run.log({'a': 1})",
                          TACHO_HOME="/proc/no-such")
        self.assertIn("this program is not recorded: tacho: ", err)

    def test_log_takes_less_than_20_microseconds(self):
        self.python("import time, resource, tacho; run = tacho.init(); count = 200000\n"
                    "before = resource.getrusage(0).ru_maxrss; began = time.thread_time()\n"
                    "for i in range(count): run.log({'loss': 1 / (i + 1), 'lr': 1e-3}, step=i)\n"
                    "each = (time.thread_time() - began) / count\n"
                    "assert each < 20e-6, each\n"
                    "more = resource.getrusage(0).ru_maxrss - before\n"
                    "assert more < 64 << 10, f'{more} KiB'")
        self.assertEqual(self.record()["figures"][-1]["step"], 199999)

    def test_log_without_init_is_an_error(self):
        self.assertIn("call tacho.init() first", self.python("import tacho; tacho.log({})", 1))


if __name__ == "__main__":
    unittest.main()
