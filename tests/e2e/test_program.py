import os
import pty
import re
import select
import shutil
import signal
import subprocess
import unittest

from tacho_case import TACHO, TachoCase

# Runs the completion as bash does, with the words typed so far.
COMPLETE = """
source <("$1" completion bash)
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_tacho
printf '%s\\n' "${COMPREPLY[@]}"
"""


# Configuration for zsh: Ctrl-T prints the current line between two marks.
ZSH_SETUP = r"""
PS1=; unset zle_bracketed_paste; fpath=($PWD $fpath); autoload -Uz compinit; compinit -D -u
show() { print -rn -- $'\x01'"$BUFFER"$'\x02' }; zle -N show; bindkey '^T' show; print rea''dy
"""


class Program(TachoCase):
    def test_tacho_does_not_link_torch(self):
        linked = subprocess.check_output(["ldd", TACHO], text=True)
        self.assertIn("libsqlite3", linked)
        self.assertNotRegex(linked, "torch|libc10")

    def test_version_names_the_commit(self):
        said = self.tacho("--version")
        self.assertRegex(said.out, r"^tacho \d+\.\d+\.\d+ \([0-9a-f]{12}(\+changes)?\)\n$")

    def test_tacho_without_arguments_prints_its_help(self):
        self.assertEqual(self.tacho().out, self.tacho("--help").out)


class Help(TachoCase):
    def test_help_shows_every_page_and_the_options_of_commands(self):
        listed = self.tacho("help").out
        topics = re.findall(r"(?m)^([a-z]+)  +\S", listed)[1:]
        self.assertTrue({"sweeps", "studies", "predict"} <= set(topics), topics)
        for question, topic in (("here", "train"), ("why", "report"), ("elsewhere", "predict"),
                                ("environment", "environments"), ("rent", "recommend")):
            self.assertEqual(self.tacho("help", question).out, self.tacho("help", topic).out)
        for topic in topics:
            page = self.tacho("help", topic).out
            self.assertGreater(len(page), 400, topic)
            self.assertNotIn("```", page)
            self.assertNotIn("\033", page)
        self.assertEqual(self.tacho("help", "describe").out, self.tacho("describe", "--help").out)
        self.assert_one_error_line(self.tacho("help", "sweps", expect=2), "'sweeps'")


