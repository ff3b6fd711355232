#include "base/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "base/mutation.h"

namespace tacho {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string problem_of(std::string_view text) {
  const auto parsed = parse_yaml(text, "grid.yaml");
  return parsed.ok() ? "" : parsed.error().message;
}

TEST(ParseYaml, KeepsTheTextAndThePositionOfEveryValue) {
  const auto root = parse_yaml("base:\n  graphs: on\n  batch: [32, '010']\nempty:\n", "grid.yaml");
  ASSERT_TRUE(root.ok()) << root.error().message;
  const YamlNode* base = root->find("base");
  ASSERT_NE(base, nullptr);
  EXPECT_EQ(base->find("graphs")->text, "on");
  const YamlNode& batch = *base->find("batch");
  ASSERT_EQ(batch.items.size(), 2U);
  EXPECT_EQ(batch.items[1].text, "010");
  EXPECT_EQ(batch.items[1].line, 3);
  EXPECT_EQ(batch.items[1].column, 15);
  EXPECT_EQ(root->find("empty")->kind, YamlNode::Kind::null);
  EXPECT_EQ(root->find("absent"), nullptr);
}

// Takes time linear in the number of keys: they are not compared with each other.
TEST(ParseYaml, ReadsAMapWithManyKeys) {
  std::string text;
  for (int i = 0; i < 90'000; ++i) text += "k" + std::to_string(i) + ": 1\n";
  const auto root = parse_yaml(text, "grid.yaml");
  ASSERT_TRUE(root.ok()) << root.error().message;
  EXPECT_EQ(root->entries.size(), 90'000U);
  EXPECT_THAT(problem_of(text + "k7: 2\n"), HasSubstr("duplicate key 'k7', first on line 8"));
}

// Each anchor keeps a copy: fifty anchors of one long list are fifty lists.
TEST(ParseYaml, RefusesManyAnchorsOfOneLongList) {
  std::string text = "a: ";
  for (int i = 0; i < 50; ++i) text += "&b" + std::to_string(i) + " [";
  for (int i = 0; i < 20'000; ++i) text += "1, ";
  EXPECT_THAT(problem_of(text + std::string(50, ']')),
              HasSubstr("contains more than 200000 values"));
}

TEST(ParseYaml, ErrorsNameThePosition) {
  EXPECT_THAT(problem_of("a: [1, 2\nb: 3\n"), StartsWith("grid.yaml:2:"));
  EXPECT_EQ(problem_of("a: 1\nb: 2\na: 3\n"), "grid.yaml:3:1: duplicate key 'a', first on line 1");
  EXPECT_EQ(problem_of("? [1]\n: 2\n"), "grid.yaml:1:3: a key must be a single value");
  EXPECT_THAT(problem_of("a: 1\n---\nb: 1\n"), HasSubstr("more than one document"));
  EXPECT_THAT(problem_of(std::string_view("a: 1\0b", 6)), HasSubstr("zero byte"));
}

TEST(ParseYaml, AnAliasIsACopy) {
  const auto root = parse_yaml("a: &x [1, 2]\nb: *x\n", "grid.yaml");
  ASSERT_TRUE(root.ok()) << root.error().message;
  EXPECT_EQ(root->find("b")->items.size(), 2U);
}

TEST(ParseYaml, RefusesAliasesThatGrowTooLarge) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int j = 0; j < 9; ++j) text += ", " + before;
    text += "]\n";
  }
  EXPECT_THAT(problem_of(text), HasSubstr("more than 200000 values"));
  EXPECT_THAT(problem_of("a: &x [*x]\n"), HasSubstr("an alias inside the value it refers to"));
}

TEST(ParseYaml, RefusesEndlessNesting) {
  EXPECT_THAT(problem_of(std::string(3000, '[')), StartsWith("grid.yaml:1:"));
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_THAT(problem_of(deep), HasSubstr("nested more than 64 levels deep"));
}

TEST(ParseYaml, AliasesCountTowardsTheNestingLimit) {
  const std::string open(40, '[');
  const std::string close(40, ']');
  EXPECT_EQ(problem_of("a: &x " + open + close + "\nb: *x\n"), "");
  EXPECT_THAT(problem_of("a: &x " + open + close + "\nb: " + open + "*x" + close + "\n"),
              HasSubstr("nested more than 64 levels deep"));
}

// Measures CPU time; comparing all keys with each other takes more than 20 s.
TEST(ParseYaml, ManyKeysTakeLinearTime) {
  std::string text;
  for (int i = 0; i < 99'000; ++i) text += std::to_string(i) + ": 0\n";
  const std::clock_t begun = std::clock();
  const auto parsed = parse_yaml(text, "grid.yaml");
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_EQ(parsed->entries.size(), 99'000U);
  EXPECT_LT(std::clock() - begun, 8 * CLOCKS_PER_SEC);
}

TEST(ParseYaml, SurvivesDamage) {
  const std::string sample =
      "base: {model: mlp, data: synthetic}\nmatrix:\n  batch: [32, 64]\n  seed: &s {from: 1}\n"
      "include:\n  - {batch: 7, note: \"a \\x41\"}\n  - *s\nname: |\n  text\n  more\n";
  Random random(1, 0);
  for (int i = 0; i < 3000; ++i) (void)parse_yaml(mutated(sample, random), "grid.yaml").ok();
}

}  // namespace
}  // namespace tacho
