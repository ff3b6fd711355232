import errno
import http.client
import re
import shutil
import signal
import subprocess
import sys
import unittest

from tacho_case import TachoCase, wait_until
from toy_data import write_images


class DiskCase(TachoCase):
    """A home on a separate disk that is small or read-only."""

    def mount(self, *options):
        mounted = subprocess.run(["mount", *options, str(self.home)], stderr=subprocess.PIPE,
                                 text=True)
        if mounted.returncode != 0:
            reason = f"SKIPPED: mounting a small disk is not permitted: {mounted.stderr.strip()}"
            print(reason, file=sys.stderr)
            self.skipTest(reason)

    def unmount(self):
        subprocess.run(["umount", str(self.home)], check=True)


class FullDisk(DiskCase):
    """Disks from too small for the store to too small for the second checkpoint."""

    def setUp(self):
        super().setUp()
        self.images = write_images(self.new_folder())

    def fill(self, size):
        """Trains on a disk of `size`, then frees space and resumes."""
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

    def test_a_full_disk_is_one_error_line_and_the_store_opens_after_space_is_freed(self):
        for size in ("60k", "250k", "400k", "600k", "1m"):
            with self.subTest(size):
                self.fill(size)


class Reading(DiskCase):
    """Commands that only read work on a full or read-only disk."""

    def setUp(self):
        super().setUp()
        images = write_images(self.new_folder())
        self.mount("-t", "tmpfs", "-o", "size=16m", "tmpfs")
        self.addCleanup(self.unmount)
        self.tacho("run", "-q", "--", "sh", "-c", "echo 'step 1 loss: 0.5'; head -c 1M /dev/zero")
        self.tacho("train", "mlp", "--data", "fashion-mnist", "--data-dir", images, "--batch", 32,
                   "--epochs", 1, "--threads", 1, "--json")

    def fill_to_the_last_byte(self):
        with open(self.home / "filler", "wb", buffering=0) as filler:
            for size in (1 << 16, 1 << 10, 1):
                try:
                    while True:
                        filler.write(b"\0" * size)
                except OSError as error:
                    self.assertEqual(error.errno, errno.ENOSPC)

    def assert_all_that_reads_reads(self):
        self.assertEqual(len(self.runs()), 2)
        self.tacho("runs", "show", 1)
        self.tacho("runs", "show", 2, "--json")
        self.assertEqual(len(self.tacho("runs", "export", "--json").json), 2)
        self.tacho("report", 1)
        self.tacho("report", 2, "--json")
        self.tacho("ledger")
        for words, path, found in ((("serve", "--read-only"), "/api/v1/runs", b'"total":2'),
                                   (("infer", "2"), "/model", b"mlp")):
            with self.subTest(words):
                self.assertIn(found, self.answer_of(words, path))

    def answer_of(self, words, path):
        """Starts a server, returns its answer and stops it."""
        going = self.start(*words, "--port", 0)

        def address():
            going._out.seek(0)
            said = going._out.read()
            self.assertIsNone(going.process.poll(), said)
            return re.search(r"http://[\w.-]+:(\d+)/(?:\?token=(\S+))?\n", said)
        port, token = wait_until(address, "address").groups()
        try:
            def body():
                connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=60)
                connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
                response = connection.getresponse()
                said = response.read()
                connection.close()
                return said if response.status == 200 else None
            return wait_until(body, f"answer to {path}").replace(b": ", b":")
        finally:
            going.signal(signal.SIGTERM)
            going.ended()

    def test_a_full_disk_can_be_read_and_rm_frees_space(self):
        self.fill_to_the_last_byte()
        self.assert_all_that_reads_reads()
        said = self.tacho("run", "-q", "--", "true", expect=1)
        self.assert_one_error_line(said)
        self.tacho("runs", "rm", 1)
        self.assertGreater(shutil.disk_usage(self.home).free, 1 << 20)
        self.assertEqual([run["id"] for run in self.runs()], [2])

    def test_a_read_only_disk_can_be_read_and_stays_unchanged(self):
        before = self.runs()
        self.mount("-o", "remount,ro")
        self.assert_all_that_reads_reads()
        for words in (("runs", "rm", 1), ("run", "-q", "--", "true")):
            self.assert_one_error_line(self.tacho(*words, expect=1), "Read-only file system")
        self.mount("-o", "remount,rw")
        self.assertEqual(self.runs(), before)


if __name__ == "__main__":
    unittest.main()
