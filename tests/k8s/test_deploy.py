"""Checks deploy/ without a cluster: manifests against Kubernetes' schema, each other and the programs,
the file for compose, and the script for k6."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml
from schema import Schema

DEPLOY = Path(__file__).parents[2] / "deploy"
K8S = DEPLOY / "k8s"
PLACES = ("base", "overlays/local", "overlays/gpu")
PORTS = {"infer": "8500", "serve": "8000"}  # default ports of the programs
OUR_OPTIONS = re.compile(r"--[a-z-]+")


def setUpModule():
    global check
    check = Schema().check


def documents(text):
    return [document for document in yaml.safe_load_all(text) if document]


def files_of(place):
    return sorted(path for path in (K8S / place).glob("*.yaml") if path.name != "kustomization.yaml")


def rendered(place):
    done = subprocess.run(["kubectl", "kustomize", K8S / place], capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 0, done.stderr
    return documents(done.stdout)


def why_not_rendered():
    """Reason why kubectl cannot render the manifests: older versions have an old kustomize."""
    if not shutil.which("kubectl"):
        return "kubectl is not installed"
    version = subprocess.run(["kubectl", "version", "--client"], capture_output=True, text=True).stdout
    found = re.search(r"v1\.(\d+)|Minor:\"(\d+)", version)
    if found is None or int(found[1] or found[2]) < 23:
        return f"kubectl is too old to render deploy/k8s: {version.strip()}"
    return ""


class Files(unittest.TestCase):
    def test_every_document_matches_the_schema(self):
        whole = [d for path in files_of("base") for d in documents(path.read_text())]
        self.assertGreaterEqual(len(whole), 13)
        result = check([json.dumps(document) for document in whole])
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_invalid_and_unknown_fields_are_detected(self):
        """Checks the test above."""
        text = (K8S / "base/inference.yaml").read_text()
        for right, wrong in (("readinessProbe:", "readyProbe:"), ("containerPort: 8500", "containerPort: x"),
                             ("kind: Deployment", "kind: Deploymant")):
            with self.subTest(wrong):
                self.assertIn(right, text)
                broken = documents(text.replace(right, wrong, 1))
                self.assertEqual(check([json.dumps(d) for d in broken]).returncode, 1)

    def test_kustomizations_list_exactly_the_existing_files(self):
        for place in PLACES:
            kustomization = yaml.safe_load((K8S / place / "kustomization.yaml").read_text())
            named = [name for name in kustomization.get("resources", []) if name.endswith(".yaml")]
            named += [patch["path"] for patch in kustomization.get("patches", [])]
            self.assertEqual(sorted(named), [path.name for path in files_of(place)], place)


class Rendered(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        reason = why_not_rendered()
        if reason:
            print(f"SKIPPED: {reason}", file=sys.stderr)
            raise unittest.SkipTest(reason)
        cls.places = {place: rendered(place) for place in PLACES}

    def of_kind(self, place, kind):
        return {d["metadata"]["name"]: d for d in self.places[place] if d["kind"] == kind}

    def pods(self, place):
        return {name: d["spec"]["template"] for name, d in self.of_kind(place, "Deployment").items()}

    def test_overlays_match_the_schema(self):
        for place, whole in self.places.items():
            result = check([json.dumps(document) for document in whole])
            self.assertEqual(result.returncode, 0, place + result.stdout + result.stderr)

    def test_containers_are_non_root_read_only_and_limited(self):
        for place in PLACES:
            for name, pod in self.pods(place).items():
                with self.subTest(f"{place} {name}"):
                    self.assertTrue(pod["spec"]["securityContext"]["runAsNonRoot"])
                    self.assertFalse(pod["spec"]["automountServiceAccountToken"])
                    for container in pod["spec"]["containers"]:
                        security = container["securityContext"]
                        self.assertTrue(security["readOnlyRootFilesystem"])
                        self.assertFalse(security["allowPrivilegeEscalation"])
                        self.assertEqual(security["capabilities"]["drop"], ["ALL"])
                        self.assertIn("memory", container["resources"]["limits"])
                        self.assertIn("readinessProbe", container)
                        self.assertIn("livenessProbe", container)

    def test_services_policies_and_scaling_refer_to_existing_pods(self):
        for place in PLACES:
            pods = self.pods(place)
            labels = {name: pod["metadata"]["labels"] for name, pod in pods.items()}
            ports = {name: {p["name"]: p["containerPort"] for c in pod["spec"]["containers"]
                            for p in c["ports"]} for name, pod in pods.items()}

            def chosen(selector):
                return [n for n, has in labels.items() if selector.items() <= has.items()]
            for name, service in self.of_kind(place, "Service").items():
                self.assertEqual(chosen(service["spec"]["selector"]), [name])
                for port in service["spec"]["ports"]:
                    self.assertEqual(ports[name][port["targetPort"]], port["port"])
            for name, policy in self.of_kind(place, "NetworkPolicy").items():
                selected = chosen(policy["spec"]["podSelector"].get("matchLabels", {}))
                self.assertEqual(selected, [name] if name != "nothing" else list(labels))
            scaler = self.of_kind(place, "HorizontalPodAutoscaler")["inference"]["spec"]
            self.assertIn(scaler["scaleTargetRef"]["name"], pods)
            self.assertNotIn("replicas", self.of_kind(place, "Deployment")["inference"]["spec"])
            budget = self.of_kind(place, "PodDisruptionBudget")["inference"]["spec"]
            self.assertEqual(chosen(budget["selector"]["matchLabels"]), ["inference"])

    def test_volumes_and_config_maps_exist(self):
        for place in PLACES:
            claims = self.of_kind(place, "PersistentVolumeClaim")
            maps = self.of_kind(place, "ConfigMap")
            for pod in self.pods(place).values():
                volumes = {v["name"]: v for v in pod["spec"]["volumes"]}
                for volume in volumes.values():
                    if "persistentVolumeClaim" in volume:
                        self.assertIn(volume["persistentVolumeClaim"]["claimName"], claims)
                for container in pod["spec"]["containers"]:
                    self.assertLessEqual({m["name"] for m in container["volumeMounts"]}, set(volumes))
                    for source in container.get("envFrom", []):
                        self.assertIn(source["configMapRef"]["name"], maps)

    def test_overlays_change_image_device_and_size(self):
        local = self.pods("overlays/local")["inference"]["spec"]["containers"][0]
        self.assertEqual(local["image"], "localhost/tacho:latest")
        self.assertEqual(local["imagePullPolicy"], "Never")
        gpu = self.pods("overlays/gpu")["inference"]["spec"]["containers"][0]
        self.assertEqual(gpu["resources"]["limits"]["nvidia.com/gpu"], "1")
        self.assertIn("cuda", gpu["command"])


def commands():
    """All command lines of tacho in deploy/, with their positions."""
    for place in PLACES:
        for path in files_of(place):
            for document in documents(path.read_text()):
                if document["kind"] != "Deployment":
                    continue
                for container in document["spec"]["template"]["spec"]["containers"]:
                    if "command" in container:
                        yield path.name, container["command"]
    for name, service in yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"].items():
        if name != "redis":
            yield f"compose.yaml {name}", service["command"]


class Programs(unittest.TestCase):
    def test_commands_use_existing_options_of_tacho(self):
        seen = 0
        for place, words in commands():
            with self.subTest(place):
                self.assertEqual(words[0], "tacho")
                self.assertEqual(words[words.index("--port") + 1], PORTS[words[1]])
                self.assertEqual(words[words.index("--address") + 1], "0.0.0.0")
                known = self.options_of(words[1])
                if known is not None:
                    self.assertLessEqual({w for w in words if w.startswith("--")}, known)
                seen += 1
        self.assertGreaterEqual(seen, 5)

    @staticmethod
    def options_of(command):
        result = subprocess.run([os.environ["TACHO"], command, "--help"], capture_output=True,
                              text=True)
        known = f"tacho {command}" in result.stdout  # else it is the general help
        return set(OUR_OPTIONS.findall(result.stdout)) if known else None

    def test_commands_use_the_address_of_the_cache(self):
        for _, words in commands():
            if words[1] == "infer":
                self.assertEqual(words[words.index("--cache") + 1], "redis://redis:6379")


class Compose(unittest.TestCase):
    def setUp(self):
        self.services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]

    def test_services_are_restricted_and_listen_only_on_this_machine(self):
        self.assertEqual(sorted(self.services), ["dashboard", "inference", "redis"])
        for name, service in self.services.items():
            with self.subTest(name):
                self.assertTrue(service["read_only"])
                self.assertEqual(service["cap_drop"], ["ALL"])
                self.assertIn("mem_limit", service)
                self.assertNotIn(service["user"], ("root", "0"))
                for port in service.get("ports", []):
                    self.assertRegex(port, r"^127\.0\.0\.1:(\d+):\1$")

    def test_images_equal_those_of_the_manifests(self):
        redis = documents((K8S / "base/redis.yaml").read_text())[0]
        container = redis["spec"]["template"]["spec"]["containers"][0]
        self.assertEqual(self.services["redis"]["image"], container["image"])
        self.assertEqual(self.services["redis"]["command"], container["args"])
        self.assertEqual(self.services["inference"]["image"], "${IMAGE:-tacho}")

    def test_compose_accepts_the_file(self):
        known = [c for c in (["docker", "compose"], ["podman-compose"]) if shutil.which(c[0])
                 and subprocess.run([*c, "version"], capture_output=True).returncode == 0]
        if not known:
            self.skipTest("neither docker compose nor podman-compose is installed")
        done = subprocess.run([*known[0], "-f", DEPLOY / "compose.yaml", "config"], text=True,
                              capture_output=True, timeout=60,
                              env={**os.environ, "RUN": "x", "TOKEN": "t" * 16, "TACHO_HOME": "/x"})
        self.assertEqual(done.returncode, 0, done.stderr)


class K6(unittest.TestCase):
    def test_the_script_is_javascript(self):
        with tempfile.TemporaryDirectory() as folder:
            module = Path(folder) / "load.mjs"  # k6 treats .js as a module, node does not
            shutil.copy(DEPLOY / "k6/load.js", module)
            done = subprocess.run(["node", "--check", module], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_it_uses_the_api_of_the_server(self):
        text = (DEPLOY / "k6/load.js").read_text()
        for word in ("/predict", "text: [text]", "constant-arrival-rate", "503", "p(99)"):
            self.assertIn(word, text)


if __name__ == "__main__":
    unittest.main()
