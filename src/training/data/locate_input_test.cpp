#include "training/data/locate_input.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/scratch_folder.h"

namespace tacho {
namespace {

RunSpec spec(const char* model, const char* data) {
  RunSpec spec;
  spec.model = model;
  spec.data = data;
  return spec;
}

TEST(LocateInput, FindsDataOfTheModelsInputKind) {
  const ScratchFolder home;
  const auto input = locate_input(spec("mlp", "fashion-mnist"), home.path());
  ASSERT_TRUE(input.ok()) << input.error().message;
  EXPECT_EQ(input->dataset->name, "fashion-mnist");
}

TEST(LocateInput, RejectsAnotherInputKind) {
  const ScratchFolder home;
  const auto input = locate_input(spec("lstm", "fashion-mnist"), home.path());
  ASSERT_FALSE(input.ok());
  EXPECT_EQ(input.error().code, ErrorCode::usage);
  EXPECT_EQ(input.error().message, "lstm reads text, but fashion-mnist holds images");
}

TEST(LocateInput, RejectsTrivialAugmentForImageFiles) {
  const ScratchFolder home;
  for (const char* folder : {"train/cat", "val/cat"}) {
    std::filesystem::create_directories(home.path() / folder);
    std::ofstream(home.path() / folder / "1.jpg") << "not read";
  }
  RunSpec files = spec("resnet18", "image-folder");
  files.data_folder = home.path();
  const auto input = locate_input(files, home.path());
  ASSERT_TRUE(input.ok()) << input.error().message;
  EXPECT_TRUE(input->decodes_files);
  files.trivial_augment = true;
  EXPECT_EQ(locate_input(files, home.path()).error().code, ErrorCode::usage);
  EXPECT_EQ(locate_input(files, home.path()).error().message,
            "--trivial-augment is for prepared images such as cifar10 and tiny-imagenet; "
            "image-folder has image files");
  RunSpec prepared = spec("mlp", "fashion-mnist");
  prepared.trivial_augment = true;
  EXPECT_TRUE(locate_input(prepared, home.path()).ok());
}

TEST(LocateInput, SuggestsTheNearestName) {
  const ScratchFolder home;
  EXPECT_NE(locate_input(spec("mlp", "fashion_mnist"), home.path())
                .error()
                .message.find("did you mean 'fashion-mnist'"),
            std::string::npos);
}

}  // namespace
}  // namespace tacho
