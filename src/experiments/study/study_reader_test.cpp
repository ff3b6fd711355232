#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/study/fill_in.h"
#include "experiments/study/shipped_studies.h"
#include "experiments/study/study.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kSmall = R"(
name: small
title: How small?
about: A question.
values:
  batches: {quick: [8, 16], full: [8, 16, 32]}
  seed: 3
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

TEST(ReadStudy, FillsInTheValuesOfTheLevel) {
  const auto quick = read_study(kSmall, "s.yaml", StudyLevel::quick);
  ASSERT_TRUE(quick.ok()) << quick.error().message;
  ASSERT_EQ(quick->steps.size(), 3);
  EXPECT_THAT(std::get<ComparisonStep>(quick->steps[0].work).words,
              ElementsAre("--vary", "batch=8,16", "--", "train", "mlp", "--data", "synthetic",
                          "--seed", "3"));
  const auto full = read_study(kSmall, "s.yaml", StudyLevel::full);
  EXPECT_EQ(flow_text(std::get<GridStep>(full->steps[1].work).grid),
            R"({"base": {"model": "mlp", "data": "synthetic"}, )"
            R"("matrix": {"batch": ["8", "16", "32"], "lr": ["0.1"]}})");
  EXPECT_EQ(std::get<PredictionStep>(full->steps[2].work).target_top1, 0.5);
}

TEST(ReadStudy, LimitsTheGrowthOfNestedValues) {
  std::string text = "name: s\ntitle: t\nvalues:\n  v0: 0123456789\n";
  for (int i = 1; i < 40; ++i) {
    text += "  v" + std::to_string(i) + ": \"{v" + std::to_string(i - 1) + "}{v" +
            std::to_string(i - 1) + "}\"\n";
  }
  const auto study =
      read_study(text + "steps: [{name: x, compare: \"{v39}\"}]", "s.yaml", StudyLevel::quick);
  ASSERT_FALSE(study.ok());
  EXPECT_THAT(study.error().message, HasSubstr("makes the study too long"));
}

TEST(ReadStudy, TheKeyOfAStepDependsOnItsWorkOnly) {
  const auto key_in = [](std::string text, StudyLevel level) {
    return read_study(text, "s.yaml", level)->steps[0].key;
  };
  const auto with = [](const std::string& old_part, const std::string& new_part) {
    std::string text(kSmall);
    return text.replace(text.find(old_part), old_part.size(), new_part);
  };
  const std::string key = key_in(std::string(kSmall), StudyLevel::quick);
  EXPECT_EQ(key.size(), 16);
  EXPECT_EQ(key_in(with("A pair", "Another title"), StudyLevel::quick), key);
  EXPECT_EQ(key_in(with("[step_s, top1]", "[top1]"), StudyLevel::quick), key);
  EXPECT_NE(key_in(with("train mlp", "train lenet5"), StudyLevel::quick), key);
  EXPECT_NE(key_in(std::string(kSmall), StudyLevel::full), key);
}

TEST(ReadStudy, FindsStepsOfAMovedStore) {
  const auto step_in = [](const std::string& home) {
    const std::string text =
        "name: x\ntitle: y\nvalues: {file: '{home}/a.tsv'}\n"
        "steps: [{name: a, train: 'mlp --data {file} --resume {home}/b'}]\n";
    return read_study(text, "s.yaml", StudyLevel::quick, {{"home", home}})->steps[0];
  };
  EXPECT_THAT(std::get<TrainingStep>(step_in("/one").work).words,
              ElementsAre("mlp", "--data", "/one/a.tsv", "--resume", "/one/b"));
  EXPECT_EQ(step_in("/one").key, step_in("/another/one").key);
}

TEST(ReadStudy, RejectsInvalidStudies) {
  const auto problem_of = [](const std::string& text) {
    const auto study = read_study(text, "s.yaml", StudyLevel::quick);
    return study.ok() ? std::string("no error") : study.error().message;
  };
  const std::string head = "name: x\ntitle: y\n";
  const auto step = [&](const std::string& rest) {
    return problem_of(head + "steps:\n  - {name: a, " + rest + "}\n");
  };
  EXPECT_THAT(problem_of("name: X y\n"), HasSubstr("'name'"));
  EXPECT_THAT(problem_of("name: x\nsteps: []\n"), HasSubstr("'title'"));
  EXPECT_THAT(problem_of(head), HasSubstr("'steps'"));
  EXPECT_THAT(problem_of(head + "stpes: []\n"), HasSubstr("s.yaml:3:1"));
  EXPECT_THAT(problem_of(head + "values: {n: {quick: 1}}\nsteps: []"), HasSubstr("one for 'full'"));
  EXPECT_THAT(step("title: t"), HasSubstr("s.yaml:4:5: step 'a' does nothing"));
  EXPECT_THAT(step("train: mlp, compare: x"), HasSubstr("one thing"));
  EXPECT_THAT(step("train: \"mlp 'x\""), HasSubstr("s.yaml:4:"));
  EXPECT_THAT(step("train: mlp, show: [setp_s]"), HasSubstr("step_s"));
  EXPECT_THAT(step("train: mlp, needs: [gpus]"), HasSubstr("'gpu'"));
  EXPECT_THAT(step("train: mlp, picture: {x: batch, y: top1}"), HasSubstr("for sweeps only"));
  EXPECT_THAT(step("prediction: {of: b}"), HasSubstr("earlier step 'b'"));
  EXPECT_THAT(step("prediction: {of: corpus, folds: 1}"), HasSubstr("'folds'"));
  EXPECT_THAT(step("train: mlp}\n  - {name: a, train: mlp"), HasSubstr("already a step 'a'"));
}

TEST(FillIn, KeepsUnknownBraces) {
  const auto node = parse_yaml("[\"{a}-{b}\", \"{list}\", \"x={list}\"]", "s.yaml");
  StudyValues values;
  values["a"] = *parse_yaml("1", "s.yaml");
  values["list"] = *parse_yaml("[{k: v}, 2]", "s.yaml");
  std::size_t room = 1000;
  EXPECT_EQ(flow_text(*filled_in(*node, values, room)), R"(["1-{b}", [{"k": "v"}, "2"], "x=2"])");
}

TEST(ShippedStudies, AreReadAtBothLevels) {
  for (const ShippedStudy& shipped : shipped_studies()) {
    for (const StudyLevel level : {StudyLevel::quick, StudyLevel::full}) {
      const auto study = read_study(shipped.yaml, shipped.name, level);
      ASSERT_TRUE(study.ok()) << study.error().message;
      EXPECT_EQ(study->name, shipped.name);
    }
  }
  EXPECT_EQ(find_shipped_study("no such"), nullptr);
}

}  // namespace
}  // namespace tacho
