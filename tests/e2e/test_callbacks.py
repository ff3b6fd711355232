"""Callbacks of Hugging Face, Lightning and Accelerate, called by stand-ins of the frameworks in frameworks/."""

import shutil
import sys
import unittest
from pathlib import Path

from python_case import PythonCase

FRAMEWORKS = Path(__file__).parent / "frameworks"
STEP_SECONDS = 0.002
MODEL = f"""
import sys, time
class Model:
    config = hparams = {{"hidden": 16, "lr": 0.1}}
    steps = 0
    def step(self):
        self.steps += 1
        if sys.argv[1:] == ["fail"] and self.steps == 7:
            raise ValueError("no such layer")
        time.sleep({STEP_SECONDS})
"""
HUGGING_FACE = MODEL + """
import tacho.huggingface
from transformers import Trainer, TrainingArguments
trainer = Trainer(Model(), TrainingArguments(
    run_name="bert", report_to="tacho", seed=None, optim_args={"eps": 1e-8}))
trainer.train()
trainer.predict()
"""
LIGHTNING = MODEL + """
from PACKAGE import Trainer
from tacho.lightning import TachoCallback, TachoLogger
Trainer(TachoLogger("digits", tags=["small"]), [TachoCallback()], accumulate_grad_batches=2).fit(Model())
"""
ACCELERATE = MODEL + """
import tacho.accelerate
from accelerate import Accelerator
accelerator = Accelerator(log_with="tacho")
accelerator.init_trackers("digits", config=Model.hparams, init_kwargs={"tacho": {"name": "base"}})
model = Model()
for step in range(10):
    with tacho.step():
        model.step()
    accelerator.log({"loss": 1 / (step + 1)}, step=step)
accelerator.get_tracker("tacho", unwrap=True)
accelerator.end_training()
"""
PROGRAMS = (HUGGING_FACE, LIGHTNING.replace("PACKAGE", "lightning.pytorch"), ACCELERATE)


