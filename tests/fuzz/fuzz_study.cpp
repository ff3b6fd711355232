// A study's study.yaml with substituted values.
#include <string>
#include <vector>

#include "experiments/study/fill_in.h"
#include "experiments/study/shipped_studies.h"
#include "experiments/study/study.h"
#include "fuzz_loop.h"
#include "made_yaml.h"

namespace tacho {
namespace {

const std::string kSmall = R"(name: small
title: How small?
about: A question.
values:
  batches: {quick: [8, 16], full: [8, 16, 32]}
  seed: 3
  both: "{batches} {seed}"
steps:
  - name: pair
    title: A pair
    compare: --vary batch={batches} -- train mlp --data synthetic --seed {seed}
    show: [step_s, top1]
  - name: grid
    sweep:
      base: {model: mlp, data: synthetic}
      matrix: {batch: "{batches}", lr: [0.1]}
    picture: {x: batch, y: samples_per_s}
  - name: judged
    prediction: {of: grid, folds: 3, target: 0.5}
)";

bool accepted(const std::string& text) {
  bool any = false;
  for (const StudyLevel level : {StudyLevel::quick, StudyLevel::full}) {
    any = read_study(text, "study.yaml", level, {{"home", "/home"}}).ok() || any;
  }
  return any;
}

std::string with_steps(const std::string& values) {
  return "name: s\ntitle: t\nabout: a\n" + values +
         "steps:\n  - {name: x, compare: \"-- train mlp --seed {v0}\"}\n";
}

// Values that refer to earlier ones, as texts or lists; many values and many references.
std::string made_study(Random& random) {
  std::string values = "values:\n  v0: 0123456789\n";
  const bool as_list = random.below(2) == 0;
  switch (random.below(4)) {
    case 0:
      for (std::size_t i = 1; i < 2 + fuzz_size(random, 60); ++i) {
        const std::string before = "\"{v" + std::to_string(i - 1) + "}";
        values +=
            "  v" + std::to_string(i) + ": " +
            (as_list ? "[" + before + "\", " + before + "\"]" : before + before.substr(1) + "\"") +
            "\n";
      }
      return with_steps(values);
    case 1: {
      const std::size_t count = fuzz_size(random, 30'000);
      for (std::size_t i = 1; i < count; ++i) {
        values += "  v" + std::to_string(i) + ": \"{v" + std::to_string(i / 2) + "}\"\n";
      }
      return with_steps(values);
    }
    case 2:
      return with_steps(values + "  long: \"" + repeated("{v0}", fuzz_size(random, 200'000)) +
                        "\"\n");
    default:
      return with_steps(made_yaml("values", random));
  }
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  std::vector<std::string> samples{tacho::kSmall};
  for (const tacho::ShippedStudy& study : tacho::shipped_studies()) {
    samples.emplace_back(study.yaml);
  }
  return tacho::fuzz(argc, argv, {.samples = samples, .generate = tacho::made_study},
                     tacho::accepted);
}
