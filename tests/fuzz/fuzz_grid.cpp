// A sweep's grid.yaml: the YAML reader, the grid reader, and the runs of the grid.
#include <string>
#include <vector>

#include "experiments/sweep/combinations.h"
#include "experiments/sweep/grid.h"
#include "fuzz_loop.h"
#include "made_yaml.h"

namespace tacho {
namespace {

const std::vector<std::string> kOptions = {"batch", "data", "lr", "model", "seed", "steps"};

const std::string kTrainings = R"(name: small
base: {model: mlp, data: synthetic}
matrix:
  batch: {from: 16, to: 64, factor: 2}
  lr: &rates [0.1, 0.2, "0.3"]
  seed: *rates
include:
  - {batch: 64, steps: 7}
exclude: [{batch: 16, lr: 0.2}]
repeat: 3
order: random
limits: {time: 10m, memory: 8G}
budget: {hours: 0.5, runs: 100}
needs: {cores: 2, memory: 1G, gpus: 1}
launcher: {kind: slurm, slots: 4, partition: gpu}
)";

const std::string kPrograms = R"(# a program
base:
  command:
    - python3
    - 'train.py'
    - --lr={lr}
    - |
      many
      lines {x}
matrix: {lr: [1, 2], x: ["{lr}", !!str 5, ~]}
)";

bool read(const std::string& text) {
  const auto grid = read_grid(text, "grid.yaml", kOptions);
  if (!grid.ok()) return false;
  // The reader limits the values of an axis; the number of runs is limited when they are created.
  const auto all = combinations(*grid);
  if (!all.ok()) return false;
  for (const Configuration& each : *all) (void)filled_in(grid->command, each);
  return true;
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  return tacho::fuzz(argc, argv,
                     {.samples = {tacho::kTrainings, tacho::kPrograms},
                      .generate =
                          [](tacho::Random& random) {
                            return "base: {model: mlp}\n" +
                                   tacho::made_yaml(random.below(2) == 0 ? "matrix" : "include",
                                                    random);
                          }},
                     tacho::read);
}
