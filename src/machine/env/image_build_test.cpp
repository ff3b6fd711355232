// Tests the commands that build an image, without an installed engine. tests/e2e/test_env_build.py
// tests the images.
#include "machine/env/image_build.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_object.h"
#include "base/scratch_folder.h"
#include "base/version.h"
#include "machine/env/folder_image.h"
#include "machine/env/oci_image.h"
#include "machine/env/own_images.h"

namespace tacho {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(OciImage, TheConfigIsReproducibleWithLayersAndLabels) {
  const Json config = Json::parse(image_config({"sha256:aa", "sha256:bb"}));
  EXPECT_EQ(config.at("rootfs").at("diff_ids"), Json({"sha256:aa", "sha256:bb"}));
  EXPECT_EQ(config.at("history").size(), 2U);
  EXPECT_EQ(config.at("config").at("Labels").at("tacho.version"), kVersion);
  EXPECT_EQ(config.at("config").at("Env").at(0),
            "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
  EXPECT_EQ(config.at("created"), "2023-06-10T00:00:00.000Z");
  EXPECT_EQ(image_config({"sha256:aa"}), image_config({"sha256:aa"}));
}

TEST(OciImage, RecognisesACompressedBaseByItsFirstBytes) {
  EXPECT_EQ(decompressor("\x1f\x8b\x08"), "gzip");
  EXPECT_EQ(decompressor("\x28\xb5\x2f\xfd\x01"), "zstd");
  EXPECT_EQ(decompressor(std::string_view("\xfd\x37zXZ\0", 6)), "xz");
  EXPECT_EQ(decompressor("./bin/"), "");
  EXPECT_EQ(decompressor(""), "");
}

TEST(FolderImage, OnlyRootKeepsOwners) {
  EXPECT_THAT(unpack_command("/a.tar", "/r", true).argv, Contains("--same-owner"));
  EXPECT_THAT(unpack_command("/a.tar", "/r", false).argv, Contains("--no-same-owner"));
}

TEST(FolderImage, ANamedBaseIsUnpackedByItsEngine) {
  EXPECT_THAT(fetch_command(EnvironmentKind::charliecloud, "debian", "/r").argv,
              ElementsAre("ch-convert", "debian", "/r"));
  EXPECT_THAT(fetch_command(EnvironmentKind::singularity, "docker://debian", "/r").argv,
              ElementsAre("singularity", "build", "--force", "--sandbox", "/r", "docker://debian"));
}

TEST(OwnImages, AreInTheFolderOfTheirEngineByName) {
  EXPECT_EQ(own_image_place("/h", EnvironmentKind::charliecloud, "localhost/tacho:latest"),
            "/h/images/charliecloud/localhost%tacho+latest");
  const auto sif = own_image_place("/h", EnvironmentKind::apptainer, "tacho");
  EXPECT_EQ(sif, "/h/images/apptainer/tacho.sif");
  EXPECT_EQ(sif, own_image_place("/h", EnvironmentKind::singularity, "tacho"));
}

TEST(ImageBuild, RefusesInvalidNames) {
  const ScratchFolder home;
  const auto complaint = [&](EnvironmentKind kind, const std::string& image) {
    return build_image({.kind = kind, .image = image, .home = home.path()}, {}).error().message;
  };
  EXPECT_THAT(complaint(EnvironmentKind::bare, ""), HasSubstr("build one for podman"));
  EXPECT_THAT(complaint(EnvironmentKind::charliecloud, ".."),
              HasSubstr("is not a valid image name"));
  EXPECT_THAT(complaint(EnvironmentKind::docker, "Tacho"), HasSubstr("use lower-case letters"));
  EXPECT_THAT(complaint(EnvironmentKind::podman, "--all"), HasSubstr("is not a valid image name"));
  EXPECT_TRUE(std::filesystem::is_empty(home.path()));
}

}  // namespace
}  // namespace tacho
