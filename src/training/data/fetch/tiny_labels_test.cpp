#include "training/data/fetch/tiny_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "training/data/test_files.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::Pair;

TinyLabels two_classes() {
  TinyLabels labels;
  EXPECT_TRUE(parse_wordnet_ids("n00000002\nn00000001\n", labels).ok());
  return labels;
}

std::string problem(Result<void> (*parse)(std::string_view, TinyLabels&), std::string_view text,
                    TinyLabels labels = two_classes()) {
  const auto done = parse(text, labels);
  return done.ok() ? "none" : done.error().message;
}

TEST(TinyLabelsTest, AreReadFromThreeTables) {
  TinyLabels labels = two_classes();
  EXPECT_THAT(labels.classes, ElementsAre("n00000001", "n00000002"));
  ASSERT_TRUE(parse_words("n00000009\tentity\nn00000001\tgoldfish, Carassius\r\n", labels).ok());
  EXPECT_THAT(labels.words, ElementsAre(Pair("n00000001", "goldfish, Carassius")));
  ASSERT_TRUE(parse_val_annotations("val_0.JPEG\tn00000002\t0\t32\t44\t62\n"
                                    "val_1.JPEG\tn00000001\t0\t0\t1\t1",
                                    labels)
                  .ok());
  EXPECT_THAT(labels.class_of_val,
              ElementsAre(Pair("val_0.JPEG", "n00000002"), Pair("val_1.JPEG", "n00000001")));
}

TEST(TinyLabelsTest, AnErrorNamesTheLine) {
  EXPECT_EQ(problem(parse_wordnet_ids, "n00000001\nn0000000\n", {}),
            "line 2: not a WordNet id such as n01443537: 'n0000000'");
  EXPECT_EQ(problem(parse_wordnet_ids, "n00000001\nn00000001\n", {}),
            "line 2: occurs twice: 'n00000001'");
  EXPECT_EQ(problem(parse_wordnet_ids, "", {}), "contains no class");
  EXPECT_EQ(problem(parse_words, "entity\n"),
            "line 1: not a WordNet id such as n01443537: 'entity'");
  EXPECT_EQ(problem(parse_val_annotations, "../0.JPEG\tn00000001\n"),
            "line 1: not a name such as val_0.JPEG: '../0.JPEG'");
  EXPECT_EQ(problem(parse_val_annotations, "val_0.JPEG n00000001\n"),
            "line 1: not a name such as val_0.JPEG: 'val_0.JPEG n00000001'");
  EXPECT_EQ(problem(parse_val_annotations, "val_0.JPEG\tn00000003\n"),
            "line 1: its class is not in wnids.txt: 'n00000003'");
  EXPECT_EQ(problem(parse_val_annotations, "val_0.JPEG\tn00000001\nval_0.JPEG\tn00000002\n"),
            "line 2: occurs twice: 'val_0.JPEG'");
  EXPECT_EQ(problem(parse_val_annotations, ""), "contains no image");
}

TEST(TinyLabelsTest, SurvivesMutations) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    TinyLabels labels = two_classes();
    (void)parse_words(mutated("n00000001\tgoldfish\nn00000002\ttench\n", random), labels);
    const std::string text = mutated(
        "val_0.JPEG\tn00000002\t0\t32\t44\t62\nval_1.JPEG\tn00000001\t0\t0\t1\t1\n", random);
    if (!parse_val_annotations(text, labels).ok()) continue;
    for (const auto& [file, id] : labels.class_of_val) {
      EXPECT_TRUE(labels.classes.contains(id));
      EXPECT_EQ(file.find('/'), std::string::npos);
    }
    TinyLabels ids;
    (void)parse_wordnet_ids(mutated("n00000002\nn00000001\n", random), ids);
    for (const std::string& id : ids.classes) EXPECT_EQ(id.size(), 9U);
  }
}

}  // namespace
}  // namespace tacho
