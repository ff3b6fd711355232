#include "core/record/describe_request.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

TEST(DescribeRequest, StartsFromTheModelsSampleAndSurvivesTheRoundTrip) {
  auto request = *describe_request("resnet50");
  request.precision = Precision::bf16;
  ASSERT_TRUE(check(request).ok());
  const auto back = describe_request_from_json(to_json(request));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->sample.height, 224);
  EXPECT_EQ(back->sample.classes, 1000);
  EXPECT_EQ(back->precision, Precision::bf16);
  EXPECT_EQ(back->optimizer.kind, OptimizerKind::sgd);
  EXPECT_EQ(back->optimizer.momentum, 0.9);
}

TEST(DescribeRequest, NamesTheNearestModel) {
  const auto request = describe_request("resnet51");
  ASSERT_FALSE(request.ok());
  EXPECT_EQ(request.error().code, ErrorCode::usage);
  EXPECT_NE(request.error().message.find("did you mean 'resnet50'"), std::string::npos);
}

TEST(DescribeRequest, ReadsImageShapesAndNothingElse) {
  SampleShape shape;
  ASSERT_TRUE(read_image_shape("3x32x64", shape).ok());
  EXPECT_EQ(shape.channels, 3);
  EXPECT_EQ(shape.height, 32);
  EXPECT_EQ(shape.width, 64);
  for (const char* text : {"", "3", "3x32", "3x32x", "3x32x64x1", "3x 32x64", "axbxc", "3×32×64",
                           "3x32x99999999999999999999"}) {
    EXPECT_FALSE(read_image_shape(text, shape).ok()) << text;
  }
}

TEST(DescribeRequest, RefusesWhatTheModelDoesNotRead) {
  auto image = *describe_request("resnet18");
  image.sample.length = 128;
  EXPECT_FALSE(check(image).ok());
  auto text = *describe_request("lstm");
  text.sample.channels = 3;
  EXPECT_FALSE(check(text).ok());
  text = *describe_request("lstm");
  text.batch = 0;
  EXPECT_FALSE(check(text).ok());
}

}  // namespace
}  // namespace tacho