class Callbacks(PythonCase):
    def setUp(self):
        super().setUp()
        copies = self.new_folder()
        shutil.copytree(FRAMEWORKS / "lightning/pytorch", copies / "pytorch_lightning")
        self.python_path = [*self.python_path, FRAMEWORKS, copies]

    def figures(self, name, run="last"):
        return [(seen["step"], seen["values"][name]) for seen in self.record(run)["figures"]
                if name in seen["values"]]

    def check_steps(self, count):
        metrics = self.record()["metrics"]
        self.assertEqual(metrics["steps_done"], count)
        self.assertGreaterEqual(metrics["step_s"], STEP_SECONDS)

    def test_hugging_face(self):
        self.assertEqual(self.python(HUGGING_FACE), "")
        record = self.record()
        self.assertEqual(record["outcome"], "ok")
        self.assertEqual(record["described"]["name"], "bert")
        config = record["described"]["config"]
        self.assertEqual((config["learning_rate"], config["optim_args.eps"], config["model.hidden"]),
                         ("5e-05", "1e-08", "16"))
        self.assertNotIn("None", config.values())
        self.assertEqual(self.figures("train/loss"), [(step, 1 / step) for step in (2, 4, 6, 8, 10)])
        self.assertEqual(self.figures("eval/loss"), [(5, 2 / 6), (10, 2 / 11)])
        self.assertEqual(self.figures("train/train_runtime"), [(10, 1.5)])
        self.assertEqual(self.figures("test/loss"), [(10, 0.25)])
        self.check_steps(10)

    def test_hugging_face_joins_the_run_of_the_program(self):
        self.python("import tacho; tacho.init(project='mine', config={'seed': 3})" + HUGGING_FACE)
        described = self.record()["described"]
        self.assertEqual((described["project"], described["config"]["seed"]), ("mine", "3"))
        self.assertEqual(described["config"]["learning_rate"], "5e-05")

    def test_every_trial_of_a_hyperparameter_search_is_a_run(self):
        self.python(HUGGING_FACE.replace("trainer.train()", "trainer.hyperparameter_search([0.1, 0.2])"))
        self.assertEqual(len(self.runs()), 2)
        for run, (name, rate) in enumerate((("trial0", "0.1"), ("trial1", "0.2")), 1):
            described = self.record(run)["described"]
            self.assertEqual((described["name"], described["config"]["learning_rate"]), (name, rate))
            self.assertEqual(len(self.figures("train/loss", run)), 5)

    def test_step_times_leave_out_evaluation(self):
        hugging_face = "import transformers; transformers.EVALUATION_SECONDS = 1\n" + HUGGING_FACE.replace(
            "TrainingArguments(", "TrainingArguments(max_steps=2, eval_steps=1, ")
        lightning = "import lightning.pytorch; lightning.pytorch.VALIDATION_SECONDS = 0.5\n" + \
            PROGRAMS[1].replace("accumulate", "max_epochs=1, val_check_interval=1, accumulate")
        for program in (hugging_face, lightning):
            self.python(program)
            self.assertLess(self.record()["found_steps"]["p75_s"], 0.5)

    def test_both_packages_of_lightning(self):
        for package in ("lightning.pytorch", "pytorch_lightning"):
            self.assertEqual(self.python(LIGHTNING.replace("PACKAGE", package)), "")
            record = self.record()
            self.assertEqual(record["outcome"], "ok")
            described = record["described"]
            self.assertEqual((described["project"], described["tags"]), ("digits", ["small"]))
            self.assertEqual(described["config"], {"hidden": "16", "lr": "0.1"})
            self.assertEqual(self.figures("train_loss"),
                             [(epoch * 5 + i, 1 / (2 * i + 2)) for epoch in (0, 1) for i in range(5)])
            self.assertEqual(self.figures("val_loss"), [(1, 0.5), (4, 0.5), (6, 0.5), (9, 0.5)])
            self.check_steps(10)

    def test_lightning_names_the_folder_of_checkpoints(self):
        seen = "import tacho.lightning; l = tacho.lightning.TachoLogger({})\n" \
               "import sys; sys.stderr.write(f'{{l.name}}/{{l.version}}')"
        self.assertEqual(self.python(seen.format("'digits'")), "digits/1")
        self.assertEqual(self.python(seen.format(""), TACHO_HOME="/proc/no-such").splitlines()[-1], "tacho/0")

    def test_accelerate(self):
        older = "import accelerate.tracking as t; del t.register_tracker_class, t.GeneralTracker.start\n" + \
            ACCELERATE.replace('"tacho")', 'tacho.accelerate.TachoTracker("digits", name="base"))', 1)
        for program in (ACCELERATE, older):
            self.assertEqual(self.python(program), "")
            record = self.record()
            self.assertEqual(record["outcome"], "ok")
            self.assertEqual(record["described"], {"name": "base", "project": "digits", "tags": [],
                                                   "config": {"hidden": "16", "lr": "0.1"}})
            self.assertEqual(self.figures("loss"), [(step, 1 / (step + 1)) for step in range(10)])
            self.check_steps(10)

    def test_only_rank_0_records(self):
        for program in PROGRAMS:
            self.assertEqual(self.python(program, RANK="1"), "")
        self.assertEqual(self.runs(), [])

    def test_within_tacho_run_there_is_one_run(self):
        for count, program in enumerate(PROGRAMS, 1):
            self.tacho("run", "-q", "--", sys.executable, "-c", program)
            self.assertEqual(len(self.runs()), count)
            self.assertIn("config", self.record()["described"])
            self.check_steps(10)

    def test_says_how_a_training_failed(self):
        caught = LIGHTNING.replace("PACKAGE", "lightning").replace("Trainer(T", "try: Trainer(T") + \
            "except ValueError: pass\n"
        for program, code in [(program, 1) for program in PROGRAMS] + [(caught, 0)]:
            self.python("import sys; sys.argv.append('fail')\n" + program, code)
            record = self.record()
            self.assertEqual((record["outcome"], record["reason"]), ("failed", "ValueError: no such layer"))

    def test_a_failing_record_does_not_fail_the_training(self):
        for program in PROGRAMS:
            err = self.python(program, TACHO_HOME="/proc/no-such")
            self.assertRegex(err, r"^tacho: note: this program is not recorded: .*\n$")
        broken = HUGGING_FACE.replace("{\"eps\": 1e-8}", "Broken()")
        err = self.python("class Broken:\n  def __str__(self): raise OSError('no text')\n" + broken)
        self.assertIn("tacho: note: not recorded: OSError in TachoCallback.", err)
        self.assertEqual(len(self.figures("eval/loss")), 2)


if __name__ == "__main__":
    unittest.main()
