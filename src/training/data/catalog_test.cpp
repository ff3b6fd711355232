#include "training/data/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using testing::ElementsAre;

TEST(DatasetCatalog, NamesEveryDatasetInOrder) {
  EXPECT_THAT(dataset_names(),
              ElementsAre("fashion-mnist", "mnist", "cifar10", "cifar100", "tiny-imagenet",
                          "imagenet", "image-folder", "text", "sst2", "imdb"));
}

TEST(DatasetCatalog, FindsADatasetOrSuggestsTheNearest) {
  EXPECT_EQ((*find_dataset("mnist"))->files.size(), 4U);
  const auto wrong = find_dataset("fashion-mnits");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().code, ErrorCode::usage);
  EXPECT_THAT(wrong.error().message, testing::HasSubstr("did you mean 'fashion-mnist'?"));
}

TEST(DatasetCatalog, NamesTheCommandForEachDataset) {
  std::vector<std::string> commands;
  for (const DatasetInfo& info : dataset_catalog()) commands.push_back(command_to_get(info));
  EXPECT_THAT(commands, ElementsAre("apt-get install dataset-fashion-mnist", "tacho data get mnist",
                                    "tacho data get cifar10",
                                    "tacho data prepare cifar100 --from cifar-100-binary.tar.gz",
                                    "tacho data prepare tiny-imagenet --from tiny-imagenet-200.zip",
                                    "tacho data prepare imagenet --from DIR",
                                    "tacho train MODEL --data image-folder --data-dir DIR",
                                    "tacho train MODEL --data text --data-dir DIR",
                                    "tacho data prepare sst2 --from SST-2.zip",
                                    "tacho data prepare imdb --from aclImdb_v1.tar.gz"));
}

TEST(DatasetCatalog, NamesTheSourceOfTheFiles) {
  EXPECT_EQ(how_to_get(**find_dataset("mnist")), "tacho data get mnist");
  EXPECT_EQ(how_to_get(**find_dataset("imagenet")),
            "tacho data prepare imagenet --from DIR, with ILSVRC2012_img_train.tar, "
            "ILSVRC2012_img_val.tar and ILSVRC2012_devkit_t12.tar.gz from https://image-net.org "
            "(with a login)");
}

}  // namespace
}  // namespace tacho
