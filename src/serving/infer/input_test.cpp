#include "serving/infer/input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/mutation.h"
#include "base/random.h"
#include "serving/infer/test_model.h"

namespace tacho::infer {
namespace {

using testing::HasSubstr;

class InputTest : public testing::Test {
 protected:
  auto read(std::string_view body, std::string_view type = "application/json") {
    return read_inputs(model_, {.inputs = 3}, type, body);
  }
  std::string error_message(std::string_view body, std::string_view type = "application/json") {
    const auto inputs = read(body, type);
    return inputs.ok() ? "" : inputs.error().message;
  }
  LetterModel model_;
};

TEST_F(InputTest, ReadsOneOrMoreTexts) {
  const auto inputs = read(R"({"text": ["ab", "b", "ab"]})");
  ASSERT_TRUE(inputs.ok()) << inputs.error().message;
  ASSERT_EQ(inputs->size(), 3U);
  EXPECT_EQ((*inputs)[0].key, (*inputs)[2].key);
  EXPECT_NE((*inputs)[0].key, (*inputs)[1].key);
  EXPECT_EQ((*inputs)[1].sample.tokens, (std::vector<std::int32_t>{'b'}));
  EXPECT_EQ((*read(R"({"text": "ab"})"))[0].key, (*inputs)[0].key);
}

TEST_F(InputTest, ReadsImagesAsBase64OrBytes) {
  model_.become_image_model();
  const auto inputs = read(R"({"images": ["SW1hZ2U=", "SQ=="]})");
  ASSERT_TRUE(inputs.ok()) << inputs.error().message;
  EXPECT_EQ((*inputs)[0].image, "Image");
  EXPECT_EQ((*inputs)[1].image, "I");
  EXPECT_EQ((*read("Image", "image/png"))[0].key, (*inputs)[0].key);
  EXPECT_THAT(error_message(R"({"images": ["SW1h", "S W1"]})"), HasSubstr("images 1: not base64"));
  EXPECT_THAT(error_message(R"({"images": ["SW1"]})"), HasSubstr("not base64"));
  EXPECT_THAT(error_message(R"({"images": ["=SW1"]})"), HasSubstr("not base64"));
}

TEST_F(InputTest, ReportsInvalidBodies) {
  EXPECT_THAT(error_message("{"), HasSubstr("the body"));
  EXPECT_THAT(error_message("[]"), HasSubstr("one member"));
  EXPECT_THAT(error_message(R"({"text": ["a"], "x": 1})"), HasSubstr("one member"));
  EXPECT_THAT(error_message(R"({"images": ["SQ=="]})"), HasSubstr("reads 'text', not 'images'"));
  EXPECT_THAT(error_message(R"({"text": []})"), HasSubstr("one or more"));
  EXPECT_THAT(error_message(R"({"text": ["a", 1]})"), HasSubstr("text 1: not a string"));
  EXPECT_THAT(error_message(R"({"text": ["a", ""]})"), HasSubstr("text 1: a text without a word"));
  EXPECT_THAT(error_message(R"({"text": ["a", "b", "c", "d"]})"), HasSubstr("at most 3"));
  EXPECT_THAT(error_message("{\"text\": [\"\xff\xfe\"]}"), HasSubstr("the body"));
  EXPECT_THAT(error_message("I", "image/png"), HasSubstr("reads text"));
}

TEST_F(InputTest, RejectsDeepAndLongJson) {
  const std::string deep(100'000, '[');
  EXPECT_THAT(error_message(R"({"text": )" + deep), HasSubstr("more than 64 levels deep"));
  std::string wide = "{";
  for (int i = 0; i < 100'000; ++i) wide += "\"" + std::to_string(i) + "\":0,";
  EXPECT_THAT(error_message(wide), HasSubstr("an object with more than 1000 members"));
  std::string many = "{\"text\": [0";
  for (int i = 0; i < 300'000; ++i) many += ",0";
  EXPECT_THAT(error_message(many + "]}"), HasSubstr("more than 100000 JSON values"));
}

TEST_F(InputTest, SurvivesAnyBytes) {
  Random random = Random::scattered(11);
  for (int i = 0; i < 3000; ++i) {
    (void)read(mutated(R"({"text": ["a\u00e9b", "\ud83d\ude00"]})", random)).ok();
  }
  model_.become_image_model();
  for (int i = 0; i < 3000; ++i) {
    (void)read(mutated(R"({"images": ["SW1hZ2U=", "SQ=="]})", random)).ok();
  }
}

}  // namespace
}  // namespace tacho::infer
