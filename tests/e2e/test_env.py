"""Tests of `tacho env ls`."""

import unittest

from tacho_case import TachoCase

ALL = ["bare", "docker", "podman", "apptainer", "singularity", "charliecloud"]


class Env(TachoCase):
    def test_every_environment_is_available_or_has_a_reason(self):
        engines = self.tacho("env", "ls", "--json").json
        self.assertEqual([engine["environment"] for engine in engines], ALL)
        for engine in engines:
            with self.subTest(engine["environment"]):
                self.assertEqual(engine["available"], bool(engine["version"]))
                self.assertNotEqual(engine["available"], bool(engine["problem"]))

    def test_a_machine_without_engines_says_how_to_get_them(self):
        said = self.tacho("env", "ls", env={"PATH": "/not/there"})
        self.assertIn("bare", said.out)
        self.assertIn("podman is not installed; apt-get install podman runc catatonit", said.out)
        self.assertIn("docker is not installed; apt-get install docker.io", said.out)


if __name__ == "__main__":
    unittest.main()
