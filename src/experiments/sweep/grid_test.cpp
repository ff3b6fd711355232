#include "experiments/sweep/grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "base/mutation.h"
#include "experiments/sweep/combinations.h"
#include "experiments/sweep/test_grids.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kWhole = R"(name: small
base:
  model: mlp
  data: synthetic
matrix:
  batch: {from: 16, to: 64, factor: 2}
  lr: {from: 0.1, to: 0.3, step: 0.1}
  stock: [true, false]
include:
  - {batch: 64, steps: 7}
exclude:
  - {batch: 16, stock: true}
seeds: 2
repeat: 3
order: random
limits: {time: 10m, memory: 8G}
budget: {hours: 0.5, runs: 100}
needs: {cores: 2, gpus: 1}
launcher: {kind: slurm, slots: 4, partition: gpu}
)";

std::string problem_of(std::string_view text) {
  const auto grid = grid_of(text);
  return grid.ok() ? "" : grid.error().message;
}

TEST(Grid, ReadsEveryKey) {
  const auto grid = grid_of(kWhole);
  ASSERT_TRUE(grid.ok()) << grid.error().message;
  EXPECT_EQ(grid->name, "small");
  EXPECT_EQ(grid->base, (Configuration{{"model", "mlp"}, {"data", "synthetic"}}));
  ASSERT_EQ(grid->matrix.size(), 3U);
  EXPECT_THAT(grid->matrix[0].values, ElementsAre("16", "32", "64"));
  EXPECT_THAT(grid->matrix[1].values, ElementsAre("0.1", "0.2", "0.3"));
  EXPECT_THAT(grid->matrix[2].values, ElementsAre("true", "false"));
  EXPECT_THAT(grid->seeds, ElementsAre(0, 1));
  EXPECT_EQ(grid->repeat, 3);
  EXPECT_EQ(grid->order, SweepOrder::random);
  EXPECT_EQ(grid->limits.time, Seconds(600));
  EXPECT_EQ(grid->limits.memory, Bytes{8LL << 30});
  EXPECT_EQ(grid->budget.hours, 0.5);
  EXPECT_EQ(grid->budget.runs, 100);
  EXPECT_EQ(grid->needs.cores, 2);
  EXPECT_EQ(grid->needs.gpus, 1);
  EXPECT_EQ(grid->launcher.kind, "slurm");
  EXPECT_EQ(grid->launcher.slots, 4);
  EXPECT_EQ(grid->launcher.options.at("partition"), "gpu");
}

TEST(Grid, ErrorsNameThePositionAndTheNearestName) {
  EXPECT_EQ(problem_of("base: {model: mlp}\nmatirx: {batch: [1]}\n"),
            "grid.yaml:2:1: unknown key 'matirx'; did you mean 'matrix'? (known: base, budget, "
            "exclude, include, launcher, limits, matrix, name, needs, order, repeat, seeds)");
  EXPECT_THAT(problem_of("base:\n  modle: mlp\n"),
              HasSubstr("grid.yaml:2:3: unknown option 'modle'; did you mean 'model'?"));
  EXPECT_THAT(problem_of("base: {model: mlp}\nmatrix:\n  bacth: [1]\n"),
              HasSubstr("grid.yaml:3:3: unknown option 'bacth'; did you mean 'batch'?"));
  EXPECT_THAT(problem_of("base: {model: mlp}\norder: cheapest\n"),
              HasSubstr("grid.yaml:2:8: unknown order 'cheapest'; did you mean 'cheapest-first'?"));
  EXPECT_THAT(problem_of("base: {model: mlp}\nlimits: {tiem: 5m}\n"), HasSubstr("'tiem'"));
}

