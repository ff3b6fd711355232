import subprocess
import sys
import unittest

from tacho_case import TachoCase
from toy_data import write_images


class FullDisk(TachoCase):
    """From a disk that cannot hold the store to one that cannot hold the second checkpoint."""

    def setUp(self):
        super().setUp()
        self.images = write_images(self.new_folder())

    def mount(self, *options):
        mounted = subprocess.run(["mount", *options, str(self.home)], stderr=subprocess.PIPE,
                                 text=True)
        if mounted.returncode != 0:
            reason = f"SKIPPED: mounting a small disk is not permitted: {mounted.stderr.strip()}"
            print(reason, file=sys.stderr)
            self.skipTest(reason)

    def unmount(self):
        subprocess.run(["umount", str(self.home)], check=True)

    def fill(self, size):
        """Trains on a disk of `size`, then makes room and goes on."""
        self.mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs")
        try:
            said = self.tacho("train", "lenet5", "--data", "fashion-mnist", "--data-dir",
                              self.images, "--batch", 32, "--epochs", 3, "--threads", 1, "--json",
                              expect=1)
            self.assert_one_error_line(said)
            self.assertRegex(said.err, "disk full|No space left on device")
            self.mount("-o", "remount,size=16m")
            for run in self.runs():
                self.assertEqual(run["outcome"], "failed")
                resumed = self.tacho("train", "--resume", run["id"], "--json").json
                self.assertEqual((resumed["outcome"], len(resumed["epochs"])), ("ok", 3))
            known = {run["key"] for run in self.runs()}
            self.assertEqual({folder.name for folder in self.folders()}, known)
        finally:
            self.unmount()

    def test_a_full_disk_is_one_clear_message_and_the_store_opens_once_there_is_room(self):
        for size in ("60k", "250k", "400k", "600k", "1m"):
            with self.subTest(size):
                self.fill(size)


if __name__ == "__main__":
    unittest.main()
