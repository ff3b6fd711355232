#include "machine/env/image_layer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json_object.h"
#include "base/scratch_folder.h"
#include "base/version.h"
#include "machine/env/image_digest.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

NeededLibraries some_libraries() {
  return {.loader = "/lib64/ld-linux-x86-64.so.2",
          .libraries = {{"libc.so.6", "/lib/libc.so.6"}, {"libfmt.so.9", "/lib/libfmt.so.9"}}};
}

TEST(ImageLayer, UsesTheCLibraryOfTheBase) {
  const auto files = plan_layer({"/opt/bin/tacho"}, some_libraries(), true);
  ASSERT_TRUE(files.ok());
  EXPECT_THAT(*files,
              ElementsAre(LayerFile{"/usr/local/bin/tacho", "/opt/bin/tacho"},
                          LayerFile{"/usr/local/lib/tacho/libfmt.so.9", "/lib/libfmt.so.9"}));
}

TEST(ImageLayer, ABaseWithoutACLibraryGetsThatOfThisMachineAndItsLoader) {
  const auto files = plan_layer({}, some_libraries(), false);
  ASSERT_TRUE(files.ok());
  EXPECT_THAT(*files,
              ElementsAre(LayerFile{"/lib64/ld-linux-x86-64.so.2", "/lib64/ld-linux-x86-64.so.2"},
                          LayerFile{"/usr/local/lib/tacho/libc.so.6", "/lib/libc.so.6"},
                          LayerFile{"/usr/local/lib/tacho/libfmt.so.9", "/lib/libfmt.so.9"}));
}

TEST(ImageLayer, RefersToTheDockerfileForACudaWorker) {
  NeededLibraries needed = some_libraries();
  needed.libraries.push_back({"libtorch_cuda.so", "/opt/torch/lib/libtorch_cuda.so"});
  EXPECT_THAT(plan_layer({}, needed, true).error().message, HasSubstr("--target cuda"));
}

TEST(ImageLayer, ReportsAMissingProgram) {
  const ScratchFolder folder;
  ASSERT_TRUE(write_file_atomically(folder.path() / "tacho", "").ok());
  EXPECT_THAT(programs_in(folder.path()).error().message,
              HasSubstr("tacho-take is not in " + folder.path().string()));
}

TEST(ImageLayer, TheSameFilesMakeTheSameArchiveWithADescription) {
  const ScratchFolder folder;
  const fs::path real = folder.path() / "libx.so.1.2.3";
  ASSERT_TRUE(write_file_atomically(real, "bytes").ok());
  fs::create_symlink(real, folder.path() / "libx.so.1");
  const std::vector<LayerFile> files{
      {"/usr/local/lib/tacho/libx.so.1", folder.path() / "libx.so.1"}};
  std::vector<std::string> digests;
  for (const char* name : {"first", "second"}) {
    const fs::path scratch = folder.path() / name;
    fs::create_directory(scratch);
    fs::last_write_time(real, fs::file_time_type::clock::now());
    const auto packed = pack_layer(files, scratch / "layer.tar", scratch, {});
    ASSERT_TRUE(packed.ok()) << packed.error().message;
    digests.push_back(*image_digest(scratch / "layer.tar"));
  }
  EXPECT_EQ(digests[0], digests[1]);

  const fs::path root = folder.path() / "root";
  fs::create_directory(root);
  ASSERT_TRUE(capture({.argv = {"tar", "-C", root, "-xf", folder.path() / "first/layer.tar"}},
                      std::chrono::seconds(60))
                  ->status.success());
  EXPECT_EQ(*read_file(root / "usr/local/lib/tacho/libx.so.1"), "bytes");
  const Json note = Json::parse(*read_file(root / "usr/local/share/tacho/image.json"));
  EXPECT_EQ(note.at("tacho"), kVersion);
  EXPECT_EQ(note.at("files").at("/usr/local/lib/tacho/libx.so.1"), "libx.so.1.2.3");
}

}  // namespace
}  // namespace tacho
