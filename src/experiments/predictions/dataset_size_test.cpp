#include "experiments/predictions/dataset_size.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

TEST(DatasetSize, KnowsThePublishedDatasets) {
  const auto size = [](std::string_view name) {
    const auto found = dataset_size(name);
    return found.ok() ? std::pair(found->train, found->eval) : std::pair(0.0, 0.0);
  };
  EXPECT_EQ(size("mnist"), std::pair(60'000.0, 10'000.0));
  EXPECT_EQ(size("fashion-mnist"), std::pair(60'000.0, 10'000.0));
  EXPECT_EQ(size("cifar10"), std::pair(50'000.0, 10'000.0));
  EXPECT_EQ(size("imagenet"), std::pair(1'281'167.0, 50'000.0));
  EXPECT_EQ(size("imdb"), std::pair(25'000.0, 25'000.0));
  EXPECT_EQ(size("sst2"), std::pair(67'349.0, 872.0));
}

TEST(DatasetSize, RefusesUnknownNamesAndFoldersOfImages) {
  EXPECT_EQ(dataset_size("cifar11").error().code, ErrorCode::usage);
  EXPECT_THAT(dataset_size("image-folder").error().message, testing::HasSubstr("any number"));
}

}  // namespace
}  // namespace tacho