class Completion(TachoCase):
    def complete(self, *words):
        done = subprocess.run(["bash", "-c", COMPLETE, "bash", TACHO, *words], check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_commands_options_and_names_are_completed(self):
        self.assertEqual(self.complete("tacho", "tra"), ["train"])
        self.assertEqual(self.complete("tacho", "train", "--d"),
                         ["--data", "--data-dir", "--device"])
        self.assertEqual(self.complete("tacho", "train", "--data", "f"), ["fashion-mnist"])
        self.assertEqual(self.complete("tacho", "train", "le"), ["lenet5"])
        self.assertEqual(self.complete("tacho", "data", "get", "m"), ["mnist"])
        self.assertEqual(self.complete("tacho", "completion", "f"), ["fish"])
        offered = self.complete("tacho", "runs", "")
        self.assertTrue({"ls", "show", "export", "rm", "ingest"} <= set(offered), offered)

    def test_hidden_commands_are_not_completed(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.tacho("completion", shell).out
            self.assertNotIn("read-words", script)
            self.assertNotIn("take-task", script)

    def test_fish_completes_the_same(self):
        needs_shell(self, "fish")

        def complete(typed):
            done = subprocess.run(
                ["fish", "--no-config", "-c", 'source $argv[1]; complete -C $argv[2]', script, typed],
                check=True, capture_output=True, text=True)
            self.assertEqual(done.stderr, "")
            return [line.split("\t")[0] for line in done.stdout.splitlines()]
        script = self.home / "tacho.fish"
        script.write_text(self.tacho("completion", "fish").out)
        self.assertEqual(complete("tacho tra"), ["train"])
        self.assertEqual(sorted(complete("tacho train --d")), ["--data", "--data-dir", "--device"])
        self.assertEqual(complete("tacho train --data f"), ["fashion-mnist"])
        self.assertEqual(complete("tacho train -d f"), ["fashion-mnist"])
        self.assertEqual(complete("tacho train le"), ["lenet5"])
        self.assertEqual(complete("tacho data get m"), ["mnist"])
        self.assertEqual(set(complete("tacho data ")), {"ls", "get", "prepare", "verify"})

    def test_zsh_completes_the_same(self):
        needs_shell(self, "zsh")
        script = self.home / "_tacho"
        script.write_text(self.tacho("completion", "zsh").out)
        self.assertEqual(self.typed_in_zsh("tacho tra"), "tacho train ")
        self.assertEqual(self.typed_in_zsh("tacho train --data-"), "tacho train --data-dir ")
        self.assertEqual(self.typed_in_zsh("tacho train --data f"), "tacho train --data fashion-mnist ")
        self.assertEqual(self.typed_in_zsh("tacho train le"), "tacho train lenet5 ")
        self.assertEqual(self.typed_in_zsh("tacho data get m"), "tacho data get mnist ")
        self.assertEqual(self.typed_in_zsh("tacho completion f"), "tacho completion fish ")

    def typed_in_zsh(self, typed):
        """The line after Tab in a zsh on a pseudo-terminal."""
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.home)
            os.execlp("zsh", "zsh", "-f", "-i")
        try:
            os.write(terminal, ZSH_SETUP.encode())
            read_until(terminal, b"ready")
            os.write(terminal, typed.encode() + b"\t\x14")
            return read_until(terminal, b"\x02").rpartition(b"\x01")[2][:-1].decode()
        finally:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            os.close(terminal)


def read_until(terminal, mark):
    heard = b""
    while not heard.endswith(mark):
        ready, _, _ = select.select([terminal], [], [], 60)
        if not ready:
            raise AssertionError(f"no {mark} within 60 s of {heard}")
        heard += os.read(terminal, 1)
    return heard


def needs_shell(case, shell):
    if shutil.which(shell):
        return
    if os.environ.get("TACHO_COMPONENTS") == "required":
        case.fail(f"{shell} is not installed; script/bootstrap installs it")
    case.skipTest(f"{shell} is not installed")


class Describe(TachoCase):
    def test_a_model_is_described_as_text_and_as_json(self):
        said = self.tacho("describe", "lenet5", "-b", "16", "--classes", "7").out
        self.assertLessEqual(max(map(len, said.splitlines())), 80)
        self.assertIn("mult-adds per sample", said)
        facts = self.tacho("describe", "lenet5", "-b", "16", "--classes", "7", "--json").json
        self.assertEqual(facts["parameters"], 61706 - 3 * 85)
        # 6 channels with 25 products, 16 with 150, and three linear layers.
        products = 28 * 28 * 6 * 25 + 10 * 10 * 16 * 150 + 400 * 120 + 120 * 84 + 84 * 7
        self.assertEqual(facts["forward_multiply_adds"], 16 * products)
        self.assertEqual(facts["forward_flops"], 2 * 16 * products)
        self.assertEqual(sum(layer["parameters"] for layer in facts["layers"]), 61706 - 3 * 85)
        self.assertGreater(facts["memory"]["total_bytes"], 4 * 3 * 61000)

    def test_errors_are_one_line(self):
        for args, words in ((["resnet51"], ["did you mean 'resnet50'"]),
                            (["resnet50", "--input", "224x224"], ["--input", "3x224x224"]),
                            (["resnet50", "--length", "9"], ["--length is for text"]),
                            (["vgg16", "--input", "3x8x8"], ["vgg16", "at least 32x32"]),
                            (["mlp", "-b", "0"], ["--batch"]),
                            (["mlp", "--precision", "fp8"], ["precision 'fp8'"])):
            said = self.tacho("describe", *args, expect=2)
            self.assert_one_error_line(said, *words)
            self.assertEqual(said.out, "")


class Doctor(TachoCase):
    def test_a_worker_of_another_version_is_reported(self):
        worker = self.home / "other-worker"
        worker.write_text("#!/bin/sh\necho '{}'\n")
        worker.chmod(0o755)
        findings = self.tacho("doctor", "--json", expect=1, env={"TACHO_WORKER": str(worker)}).json
        torch, = [finding for finding in findings if finding["area"] == "torch"]
        self.assertEqual(torch["health"], "trouble")
        self.assertIn("script/build", torch["fix"])

    def test_the_doctor_reports_a_working_torch_as_text_and_json(self):
        findings = self.tacho("doctor", "--json").json
        torch = {f["name"]: f["health"] for f in findings if f["area"] == "torch"}
        self.assertEqual((torch["version"], torch["blas"], torch["path"]), ("ok", "ok", "ok"))
        data = {f["name"]: f for f in findings if f["area"] == "data"}
        self.assertEqual(data["fashion-mnist"]["health"], "ok")
        self.assertEqual(data["mnist"]["fix"], "tacho data get mnist")
        text = self.tacho("doctor").out
        for area in {finding["area"] for finding in findings}:
            self.assertRegex(text, rf"(?m)^{area}$")


if __name__ == "__main__":
    unittest.main()
