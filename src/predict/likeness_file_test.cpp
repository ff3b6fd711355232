#include "predict/likeness_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/json_object.h"
#include "predict/likeness_terms.h"
#include "predict/made_jobs.h"

namespace tacho {
namespace {

Json written(std::vector<Lesson> lessons) {
  return *parse_json(*likeness_text(std::move(lessons), made::kEffort));
}

TEST(LikenessFile, NamesEveryTermAsItStands) {
  const Json json = written(made::lessons());
  const auto terms = likeness_terms();
  ASSERT_EQ(json["terms"].size(), terms.size());
  ASSERT_EQ(json["shapes"].size(), likeness_shapes().size());
  EXPECT_EQ(json["terms"][1]["labels"], (Json{"release", "precision"}));
  for (std::size_t t = 0; t < terms.size(); ++t) {
    EXPECT_EQ(json["terms"][t]["deviation"], terms[t].deviation);
    EXPECT_EQ(json["terms"][t]["shape"], terms[t].shape);
    EXPECT_EQ(json["terms"][t]["unknown_cost"], terms[t].unknown_cost);
  }
}

TEST(LikenessFile, HasAColumnForEveryLabelAndMeasure) {
  const auto lessons = made::lessons();
  const Json json = written(lessons)["lessons"];
  EXPECT_EQ(json["labels"].size(), kLabels);
  EXPECT_EQ(json["measures"].size(), kMeasures);
  ASSERT_EQ(json["error"].size(), lessons.size());
  EXPECT_EQ(json["labels"]["gpu"][40], lessons[40].point.labels[Label::gpu]);
  EXPECT_EQ(json["measures"]["generation"][40].get<float>(),
            lessons[40].point.measures[Measure::generation]);
  EXPECT_EQ(json["error"][40], lessons[40].error);
}

TEST(LikenessFile, HidesWholeGpus) {
  const Json json = written(made::lessons());
  std::set<std::string> hidden;
  for (const Json& i : json["hidden"]["lessons"]) {
    hidden.insert(json["lessons"]["labels"]["gpu"][i.get<std::size_t>()]);
  }
  std::size_t of_them = 0;
  for (const Json& gpu : json["lessons"]["labels"]["gpu"]) of_them += hidden.count(gpu);
  EXPECT_EQ(json["hidden"]["lessons"].size(), of_them);
  EXPECT_EQ(json["hidden"]["means"].size(), of_them);
}

TEST(LikenessFile, SaysWhenThereIsNothingToHide) {
  auto lessons = made::lessons();
  for (Lesson& lesson : lessons) {
    lesson.point.labels[Label::gpu] = "the only one";
  }
  const auto text = likeness_text(std::move(lessons), made::kEffort);
  ASSERT_FALSE(text.ok());
  EXPECT_THAT(text.error().message, testing::HasSubstr("too few GPUs"));
}

}  // namespace
}  // namespace tacho
