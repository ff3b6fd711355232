"""`tacho env build`: images with the worker, and training in them.

Uses podman and charliecloud with a base of only busybox, which takes seconds. With
TACHO_BUILD_ENGINES (a list of engines), uses those with a Debian base made by mmdebstrap:
script/test-environments.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import unittest

from tacho_case import INTERRUPTED, SharedHomeCase, TachoCase, wait_until

FULL = "TACHO_BUILD_ENGINES" in os.environ
ENGINES = os.environ.get("TACHO_BUILD_ENGINES", "podman charliecloud").split()
PROGRAM = {"charliecloud": "ch-run"}
IMAGE = f"localhost/tacho-e2e-build:{os.getpid()}"
TRAIN = ["train", "mnist-cnn", "--data", "synthetic", "-b", "8", "--steps", "3", "--seed", "1",
         "--threads", "1", "--json"]
FOLDERS = ["bin", "dev", "etc", "mnt", "proc", "root", "sys", "tmp"]
PROGRAMS = ["cat", "sh", "true"]


def setUpModule():
    missing = [engine for engine in ENGINES if not shutil.which(PROGRAM.get(engine, engine))]
    if not shutil.which("busybox"):
        missing.append("busybox")
    if not missing:
        return
    reason = f"not installed: {', '.join(missing)}"
    if os.environ.get("TACHO_COMPONENTS") == "required" and os.geteuid() == 0:
        raise AssertionError(reason)
    print(f"SKIPPED: {reason}", file=sys.stderr)
    raise unittest.SkipTest(reason)


def write_small_base(archive):
    """A minimal system: one program and a few folders, without a C library."""
    with tarfile.open(archive, "w:gz") as tar:
        for name in FOLDERS:
            entry = tarfile.TarInfo(f"./{name}")
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(entry)
        tar.add(shutil.which("busybox"), "./bin/busybox")
        for name in PROGRAMS:
            entry = tarfile.TarInfo(f"./bin/{name}")
            entry.type, entry.linkname = tarfile.SYMTYPE, "busybox"
            tar.addfile(entry)


def remove_images():
    for engine in ("podman", "docker"):
        if engine in ENGINES:
            subprocess.run([engine, "rmi", "--force", IMAGE], capture_output=True)


def start_and_halt(case, *words):
    """Starts a `tacho env build` that packs and never finishes."""
    folder = case.new_folder()
    tar = folder / "tar"
    tar.write_text(f"""#!/bin/sh
case $1 in --create) : > '{folder}/begun'; exec sleep 600 ;; esac
exec {shutil.which("tar")} "$@"
""")
    tar.chmod(0o755)
    going = case.start("env", "build", *words,
                       env={"PATH": f"{folder}:{os.environ['PATH']}"})
    wait_until((folder / "begun").exists, "packing")
    return going


class Images(SharedHomeCase):
    """Images that are built once for all tests."""

    def prepare(self):
        cls = type(self)
        cls.addClassCleanup(remove_images)
        cls.base = []
        if not FULL:
            archive = self.home / "base.tar.gz"
            write_small_base(archive)
            cls.base = ["--base", archive]
        cls.built = {engine: self.build(engine) for engine in ENGINES}

    def build(self, engine):
        going = self.start("env", "build", engine, *self.base, "--tag", IMAGE, "--json")
        said = going.ended(seconds=600)
        self.assertEqual(said.code, 0, said.err)
        if FULL:
            print(f"{engine}: {said.json['size_bytes'] / 2**20:.0f} MiB in "
                  f"{said.json['wall_seconds']:.1f} s", file=sys.stderr)
        return said.json

    def test_the_worker_trains_in_each_as_it_does_bare(self):
        bare = self.tacho(*TRAIN).json["steps"]["loss"]
        self.assertEqual(len(bare), 3)
        for engine in ENGINES:
            with self.subTest(engine):
                record = self.tacho(*TRAIN, "-E", self.built[engine]["word"],
                                    env={"TACHO_WORKER": ""}).json  # the image's worker
                self.assertEqual(record["steps"]["loss"], bare)
                self.assertIn(self.built[engine]["digest"], json.dumps(record))

    def test_all_of_tacho_works_inside(self):
        for engine in ENGINES:
            with self.subTest(engine):
                self.tacho("run", "-E", self.built[engine]["word"], "--", "tacho", "runs", "ls",
                           cwd=self.home)

    def test_it_prints_the_image_and_how_to_use_it(self):
        for engine in ENGINES:
            built = self.built[engine]
            self.assertEqual(built["word"], f"{engine}:{IMAGE}")
            self.assertRegex(built["digest"], "^(listing-)?sha256:[0-9a-f]{64}$")
            self.assertGreater(built["size_bytes"], 2**20)

    def test_env_ls_shows_it(self):
        images = {found["environment"]: found["images"]
                  for found in self.tacho("env", "ls", "--json").json}
        for engine in ENGINES:
            self.assertIn(IMAGE, images[engine])

    def test_equal_builds_have_the_same_digest(self):
        # Apptainer writes the build time into its files; podman takes longest.
        for engine in set(ENGINES) - ({"apptainer"} if FULL else {"apptainer", "podman"}):
            with self.subTest(engine):
                self.assertEqual(self.build(engine)["digest"], self.built[engine]["digest"])
        if {"podman", "docker"} <= set(ENGINES):
            self.assertEqual(self.built["podman"]["digest"], self.built["docker"]["digest"])

    def test_ctrl_c_keeps_the_old_image_and_no_partial_files(self):
        for engine in ENGINES:
            with self.subTest(engine):
                going = start_and_halt(self, engine, *self.base, "--tag", IMAGE)
                going.signal(signal.SIGINT)
                said = going.ended()
                self.assertEqual(said.code, INTERRUPTED)
                self.assertIn("stopped; nothing was left behind", said.err)
                self.assertFalse((self.home / "images" / "making").exists())
        self.test_env_ls_shows_it()

    def test_the_next_build_removes_leftovers_of_a_killed_one(self):
        engine = ENGINES[-1]
        going = start_and_halt(self, engine, *self.base, "--tag", IMAGE)
        making = self.home / "images" / "making"
        going.signal(signal.SIGKILL)
        going.ended()
        self.assertTrue(making.exists())
        self.build(engine)
        self.assertFalse(making.exists())


class Complaints(TachoCase):
    def complaint(self, *words, env=None):
        said = self.tacho("env", "build", *words, expect=None, env=env)
        self.assertNotEqual(said.code, 0)
        return said.err

    def test_an_invalid_base(self):
        self.assertIn("no such file; leave --base out",
                      self.complaint("charliecloud", "--base", "/not/there.tar"))
        noise = self.home / "noise.tar"
        noise.write_bytes(bytes(range(256)) * 16)
        self.assertIn("not a tar archive of a root file system",
                      self.complaint("charliecloud", "--base", noise))

    def test_an_unknown_or_missing_engine(self):
        self.assertIn("did you mean 'podman'", self.complaint("podmn"))
        self.assertIn("'bare' has no image", self.complaint("bare"))
        self.assertIn("podman is not installed; apt-get install",
                      self.complaint("podman", env={"PATH": "/not/there"}))

    def test_two_at_once(self):
        archive = self.home / "base.tar.gz"
        write_small_base(archive)
        words = ["charliecloud", "--base", archive, "--tag", "tacho-e2e"]
        first = start_and_halt(self, *words)
        self.assertIn("another 'tacho env build' is running", self.complaint(*words))
        first.signal(signal.SIGTERM)
        self.assertEqual(first.ended().code, 128 + signal.SIGTERM)


if __name__ == "__main__":
    unittest.main()
