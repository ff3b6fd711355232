"""Checks documents with Kubernetes' published schema (npm's kubernetes-models)."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).parent
FILES = ("package.json", "package-lock.json", "check_documents.mjs")


class Schema:
    """Installed once per test module; skips the module if that fails."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tacho-k8s-"))
        unittest.addModuleCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        for name in FILES:
            shutil.copy(HERE / name, self.folder)
        reason = self.install()
        if reason and os.environ.get("TACHO_COMPONENTS") == "required":
            raise AssertionError(reason)
        if reason:
            print(f"SKIPPED: no schema to check manifests with: {reason}", file=sys.stderr)
            raise unittest.SkipTest(reason)

    def install(self):
        if not shutil.which("npm"):
            return "npm is not installed; run script/bootstrap"
        command = ["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=200)
        return f"npm ci: {done.stderr.strip()}" if done.returncode else ""

    def check(self, lines):
        """Checks documents, one JSON line each."""
        return subprocess.run(["node", "check_documents.mjs"], cwd=self.folder,
                              input="\n".join(lines), capture_output=True, text=True, timeout=120)