TEST(Grid, RejectsInvalidGrids) {
  EXPECT_EQ(problem_of("matrix: {batch: [1]}\n"),
            "grid.yaml:1:1: 'base' is missing: the options that all runs share");
  EXPECT_EQ(problem_of(""), "grid.yaml:0:0: expected a map, not nothing");
  EXPECT_THAT(problem_of("base: {model: [a, b]}\n"), HasSubstr("1:15: expected a single value"));
  EXPECT_THAT(problem_of("base: {model: a}\nmatrix: {batch: 5}\n"), HasSubstr("expected a list"));
  EXPECT_THAT(problem_of("base: {model: a}\nmatrix: {batch: []}\n"), HasSubstr("is empty"));
  EXPECT_THAT(problem_of("base: {model: a}\nmatrix: {batch: [1, 1]}\n"),
              HasSubstr("batch=1 occurs twice; to repeat runs, use 'repeat'"));
  EXPECT_THAT(problem_of("base: {model: a}\nmatrix: {batch: {from: 5, to: 1}}\n"),
              HasSubstr("'to' is less than 'from'"));
  EXPECT_THAT(problem_of("base: {model: a}\nmatrix: {batch: {from: 0, to: 1e9, step: 1e-3}}\n"),
              HasSubstr("more than 100000 values"));
  EXPECT_THAT(problem_of("base: {model: a}\nmatrix: {batch: [1]}\nexclude: [{batch: 2}]\n"),
              HasSubstr("3:19: the matrix has no batch=2"));
  EXPECT_THAT(problem_of("base: {model: a}\nmatrix: {batch: [1]}\nexclude: [{seed: 2}]\n"),
              HasSubstr("unknown option of the matrix 'seed'"));
  EXPECT_THAT(problem_of("base: {model: a, seed: 1}\nseeds: 3\n"),
              HasSubstr("either 'seed' or 'seeds'"));
  EXPECT_THAT(problem_of("base: {model: a}\nrepeat: 0\n"), HasSubstr("'repeat' must be between"));
}

TEST(Grid, AProgramsOptionsAreTheNamesInBracesInItsCommand) {
  const auto grid = grid_of(
      "base: {command: [awk, '{print}', 'x={x}', '{x}{y'], batch: 8}\nmatrix: {x: [1, a b]}\n");
  ASSERT_TRUE(grid.ok()) << grid.error().message;
  EXPECT_THAT(filled_in(grid->command, {{"x", "a b"}}),
              ElementsAre("awk", "{print}", "x=a b", "a b{y"));
  EXPECT_EQ(problem_of("base: {command: [train]}\nmatrix: {lr: [1, 2]}\n"),
            "grid.yaml:2:10: the command does not contain {lr}; add it where lr belongs");
}

TEST(Grid, SurvivesDamage) {
  Random random(1, 0);
  for (int i = 0; i < 2000; ++i) {
    const auto grid = grid_of(mutated(std::string(kWhole), random));
    if (grid.ok()) (void)combinations(*grid).ok();
  }
}

std::string numbers(int count, const std::string& before, const std::string& after) {
  std::string list = "[";
  for (int i = 0; i < count; ++i) {
    list += (i == 0 ? "" : ", ") + before + std::to_string(i) + after;
  }
  return list + "]";
}

// Measured in processor time. Pairwise comparisons would take several seconds for each list.
TEST(Grid, ReadsLongListsInAboutLinearTime) {
  const std::string base = "base: {model: mlp, data: synthetic}\n";
  const std::clock_t begun = std::clock();
  EXPECT_EQ(problem_of(base + "matrix: {batch: " + numbers(90'000, "", "") + "}\n"), "");
  EXPECT_EQ(problem_of(base + "seeds: " + numbers(90'000, "", "") + "\n"), "");
  EXPECT_EQ(problem_of(base + "matrix: {batch: " + numbers(40'000, "", "") +
                       "}\nexclude: " + numbers(39'000, "{batch: ", "}") + "\n"),
            "");
  EXPECT_LT(std::clock() - begun, 10 * CLOCKS_PER_SEC);
}

TEST(Grid, AConfigurationHasNoMoreThanAThousandOptions) {
  std::string options;
  std::string words;
  for (int i = 0; i < 1001; ++i) {
    options += "  o" + std::to_string(i) + ": 1\n";
    words += "{o" + std::to_string(i) + "}";
  }
  EXPECT_THAT(problem_of("base:\n  command: ['" + words + "']\n" + options),
              HasSubstr("more than 1000 options"));
}

}  // namespace
}  // namespace tacho
