// The words an engine is given to build an image, where none is installed too. That the images
// work: tests/e2e/test_env_build.py.
#include "env/image_build.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "env/folder_image.h"
#include "env/oci_image.h"
#include "env/own_images.h"

namespace tacho {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Kind = ImageBase::Kind;

TEST(OciImage, ABaseFromARegistryKeepsItsOwnSettings) {
  const std::string text = dockerfile({Kind::named, "debian:bookworm-slim"});
  EXPECT_THAT(text, HasSubstr("FROM debian:bookworm-slim\n"));
  EXPECT_THAT(text, Not(HasSubstr("ADD base.tar")));
  EXPECT_THAT(text, Not(HasSubstr("PATH")));
}

TEST(OciImage, AnArchiveIsItsFirstLayerAndEveryLayerIsLabelled) {
  const std::string text = dockerfile({Kind::archive, "/some/base.tar"});
  const auto at = [&](const char* words) { return text.find(words); };
  EXPECT_TRUE(text.starts_with("FROM scratch\nLABEL tacho.version=\"")) << text;
  EXPECT_LT(at("ADD base.tar /"), at("ADD layer.tar /"));
  EXPECT_NE(at("ENV PATH=/usr/local/sbin:/usr/local/bin:"), std::string::npos);
  EXPECT_THAT(text, Not(HasSubstr("RUN")));
}

TEST(OciImage, PodmanIsToldWhatMakesImagesAlike) {
  const auto podman = oci_build_command(EnvironmentKind::podman, "/c", "/id").argv;
  EXPECT_THAT(podman, Contains("--timestamp=1686355200"));
  EXPECT_THAT(oci_build_command(EnvironmentKind::docker, "/c", "/id").argv,
              ElementsAre("docker", "build", "--network=none", "--iidfile=/id", "/c"));
}

TEST(FolderImage, OwnersAreKeptByRootAlone) {
  EXPECT_THAT(unpack_command("/a.tar", "/r", true).argv, Contains("--same-owner"));
  EXPECT_THAT(unpack_command("/a.tar", "/r", false).argv, Contains("--no-same-owner"));
}

TEST(FolderImage, ANamedBaseIsUnpackedByItsEngine) {
  EXPECT_THAT(fetch_command(EnvironmentKind::charliecloud, "debian", "/r").argv,
              ElementsAre("ch-convert", "debian", "/r"));
  EXPECT_THAT(fetch_command(EnvironmentKind::singularity, "docker://debian", "/r").argv,
              ElementsAre("singularity", "build", "--force", "--sandbox", "/r", "docker://debian"));
}

TEST(OwnImages, LieInTheirEnginesFolderUnderTheirName) {
  EXPECT_EQ(own_image_place("/h", EnvironmentKind::charliecloud, "localhost/tacho:latest"),
            "/h/images/charliecloud/localhost%tacho+latest");
  const auto sif = own_image_place("/h", EnvironmentKind::apptainer, "tacho");
  EXPECT_EQ(sif, "/h/images/apptainer/tacho.sif");
  EXPECT_EQ(sif, own_image_place("/h", EnvironmentKind::singularity, "tacho"));
}

TEST(ImageBuild, RefusesNamesThatAreNone) {
  const ScratchFolder home;
  const auto complaint = [&](EnvironmentKind kind, const std::string& image) {
    return build_image({.kind = kind, .image = image, .home = home.path()}, {}).error().message;
  };
  EXPECT_THAT(complaint(EnvironmentKind::bare, ""), HasSubstr("build one for podman"));
  EXPECT_THAT(complaint(EnvironmentKind::charliecloud, ".."), HasSubstr("is no name of an image"));
  EXPECT_THAT(complaint(EnvironmentKind::podman, "--all"), HasSubstr("is no name of an image"));
  EXPECT_TRUE(std::filesystem::is_empty(home.path()));
}

}  // namespace
}  // namespace tacho
