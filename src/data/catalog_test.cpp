#include "data/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using testing::ElementsAre;

TEST(DatasetCatalog, NamesEveryDatasetInOrder) {
  EXPECT_THAT(dataset_names(), ElementsAre("fashion-mnist", "mnist", "sst2", "imdb"));
}

TEST(DatasetCatalog, FindsADatasetOrTheNameThatWasMeant) {
  EXPECT_EQ((*find_dataset("mnist"))->files.size(), 4U);
  const auto wrong = find_dataset("fashion-mnits");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().code, ErrorCode::usage);
  EXPECT_THAT(wrong.error().message, testing::HasSubstr("did you mean 'fashion-mnist'?"));
}

TEST(DatasetCatalog, SaysHowToGetEach) {
  std::vector<std::string> commands;
  for (const DatasetInfo& info : dataset_catalog()) commands.push_back(how_to_get(info));
  EXPECT_THAT(commands, ElementsAre("apt-get install dataset-fashion-mnist", "tacho data get mnist",
                                    "tacho data prepare sst2 --from DIR",
                                    "tacho data prepare imdb --from DIR"));
}

}  // namespace
}  // namespace tacho
