"""Minimal images made without a registry: busybox and a few folders."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAMS = ["sh", "cat", "env", "sleep", "true", "dd", "kill", "pwd", "id", "echo", "ls"]
# With TACHO_COMPONENTS=required, engines that bootstrap installs must not be missing.
REQUIRED = os.environ.get("TACHO_COMPONENTS") == "required" and os.geteuid() == 0
INSTALLED = ("podman", "charliecloud")


def run(*words, **options):
    return subprocess.run(words, check=True, capture_output=True, text=True, **options).stdout


class NotHere(Exception):
    """An engine, or something needed for its image, is not available on this machine."""


class Image:
    """An image of one engine; close() removes it."""

    def __init__(self, kind):
        self.kind = kind
        self.folder = Path(tempfile.mkdtemp(prefix="tacho-image-"))
        self.root = self.folder / "root"
        self.name = ""
        try:
            self._check_engine()
            self._make_root()
        except BaseException:
            self.close()
            raise

    def _check_engine(self):
        program = {"charliecloud": "ch-run"}.get(self.kind, self.kind)
        if not shutil.which(program):
            raise NotHere(f"{self.kind} is not installed")
        if self.kind == "docker" and subprocess.run(["docker", "version"],
                                                    capture_output=True).returncode != 0:
            raise NotHere("docker's daemon does not answer")
        if not shutil.which("busybox"):
            raise NotHere("busybox is not installed")

    def _make_root(self):
        for name in ("bin", "tmp", "proc", "sys", "dev", "etc/alternatives", "root", "mnt", "usr",
                     "run", "var"):
            (self.root / name).mkdir(parents=True)
        # With /usr mounted, the machine's programs and libraries have their usual paths.
        for name in ("lib", "lib64"):
            (self.root / name).symlink_to(f"usr/{name}")
        shutil.copy(shutil.which("busybox"), self.root / "bin/busybox")
        for name in PROGRAMS:
            (self.root / "bin" / name).symlink_to("busybox")
        (self.root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
        (self.root / "etc/group").write_text("root:x:0:\n")
        for name in ("hosts", "resolv.conf"):
            (self.root / "etc" / name).write_text("")

    def handed_over(self):
        """The value of --env."""
        if self.kind in ("podman", "docker"):
            archive = self.folder / "root.tar"
            run("tar", "-C", str(self.root), "-cf", str(archive), ".")
            name = f"localhost/tacho-e2e:{os.getpid()}"
            run(self.kind, "import", str(archive), name)
            self.name = name
            return f"{self.kind}:{name}"
        return f"{self.kind}:{self.root}"

    def close(self):
        if self.name:
            subprocess.run([self.kind, "rmi", "--force", self.name], capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)


def open_image(kind):
    """Returns an Image, or skips the test class with the reason."""
    try:
        return Image(kind)
    except NotHere as why:
        if REQUIRED and kind in INSTALLED:
            raise AssertionError(f"{kind} is required here: {why}") from None
        print(f"SKIPPED: {kind}: {why}", flush=True)
        raise unittest.SkipTest(str(why)) from None
