#include "predict/speed/covariance_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/json_object.h"
#include "predict/speed/covariance_terms.h"
#include "predict/speed/made_jobs.h"

namespace tacho {
namespace {

Json written(std::vector<TrainingExample> examples) {
  return *parse_json(*covariance_text(std::move(examples), made::kEffort));
}

TEST(CovarianceFile, ContainsEveryTerm) {
  const Json json = written(made::examples());
  const auto terms = shipped_covariance().terms;
  ASSERT_EQ(json["terms"].size(), terms.size());
  ASSERT_EQ(json["shapes"].size(), shipped_covariance().shapes.size());
  EXPECT_EQ(json["terms"][6]["labels"], (Json{"release", "precision"}));
  for (std::size_t t = 0; t < terms.size(); ++t) {
    EXPECT_EQ(json["terms"][t]["deviation"], terms[t].deviation);
    EXPECT_EQ(json["terms"][t]["shape"], terms[t].shape);
    EXPECT_EQ(json["terms"][t]["unknown_cost"], terms[t].unknown_cost);
  }
}

TEST(CovarianceFile, HasAColumnForEveryLabelAndMeasure) {
  const auto examples = made::examples();
  const Json json = written(examples)["examples"];
  EXPECT_EQ(json["labels"].size(), kLabels);
  EXPECT_EQ(json["measures"].size(), kMeasures);
  ASSERT_EQ(json["error"].size(), examples.size());
  EXPECT_EQ(json["labels"]["gpu"][40], examples[40].point.labels[Label::gpu]);
  EXPECT_EQ(json["measures"]["generation"][40].get<float>(),
            examples[40].point.measures[Measure::generation]);
  EXPECT_EQ(json["error"][40], examples[40].error);
}

TEST(CovarianceFile, HoldsOutWholeGpus) {
  const Json json = written(made::examples());
  std::set<std::string> hidden;
  for (const Json& i : json["hidden"]["examples"]) {
    hidden.insert(json["examples"]["labels"]["gpu"][i.get<std::size_t>()]);
  }
  std::size_t of_them = 0;
  for (const Json& gpu : json["examples"]["labels"]["gpu"]) of_them += hidden.count(gpu);
  EXPECT_EQ(json["hidden"]["examples"].size(), of_them);
  EXPECT_EQ(json["hidden"]["means"].size(), of_them);
}

TEST(CovarianceFile, FailsWithTooFewGpus) {
  auto examples = made::examples();
  for (TrainingExample& example : examples) {
    example.point.labels[Label::gpu] = "the only one";
  }
  const auto text = covariance_text(std::move(examples), made::kEffort);
  ASSERT_FALSE(text.ok());
  EXPECT_THAT(text.error().message, testing::HasSubstr("too few GPUs"));
}

}  // namespace
}  // namespace tacho
