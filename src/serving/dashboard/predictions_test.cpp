#include "serving/dashboard/predictions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/scratch_folder.h"
#include "core/store/ledger.h"

namespace tacho::serve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<RecommendationRequest> read(const std::string& text) {
  return read_recommendation_request(*parse_json(text));
}

TEST(Requirements, IsReadFromJson) {
  const auto parsed = read(R"({"model": "resnet50", "data": "imagenet", "target": 0.75,
      "deadline_hours": 12, "max_nodes": 2, "spot": true, "batches": [64, 128],
      "precisions": ["bf16"], "gpus": ["A100"], "clouds": ["aws", "gcp"]})");
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_EQ(parsed->requirements.job.model, "resnet50");
  EXPECT_EQ(parsed->requirements.deadline_hours, 12);
  EXPECT_FALSE(parsed->requirements.budget_usd);
  EXPECT_THAT(parsed->requirements.batches, ElementsAre(64, 128));
  EXPECT_THAT(parsed->requirements.precisions, ElementsAre(Precision::bf16));
  EXPECT_THAT(parsed->filter.clouds, ElementsAre("aws", "gcp"));
}

TEST(Requirements, AnErrorNamesTheInvalidKey) {
  const std::string good = R"("model": "a", "data": "b")";
  for (const auto& [more, word] : {std::pair("\"target\": 75", "target"),
                                   {"\"target\": 0.7, \"budget_usd\": -1", "budget_usd"},
                                   {"\"target\": 0.7, \"max_nodes\": 0", "max_nodes"},
                                   {"\"target\": 0.7, \"max_nodes\": 1000000", "max_nodes"},
                                   {"\"target\": 0.7, \"batches\": [0]", "batches"},
                                   {"\"target\": 0.7, \"clouds\": \"aws\"", "clouds"},
                                   {"\"target\": 0.7, \"precisions\": [\"fp1\"]", "fp1"},
                                   {"\"target\": 0.7, \"surprise\": 1", "surprise"},
                                   {"\"deadline_hours\": 1", "target"}}) {
    const auto parsed = read("{" + good + ", " + more + "}");
    ASSERT_FALSE(parsed.ok()) << more;
    EXPECT_THAT(parsed.error().message, HasSubstr(word));
  }
}

TEST(Requirements, SurvivesDamage) {
  const std::string good = R"({"model":"m","data":"d","target":0.7,"batches":[8],"gpus":["A100"]})";
  std::mt19937 random(5);
  for (int i = 0; i < 3000; ++i) {
    std::string text = good;
    for (int k = 0; k < 3; ++k) text[random() % text.size()] = static_cast<char>(random() % 256);
    if (const auto json = parse_json(text); json.ok())
      (void)read_recommendation_request(*json).ok();
  }
}

TEST(LedgerAnswer, ContainsPredictionsAndMeasurements) {
  const ScratchFolder home;
  ASSERT_TRUE(RunStore::open(home.path() / "tacho.db").ok());
  auto open = *Ledger::open(home.path() / "tacho.db");
  const LedgerEntry entry{.run_key = "k",
                          .metric = "top1",
                          .made_at = 1,
                          .model = "mlp",
                          .data = "mnist",
                          .machine = "a, \"cpu\"",
                          .basis = "3 runs",
                          .predicted = {0.9, 0.8, 0.95}};
  ASSERT_TRUE(open.put(std::span(&entry, 1)).ok());
  http::Request request;
  const auto answer = ledger(request, home.path(), true);
  ASSERT_TRUE(answer.ok());
  const Json json = *parse_json(answer->body);
  EXPECT_EQ(json["predictions"][0]["low90"], 0.8);
  EXPECT_TRUE(json["predictions"][0]["measured"].is_null());
  EXPECT_EQ(json["scores"][0]["made"], 1);
  request.query = {{"format", "csv"}};
  EXPECT_THAT(ledger(request, home.path(), false)->body, HasSubstr("\"a, \"\"cpu\"\"\""));
}

TEST(Prediction, IsUnavailableWithoutAPredictionService) {
  const ScratchFolder home;
  auto store = *RunStore::open(home.path() / "tacho.db");
  http::Request request;
  request.body = "{}";
  EXPECT_EQ(predicted(request, nullptr, store).error().code, ErrorCode::unavailable);
}

}  // namespace
}  // namespace tacho::serve
