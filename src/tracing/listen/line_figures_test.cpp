#include "tracing/listen/line_figures.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace tacho {
namespace {

using Values = std::map<std::string, double>;

Values values_of(std::string_view line) {
  const auto figures = figures_of_line(line);
  return figures ? figures->values : Values{};
}

TEST(LineFigures, AreFoundAmongWords) {
  const auto figures = figures_of_line("[train] step=120 loss=0.412, lr=1e-3 acc: 0.9 done");
  ASSERT_TRUE(figures);
  EXPECT_EQ(figures->from, "output");
  EXPECT_EQ(figures->step, 120);
  EXPECT_EQ(figures->values, (Values{{"loss", 0.412}, {"lr", 1e-3}, {"acc", 0.9}}));
}

TEST(LineFigures, AreFoundInAProgressBar) {
  EXPECT_EQ(
      values_of("Epoch 1:  40%|####      | 40/100 [00:02<00:03, 19.8it/s, loss=1.25, v_num=3]"),
      (Values{{"loss", 1.25}, {"v_num", 3}}));
}

TEST(LineFigures, AreFoundInJsonAndInPythonDicts) {
  EXPECT_EQ(values_of(R"({"global_step": 7, "loss": 0.5, "name": "x", "nested": {"a": 1}})"),
            (Values{{"loss", 0.5}}));
  EXPECT_EQ(values_of("{'loss': 0.25, 'grad_norm': 1.5, 'epoch': 2.0}"),
            (Values{{"loss", 0.25}, {"grad_norm", 1.5}, {"epoch", 2}}));
}

TEST(LineFigures, AreFoundInMlperfLines) {
  const auto figures = figures_of_line(
      R"(0: :::MLLOG {"namespace": "", "time_ms": 1, "event_type": "POINT_IN_TIME", )"
      R"("key": "eval_accuracy", "value": 0.75, "metadata": {"epoch_num": 4}})");
  ASSERT_TRUE(figures);
  EXPECT_EQ(figures->step, 4);
  EXPECT_EQ(figures->values, (Values{{"eval_accuracy", 0.75}}));
}

TEST(LineFigures, HaveTheirUnitInTheirName) {
  EXPECT_EQ(values_of("step_time=3.5ms speed=812.0img/s share=12%"),
            (Values{{"step_time_ms", 3.5}, {"speed_img", 812}, {"share", 12}}));
}

TEST(LineFigures, AreNotFoundInTimesPathsAndVersions) {
  for (const char* line :
       {"12:30:45 starting", "see http://127.0.0.1:8000/", "loss=nan", "loss=inf", "version=1.2.3",
        "PATH=/usr/bin", "a == b", "=5", ": 5", "step=5", "", "{", ":::MLLOG {", "x=0x1F"}) {
    EXPECT_EQ(values_of(line), Values{}) << line;
  }
}

TEST(LineFigures, AreNotFoundInBinaryData) {
  EXPECT_EQ(values_of("loss=0.5\x01"), Values{});
  EXPECT_EQ(values_of("\xff loss=0.5"), Values{});
  EXPECT_EQ(values_of("\xc3 loss=0.5"), Values{});
}

TEST(LineFigures, AreFoundInColourAndInAnyAlphabet) {
  EXPECT_EQ(values_of("\x1b[1;32mloss=0.5\x1b[0m größe=2"), (Values{{"loss", 0.5}, {"größe", 2}}));
}

TEST(LineFigures, SurviveAnyBytes) {
  const std::string seed = R"(:::MLLOG {"key": "a=1", "value": {'b': 2}} c=3, d: 4e9 {"e": [5)";
  Random random(7, 0);
  for (int i = 0; i < 20000; ++i) {
    std::string line = seed;
    for (int change = 0; change < 4; ++change) {
      line[static_cast<std::size_t>(random.below(std::ssize(line)))] =
          static_cast<char>(random.below(256));
    }
    (void)figures_of_line(line.substr(static_cast<std::size_t>(random.below(std::ssize(line)))));
  }
}

}  // namespace
}  // namespace tacho
