#include "machine/env/image_base.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/mutation.h"
#include "base/scratch_folder.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using Kind = ImageBase::Kind;

constexpr std::string_view kTargets =
    "http://mirror.example/debian/|bookworm|main|Debian\n"
    "http://mirror.example/debian/|bookworm|main|Debian\n"
    "http://mirror.example/debian/|bookworm|non-free|Debian\n"
    "http://mirror.example/debian/|bookworm-backports|main|Debian Backports\n"
    "http://mirror.example/debian-security/|bookworm-security|main|$(ORIGIN)\n"
    "https://vendor.example/apt/|bookworm|main|A Vendor\n"
    "nonsense\n";

TEST(ImageBase, IsCreatedUnlessAFileOrANameIsGiven) {
  const ScratchFolder folder;
  const fs::path file = folder.path() / "base.tar";
  ASSERT_TRUE(write_file_atomically(file, "").ok());
  EXPECT_EQ(*parse_image_base(""), (ImageBase{Kind::made, ""}));
  EXPECT_EQ(*parse_image_base("mmdebstrap"), (ImageBase{Kind::made, ""}));
  EXPECT_EQ(*parse_image_base(file), (ImageBase{Kind::archive, file.string()}));
  EXPECT_EQ(*parse_image_base("debian:bookworm-slim"),
            (ImageBase{Kind::named, "debian:bookworm-slim"}));
}

TEST(ImageBase, ExplainsAnInvalidBase) {
  const ScratchFolder folder;
  const auto complaint = [](const std::string& word) {
    return parse_image_base(word).error().message;
  };
  EXPECT_THAT(complaint("/not/there.tar"), HasSubstr("no such file; leave --base out"));
  EXPECT_THAT(complaint("other.tar.xz"), HasSubstr("no such file"));
  EXPECT_THAT(complaint(folder.path()), HasSubstr("is a folder; pack it first with 'tar -C"));
  EXPECT_THAT(complaint("debian\nRUN x"), HasSubstr("is not a valid image name"));
  EXPECT_THAT(complaint("--privileged"), HasSubstr("is not a valid image name"));
}

TEST(ImageBase, UsesTheReleaseAndMirrorsOfThisMachine) {
  EXPECT_EQ(parse_suite("NAME=x\nVERSION_CODENAME=\"bookworm\"\n"), "bookworm");
  EXPECT_EQ(parse_suite("NAME=x\n"), "");
  EXPECT_EQ(parse_sources(kTargets, "bookworm"),
            "deb http://mirror.example/debian/ bookworm main\n"
            "deb http://mirror.example/debian-security/ bookworm-security main\n");
}

TEST(ImageBase, MmdebstrapGetsTheSourcesAndTheProxy) {
  const Command command = base_command({"bookworm", "deb …", "http://proxy:3128"}, "/s", "/b.tar");
  const std::vector<std::string> last(command.argv.end() - 3, command.argv.end());
  EXPECT_THAT(last, ::testing::ElementsAre("bookworm", "/b.tar", "/s"));
  EXPECT_THAT(command.argv, Contains("--mode=auto"));  // works with and without root
  EXPECT_EQ(command.environment.at("http_proxy"), "http://proxy:3128");
  EXPECT_EQ(command.environment.at("SOURCE_DATE_EPOCH"), std::to_string(kImageTime));
}

TEST(ImageBase, DetectsACLibraryInAnArchive) {
  const ScratchFolder folder;
  const auto packed = [&](const char* file) {
    const fs::path root = folder.path() / "root";
    fs::remove_all(root);
    fs::create_directories((root / file).parent_path());
    EXPECT_TRUE(write_file_atomically(root / file, "").ok());
    const std::string archive = folder.path() / "base.tar";
    EXPECT_TRUE(
        capture({.argv = {"tar", "-C", root, "-cf", archive, "."}}, std::chrono::seconds(60)).ok());
    return archive;
  };
  EXPECT_FALSE(*has_c_library(packed("bin/busybox")));
  EXPECT_TRUE(*has_c_library(packed("lib64/ld-linux-x86-64.so.2")));
  const fs::path broken = folder.path() / "broken.tar";
  ASSERT_TRUE(write_file_atomically(broken, std::string(2000, 'x')).ok());
  const auto asked = has_c_library(broken);
  ASSERT_FALSE(asked.ok());
  EXPECT_THAT(asked.error().message, HasSubstr("not a tar archive of a root file system"));
}

TEST(ImageBase, SurvivesAnyListOfSources) {
  Random random(7, 0);
  for (int i = 0; i < 2000; ++i) {
    const std::string sources = parse_sources(mutated(std::string(kTargets), random), "bookworm");
    EXPECT_TRUE(sources.empty() || sources.starts_with("deb "));
    (void)parse_suite(mutated("VERSION_CODENAME=\"bookworm\"\n", random));
  }
}

}  // namespace
}  // namespace tacho
