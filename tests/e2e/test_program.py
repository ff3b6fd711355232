import re
import subprocess
import unittest

from tacho_case import TACHO, TachoCase

COMMANDS = ["", "train", "run", "runs", "runs ls", "runs show", "runs export", "runs rm",
            "runs ingest", "sweep", "study", "study ls", "study show", "report", "compare",
            "compare ls", "compare show", "compare resume", "compare rm", "diff", "data",
            "data ls", "data get", "data prepare", "data verify", "describe", "predict", "fit",
            "evaluate", "env", "env ls", "env build", "curve", "recommend", "catalog",
            "catalog ls", "catalog update", "catalog add-machine", "catalog remove-machine", "lab",
            "lab probe", "lab memory", "lab comms", "lab ls", "lab show", "ledger", "serve",
            "infer", "load", "doctor", "help", "completion"]
WIDEST_HELP = 100

# Runs the completion as bash would, with the words typed so far.
COMPLETE = """
source <("$1" completion bash)
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_tacho
printf '%s\\n' "${COMPREPLY[@]}"
"""


class Program(TachoCase):
    def test_tacho_does_not_link_torch(self):
        linked = subprocess.check_output(["ldd", TACHO], text=True)
        self.assertIn("libsqlite3", linked)
        self.assertNotRegex(linked, "torch|libc10")

    def test_version_names_the_commit(self):
        said = self.tacho("--version")
        self.assertRegex(said.out, r"^tacho \d+\.\d+\.\d+ \([0-9a-f]{12}(\+changes)?\)\n$")

    def test_tacho_alone_prints_its_help(self):
        self.assertEqual(self.tacho().out, self.tacho("--help").out)

    def test_every_command_has_a_help_that_fits_the_screen(self):
        widths = {}
        for command in COMMANDS:
            said = self.tacho(*command.split(), "--help")
            self.assertEqual(said.err, "")
            widths[command] = max(len(line) for line in said.out.splitlines())
        widest = max(widths, key=widths.get)
        print(f"widest help: tacho {widest}: {widths[widest]} columns")
        self.assertLessEqual(widths[widest], WIDEST_HELP, widest)

    def test_the_help_lists_exactly_the_commands_tested_here(self):
        out = self.tacho("--help").out
        listed = re.findall(r"^  (\w+) ", out[out.index("Subcommands:"):out.index("Start here")],
                            re.MULTILINE)
        self.assertEqual(listed, [c for c in COMMANDS if c and " " not in c])


class Help(TachoCase):
    def test_every_page_is_shown_and_a_command_has_its_options(self):
        listed = self.tacho("help").out
        topics = re.findall(r"(?m)^([a-z]+)  +\S", listed)[1:]
        self.assertTrue({"sweeps", "studies", "predict"} <= set(topics), topics)
        for topic in topics:
            page = self.tacho("help", topic).out
            self.assertGreater(len(page), 400, topic)
            self.assertNotIn("```", page)
            self.assertNotIn("\033", page)
        self.assertEqual(self.tacho("help", "train").out, self.tacho("train", "--help").out)
        self.assert_one_error_line(self.tacho("help", "sweps", expect=2), "'sweeps'")


class Completion(TachoCase):
    def complete(self, *words):
        done = subprocess.run(["bash", "-c", COMPLETE, "bash", TACHO, *words], check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_commands_options_and_names_are_completed(self):
        self.assertEqual(self.complete("tacho", "tr"), ["train"])
        self.assertEqual(self.complete("tacho", "train", "--d"),
                         ["--data", "--data-dir", "--device"])
        self.assertEqual(self.complete("tacho", "train", "--data", "f"), ["fashion-mnist"])
        self.assertEqual(self.complete("tacho", "train", "le"), ["lenet5"])
        self.assertEqual(self.complete("tacho", "data", "get", "m"), ["mnist"])
        offered = self.complete("tacho", "runs", "")
        self.assertTrue({"ls", "show", "export", "rm", "ingest"} <= set(offered), offered)


class Describe(TachoCase):
    def test_a_model_is_described_for_people_and_for_programs(self):
        said = self.tacho("describe", "lenet5", "-b", "16", "--classes", "7").out
        self.assertLessEqual(max(map(len, said.splitlines())), 80)
        self.assertIn("multiply-adds a sample", said)
        facts = self.tacho("describe", "lenet5", "-b", "16", "--classes", "7", "--json").json
        self.assertEqual(facts["parameters"], 61706 - 3 * 85)
        # 6 channels of 25 products and 16 of 150, and three linear layers.
        products = 28 * 28 * 6 * 25 + 10 * 10 * 16 * 150 + 400 * 120 + 120 * 84 + 84 * 7
        self.assertEqual(facts["forward_multiply_adds"], 16 * products)
        self.assertEqual(facts["forward_flops"], 2 * 16 * products)
        self.assertEqual(sum(layer["parameters"] for layer in facts["layers"]), 61706 - 3 * 85)
        self.assertGreater(facts["memory"]["total_bytes"], 4 * 3 * 61000)

    def test_what_makes_no_sense_is_refused_in_one_line(self):
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
    def test_the_doctor_finds_torch_healthy_and_says_so_both_ways(self):
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
