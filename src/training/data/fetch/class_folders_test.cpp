#include "training/data/fetch/class_folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const ImageSource kPets{"pets.zip", false};

// Returns "part class file" for each image, or the error.
std::vector<std::string> placed(const std::vector<std::string>& files) {
  const auto images = find_class_folders(kPets, files);
  if (!images.ok()) return {images.error().message};
  std::vector<std::string> texts;
  for (const PlacedImage& image : *images) {
    const std::string part = image.part == ImagePart::train ? "train" : "eval";
    texts.push_back(part + " " + image.class_name + " " + image.file);
  }
  return texts;
}

TEST(ClassFolders, HaveTheClassOfTheirName) {
  EXPECT_THAT(placed({"train/cat/1.jpg", "train/dog/2.PNG", "test/cat/3.jpeg"}),
              ElementsAre("train cat train/cat/1.jpg", "train dog train/dog/2.PNG",
                          "eval cat test/cat/3.jpeg"));
}

TEST(ClassFolders, MayBeInACommonFolderAndContainAFolderOfImages) {
  EXPECT_THAT(
      placed({"a/pets/train/cat/images/1.jpg", "a/pets/valid/cat/2.jpg"}),
      ElementsAre("train cat a/pets/train/cat/images/1.jpg", "eval cat a/pets/valid/cat/2.jpg"));
  EXPECT_THAT(placed({"train/images/1.jpg"}), ElementsAre("train images train/images/1.jpg"));
}

TEST(ClassFolders, UseOneEvaluationPart) {
  EXPECT_THAT(placed({"test/cat/1.jpg", "train/cat/2.jpg", "valid/cat/3.jpg"}),
              ElementsAre("train cat train/cat/2.jpg", "eval cat valid/cat/3.jpg"));
}

TEST(ClassFolders, IgnoreOtherFiles) {
  EXPECT_THAT(placed({"train/cat/notes.txt", "train/1.jpg", "cat/1.jpg", "train/cat/.1.jpg",
                      "__MACOSX/train/cat/1.jpg", "train/cat/deeper/1.jpg"}),
              IsEmpty());
}

TEST(ClassFolders, AreNotMixedWithThoseOfAnotherFolder) {
  EXPECT_THAT(placed({"new/train/cat/1.jpg", "old/train/cat/1.jpg"}),
              ElementsAre("pets.zip: old/train/cat/1.jpg: there are also images below new/train; "
                          "keep one of the two"));
}

}  // namespace
}  // namespace tacho
