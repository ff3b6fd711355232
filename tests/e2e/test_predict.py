"""tacho predict: single jobs, files of jobs, GPUs given by data sheet, and invalid input."""

import csv
import io
import shutil
import time
import unittest
from pathlib import Path

from tacho_case import SharedHomeCase

COLUMNS = ("model,family,framework,precision,layout,gpu,num_gpus,num_nodes,batch_per_gpu,gmacs,"
           "macts_M,params_M,input_shape,data_kind")
JOB = "resnet50,cnn,PyTorch 1.12 (timm),amp,nhwc,RTX3090,1,1,256,4.11,11.11,25.56,3x224x224,synthetic"
SHEET = """name: RTX3095
architecture: Ampere
multiprocessors: 90
fp32_tflops: 40
tf32_tflops: 40
half_tflops: 80
memory_gb: 24
memory_gb_per_s: 1100
nvlink_gb_per_s: 112.5
"""


class Predict(SharedHomeCase):
    def write(self, name, text):
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def speeds(self, *gpus, options=()):
        return [self.tacho("predict", "resnet50", "--gpu", gpu, "-b", "128", "--precision", "amp",
                           "--json", *options).json["samples_per_s"] for gpu in gpus]

    def test_one_job_has_a_speed_within_its_interval(self):
        said = self.tacho("predict", "resnet50", "--gpu", "rtx 3090", "-b", "256", "--precision",
                          "amp", "--framework", "PyTorch 1.12 (timm)", "--layout", "nchw", "--json")
        answer = said.json
        self.assertEqual(answer["gpu"], "RTX3090")
        self.assertTrue(answer["in_domain"])
        self.assertTrue(answer["fits"])
        self.assertLess(answer["low90"], answer["samples_per_s"])
        self.assertLess(answer["samples_per_s"], answer["high90"])
        published = 826.06
        self.assertLess(answer["low90"], published)
        self.assertLess(published, answer["high90"])
        text = self.tacho("predict", "resnet50", "--gpu", "RTX3090", "-b", "256").out
        self.assertIn("samples/s", text)

    def test_a_faster_gpu_of_the_same_family_is_never_slower(self):
        for family in (("RTX3070", "RTX3080", "RTX3090"), ("A100-SXM4-40GB", "A100-SXM4-80GB"),
                       ("V100-PCIE-16GB", "V100-SXM2-16GB"), ("H100-SXM5-80GB", "H200-SXM-141GB")):
            speeds = self.speeds(*family)
            self.assertEqual(speeds, sorted(speeds), family)

    def test_a_larger_batch_never_needs_less_memory(self):
        needed = [self.tacho("predict", "resnet50", "--gpu", "H100", "-b", batch, "--json")
                  .json["memory_gb"] for batch in ("1", "8", "64", "512", "100000")]
        self.assertEqual(needed, sorted(needed))
        self.assertFalse(self.tacho("predict", "resnet50", "--gpu", "H100", "-b", "100000",
                                    "--json").json["fits"])

    def test_a_gpu_is_described_by_its_data_sheet(self):
        sheet = self.write("gpu.yaml", SHEET)
        base, = self.speeds("RTX3090")
        better, = self.speeds("RTX3095", options=("--gpu-spec", sheet))
        self.assertGreaterEqual(better, base)
        known = self.write("known.yaml", SHEET.replace("RTX3095", "RTX3090"))
        said = self.tacho("predict", "resnet50", "--gpu-spec", known, "-b", "64")
        self.assertIn("1 × RTX3090", said.out)
        broken = self.write("broken.yaml", SHEET.replace("memory_gb:", "memory:"))
        said = self.tacho("predict", "resnet50", "--gpu-spec", broken, expect=2)
        self.assertIn("memory_gb", said.err)

    def test_a_file_keeps_its_rows_and_gets_columns(self):
        rows = "\n".join([COLUMNS + ",mine", JOB + ",a", "unheard of,,,,,A100,1,1,8,,,,,,b",
                          "resnet50,,,,,TPUv2,8,1,8,,,,,,c"])
        said = self.tacho("predict", "--from", self.write("in.csv", rows), "--out",
                          self.home / "out.csv")
        self.assertEqual(said.code, 0, said.err)
        found = list(csv.DictReader(io.StringIO((self.home / "out.csv").read_text())))
        self.assertEqual([row["mine"] for row in found], ["a", "b", "c"])
        self.assertEqual([row["in_domain"] for row in found], ["true", "false", "false"])
        self.assertLess(float(found[0]["low90"]), float(found[0]["samples_per_s"]))
        self.assertIn("gmacs", found[1]["reason"])
        self.assertEqual(found[2]["samples_per_s"], "")

    def test_ten_thousand_rows_take_seconds(self):
        gpus = ("RTX3090", "A100-SXM4-40GB", "H100-SXM5-80GB", "T4", "V100-SXM2-16GB")
        rows = [COLUMNS]
        for i in range(10000):
            rows.append(f"net{i % 50},cnn,PyTorch 1.12 (timm),amp,nhwc,{gpus[i % 5]},1,1,"
                        f"{8 << i % 6},{1 + i % 7},{5 + i % 11},{10 + i % 13},3x224x224,synthetic")
        path = self.write("many.csv", "\n".join(rows) + "\n")
        begun = time.monotonic()
        said = self.tacho("predict", "--from", path, "--out", self.home / "many-out.csv")
        took = time.monotonic() - begun
        self.assertEqual(said.code, 0, said.err)
        self.assertEqual(len((self.home / "many-out.csv").read_text().splitlines()), 10001)
        print(f"10,000 rows in {took:.1f} s")

    def test_an_evaluation_writes_one_row_per_held_out_job(self):
        jobs = COLUMNS + ",samples_per_s,source_id\n"
        for gpu, speed in (("RTX3090", 1.0), ("V100-SXM2-16GB", 0.8), ("A100-PCIE-40GB", 1.9),
                           ("T4", 0.4)):
            for batch in (16, 32, 64, 128):
                jobs += (f"resnet50,cnn,PyTorch (made),amp,nhwc,{gpu},1,1,{batch},4.11,11.11,25.56,"
                         f"3x224x224,synthetic,{700 * speed * batch / (batch + 10):.1f},made\n")
        catalog = self.home / "catalog"
        shutil.copytree(Path(__file__).parents[2] / "data" / "catalog", catalog)
        self.write("catalog/throughput.csv", jobs)
        rows = self.home / "rows.csv"
        self.tacho("evaluate", "--split", "unseen-gpu", "--folds", "2", "--catalog", catalog,
                   "--rows", rows)
        written = list(csv.DictReader(io.StringIO(rows.read_text())))
        self.assertEqual(len(written), 16)
        self.assertEqual({row["split"] for row in written}, {"unseen-gpu"})
        self.assertEqual({row["gpu"] for row in written},
                         {"RTX3090", "V100-SXM2-16GB", "A100-PCIE-40GB", "T4"})
        for row in written:
            self.assertGreater(float(row["predicted_step_s"]), 0)
            self.assertGreaterEqual(float(row["times_off_90"]), 1)

    def test_own_runs_exclude_the_shipped_ones(self):
        own = self.tacho("evaluate", "--split", "own", "--json").json
        self.assertEqual((own["own_step"], own["own_memory"], own["shipped_step"]), ([], [], []))
        said = self.tacho("evaluate", "--split", "own")
        self.assertIn("own: no machine has the 20 configurations", said.out)
        self.assertNotIn("H200", said.out)
        shipped = self.tacho("evaluate", "--split", "shipped", "--own-folds", "2", "--json").json
        self.assertEqual(shipped["own_step"], [])
        self.assertIn("NVIDIA H200", {score["machine"] for score in shipped["shipped_step"]})
        self.assertEqual(self.tacho("evaluate", "--regret", "own", "--json").json, [])

    def test_invalid_input_is_rejected_with_its_position_and_a_suggestion(self):
        for text, words in (
                ("", ("empty",)),
                (COLUMNS.replace("gpu,", "gpuu,") + "\n", ("'gpu' is missing", "gpuu")),
                (COLUMNS + "\n" + JOB.replace("RTX3090", "RTX3091") + "\n", ("line 2", "RTX3090")),
                (COLUMNS + "\n" + JOB.replace(",256,", ",-256,") + "\n", ("batch_per_gpu", "-256")),
                (COLUMNS + "\n" + JOB.replace(",256,", ",lots,") + "\n", ("batch_per_gpu", "lots")),
                (COLUMNS + "\n" + JOB.replace(",4.11,", ",nan,") + "\n", ("gmacs", "nan")),
                (COLUMNS + "\n" + JOB.replace(",amp,", ",apm,") + "\n", ("amp",)),
                (COLUMNS + "\nresnet50\n", ("line 2",))):
            out = self.home / "never.csv"
            said = self.tacho("predict", "--from", self.write("bad.csv", text), "--out", out,
                              expect=2)
            for word in words:
                self.assertIn(word, said.err)
            self.assertFalse(out.exists())
        self.tacho("predict", "resnet50", "--gpu", "H1000", expect=2)
        self.tacho("predict", "nobodys_model", expect=2)
        self.tacho("predict", expect=2)

    def test_software_that_is_not_known_is_refused(self):
        for options, words in ((("--gpu", "H100"), "did you mean 'pytorch'"),
                               (("--gpu", "H100", "--data", "cifar10", "-b", "64", "-e", "2"),
                                "did you mean 'pytorch'"),
                               (("-b", "64"), "--gpu")):
            said = self.tacho("predict", "resnet18", *options, "--software", "pytroch", expect=2)
            self.assertIn(words, said.err)
        said = self.tacho("predict", "--sequence", "512", "--software", "foo", expect=2)
        self.assertIn("not for decoder models", said.err)

    def test_a_dataset_that_does_not_fit_the_model_is_refused(self):
        for model, data, words in (("ncf", "cifar10", "another task than cifar10"),
                                   ("bert_large", "cifar10", "reads text"),
                                   ("resnet50", "sst2", "reads images")):
            for options in ((), ("-e", "3")):
                said = self.tacho("predict", model, "--data", data, "--gpu", "H100", "-b", "64",
                                  *options, expect=2)
                self.assertIn(words, said.err)
        said = self.tacho("predict", "distilbert", "--data", "cifar10", "--device", "cpu", expect=2)
        self.assertIn("distilbert reads text, but cifar10 holds images", said.err)

    def test_a_machine_without_a_gpu_is_predicted(self):
        said = self.tacho("predict", "mnist-cnn", "-b", "96", "--device", "cpu")
        self.assertIn("on this machine", said.out)
        self.assertIn("basis", said.out)
        rented = ("predict", "lenet5", "--data", "mnist", "--instance", "c7i.xlarge", "--json")
        small, large = (self.tacho(*rented, "-b", batch).json for batch in ("64", "512"))
        for key in ("step_seconds", "memory_bytes"):
            self.assertLess(small[key]["low90"], small[key]["value"])
            self.assertLess(small[key]["value"], small[key]["high90"])
            self.assertLess(small[key]["value"], large[key]["value"])
        whole = self.tacho(*rented, "-b", "64", "-e", "3").json
        self.assertEqual(whole["machine"], "c7i.xlarge")
        self.assertAlmostEqual(whole["total_seconds"]["value"],
                               3 * whole["epoch_seconds"]["value"])
        steps = 60000 / 64
        self.assertGreater(whole["epoch_seconds"]["value"], steps * small["step_seconds"]["value"])
        self.assertGreater(whole["cost"]["dollars"]["value"], 0)
        for options, words in ((("--instance", "c7i.xlarg"), "c7i.xlarge"),
                               (("--instance", "c7i.xlarge", "--gpu", "H100"), "leave out"),
                               (("--instance", "g5.xlarge"), "--gpu A10G")):
            self.assertIn(words, self.tacho("predict", "lenet5", *options, expect=2).err)
        self.tacho("predict", "mnist-cnn", "-b", "0.5", "--device", "cpu", expect=2)

    def test_train_options_are_accepted(self):
        with_words = self.tacho("predict", "mnist-cnn", "-b", "96", "--", "--threads", "1", expect=None)
        self.assertNotEqual(with_words.code, 2, with_words.err)
        wrong = self.tacho("predict", "mnist-cnn", "-b", "96", "--", "--treads", "1", expect=2)
        self.assertIn("--treads", wrong.err)
        self.assertIn("after --", self.tacho("predict", "mnist-cnn", "lenet5", expect=2).err)

    def test_a_damaged_model_is_rejected_and_the_shipped_one_works(self):
        damaged = self.write("speed.json", "{\"tacho_speed_model\": 1}")
        said = self.tacho("predict", "resnet50", "--gpu", "H100", "--speed-model", damaged,
                          expect=2)
        self.assertIn("speed.json", said.err)


if __name__ == "__main__":
    unittest.main()
