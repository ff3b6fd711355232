"""The Debian package is installed in a clean Debian and used there and in a container image. Needs root,
mmdebstrap, podman and a reachable mirror."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

from tacho_case import TACHO

ROOT = Path(__file__).resolve().parents[2]
REQUIRED = os.environ.get("TACHO_COMPONENTS") == "required" and os.geteuid() == 0


def skip(reason):
    print(f"SKIPPED: {reason}", file=sys.stderr, flush=True)
    raise unittest.SkipTest(reason)


def said(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def mirror_answers():
    """True if the first of apt's mirrors is reachable, through apt's proxy if there is one."""
    addresses = said("apt-get", "indextargets", "--format", "$(REPO_URI)dists/$(RELEASE)/InRelease",
                     "Created-By: Packages").split()
    proxy = said("apt-config", "dump", "--format=%v%n", "Acquire::http::Proxy").strip()
    handlers = [urllib.request.ProxyHandler({"http": proxy})] if proxy else []
    try:
        with urllib.request.build_opener(*handlers).open(addresses[0], timeout=20) as answer:
            return answer.status == 200
    except (OSError, IndexError, ValueError):
        return False


def setUpModule():
    if os.geteuid() != 0:
        skip("only root can make a clean Debian to install into")
    missing = [program for program in ("mmdebstrap", "podman", "dpkg-shlibdeps", "strip")
               if not shutil.which(program)]
    if missing:
        reason = f"not installed: {', '.join(missing)}"
        if REQUIRED:
            raise AssertionError(reason)
        skip(reason)
    if not mirror_answers():
        skip("no mirror of Debian answers")


class Package(unittest.TestCase):
    def test_it_works_in_a_clean_debian_and_in_a_container(self):
        with tempfile.TemporaryDirectory(prefix="tacho-package-") as out:
            done = subprocess.run([ROOT / "script" / "package", "--try", "--image", out], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  env={**os.environ, "TACHO_BIN": str(Path(TACHO).parent)})
            print(done.stdout, file=sys.stderr)
            self.assertEqual(done.returncode, 0)
            self.assertEqual(done.stdout.count("lenet5 on fashion-mnist, batch 64, seed 1  ok"), 2)
            self.assertIn("installed, tested and removed in a clean Debian", done.stdout)
            kinds = sorted(Path(name).suffix for name in os.listdir(out))
            self.assertEqual(kinds, [".deb", ".tar"])


if __name__ == "__main__":
    unittest.main()
