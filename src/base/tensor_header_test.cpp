#include "base/tensor_header.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string complaint(std::string_view text, std::size_t data_size = 8) {
  const auto header = read_tensor_header(text, data_size);
  return header.ok() ? "" : header.error().message;
}

std::string entry(std::string_view name, std::string_view shape, int begin, int end) {
  return fmt::format(R"("{}":{{"dtype":"F32","shape":{},"data_offsets":[{},{}]}})", name, shape,
                     begin, end);
}

TEST(TensorHeader, ReadsTheOffsetsOfEachTensor) {
  const auto header =
      read_tensor_header("{\"__metadata__\":{\"epochs\":\"3\"}," + entry("b", "[]", 4, 8) + "," +
                             entry("a", "[1,1]", 0, 4) + "," + entry("empty", "[0,4]", 4, 4) + "}",
                         8);
  ASSERT_TRUE(header.ok()) << header.error().message;
  ASSERT_EQ(header->tensors.size(), 3U);
  EXPECT_EQ(header->tensors[0].name, "b");
  EXPECT_EQ(header->tensors[0].begin, 4U);
  EXPECT_THAT(header->tensors[1].shape, ElementsAre(1, 1));
  EXPECT_EQ(header->metadata.at("epochs"), "3");
}

TEST(TensorHeader, RefusesTensorsThatShareBytes) {
  EXPECT_EQ(complaint("{" + entry("a", "[1]", 0, 4) + "," + entry("b", "[1]", 4, 8) + "}"), "");
  EXPECT_EQ(complaint("{" + entry("a", "[1]", 0, 4) + "," + entry("b", "[1]", 0, 4) + "}"),
            "'b': overlaps 'a'");
  EXPECT_EQ(complaint("{" + entry("a", "[1]", 3, 7) + "," + entry("b", "[2]", 0, 8) + "}"),
            "'a': overlaps 'b'");
  // An empty tensor overlaps nothing.
  EXPECT_EQ(complaint("{" + entry("a", "[2]", 0, 8) + "," + entry("b", "[0]", 4, 4) + "}"), "");
}

TEST(TensorHeader, RefusesInvalidShapes) {
  EXPECT_THAT(complaint("{" + entry("a", "[3000000000,3000000000]", 0, 4) + "}"),
              HasSubstr("larger than any file"));
  EXPECT_THAT(complaint("{" + entry("a", "[0,3000000000,3000000000]", 0, 0) + "}"),
              HasSubstr("larger than any file"));
  EXPECT_THAT(complaint("{" + entry("a", "[-1]", 0, 4) + "}"), HasSubstr("negative dimension"));
  EXPECT_THAT(complaint("{" + entry("a", "[1.5]", 0, 4) + "}"), HasSubstr("whole number"));
  EXPECT_THAT(complaint("{" + entry("a", "[1]", 4, 0) + "}"), HasSubstr("bad offsets"));
  EXPECT_THAT(complaint("{" + entry("a", "[1]", 8, 12) + "}"), HasSubstr("do not match"));
  std::string ones = "[1";
  for (int i = 0; i < 100; ++i) ones += ",1";
  EXPECT_THAT(complaint("{" + entry("a", ones + "]", 0, 4) + "}"), HasSubstr("64 dimensions"));
}

// Measures CPU time; comparing all names with each other takes minutes.
TEST(TensorHeader, ManyTensorsTakeLinearTime) {
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i) {
    text += (i == 0 ? "" : ",") + entry(std::to_string(i), "[1]", 4 * i, 4 * i + 4);
  }
  const std::clock_t begun = std::clock();
  EXPECT_EQ(complaint(text + "}", 800'000), "");
  EXPECT_LT(std::clock() - begun, 20 * CLOCKS_PER_SEC);
}

}  // namespace
}  // namespace tacho
