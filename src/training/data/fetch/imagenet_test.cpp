#include "training/data/fetch/imagenet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

#include "training/data/fetch/test_dataset.h"
#include "training/data/fetch/test_imagenet.h"
#include "training/data/fetch/test_tree.h"

namespace tacho {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
namespace fs = std::filesystem;

class PrepareImagenet : public testing::Test {
 protected:
  PrepareImagenet() { release_.put_in(from_); }

  Result<fs::path> prepare_fish(const Watch& watch = {}) {
    return prepare_imagenet(TestImagenet::info(), from_, home_, quiet, watch);
  }

  // Replaces the release with the changed one and returns the error.
  std::string problem() {
    release_.put_in(from_);
    const auto folder = prepare_fish();
    if (folder.ok()) return "none";
    EXPECT_EQ(folder.error().code, ErrorCode::invalid) << folder.error().message;
    EXPECT_THAT(tree(data_), ElementsAre(".fish.lock"));
    return folder.error().message;
  }

  void put_train(const Entries& entries) { put(train_, archive_bytes(entries, ArchiveKind::tar)); }

  // Stops before writing the image with this number, counted over all archives.
  static Watch stop_before(int image) {
    auto left = std::make_shared<int>(image);
    return {.stopped = [left] { return (*left)-- == 0; }};
  }

  void expect_prepared() {
    EXPECT_THAT(
        tree(data_),
        ElementsAre(
            ".fish.lock", "fish/classes.tsv", "fish/train/n00000001/n00000001_0.JPEG",
            "fish/train/n00000001/n00000001_10.JPEG", "fish/train/n00000002/n00000002_0.JPEG",
            "fish/train/n00000002/n00000002_10.JPEG", "fish/train/n00000002/n00000002_20.JPEG",
            "fish/train/n00000003/n00000003_0.JPEG", "fish/train/n00000003/n00000003_10.JPEG",
            "fish/val/n00000001/ILSVRC2012_val_00000001.JPEG",
            "fish/val/n00000001/ILSVRC2012_val_00000004.JPEG",
            "fish/val/n00000002/ILSVRC2012_val_00000003.JPEG",
            "fish/val/n00000003/ILSVRC2012_val_00000002.JPEG"));
    EXPECT_EQ(*read_file(data_ / "fish/train/n00000002/n00000002_20.JPEG"),
              jpeg("n00000002_20.JPEG"));
    EXPECT_EQ(*read_file(data_ / "fish/val/n00000003/ILSVRC2012_val_00000002.JPEG"),
              jpeg("ILSVRC2012_val_00000002.JPEG"));
    EXPECT_EQ(*read_file(data_ / "fish/classes.tsv"),
              "n00000001\tshark\t2\t2\nn00000002\tgoldfish\t3\t1\nn00000003\ttench\t2\t1\n");
  }

  TestImagenet release_;
  const ScratchFolder scratch_;
  const fs::path from_ = scratch_.path() / "from";
  const fs::path train_ = from_ / "ILSVRC2012_img_train.tar";
  const fs::path val_ = from_ / "ILSVRC2012_img_val.tar";
  const fs::path home_ = scratch_.path() / "home";
  const fs::path data_ = home_ / "data";
};

TEST_F(PrepareImagenet, SortsImagesIntoClasses) {
  const auto folder = prepare_fish();
  ASSERT_TRUE(folder.ok()) << folder.error().message;
  EXPECT_EQ(*folder, data_ / "fish");
  expect_prepared();
}

TEST_F(PrepareImagenet, ReplacesAnOlderFolder) {
  put(data_ / "fish/train/old.JPEG", "old");
  ASSERT_TRUE(prepare_fish().ok());
  expect_prepared();
}

TEST_F(PrepareImagenet, ContinuesAfterAStopAtAnyPoint) {
  int stops = 0;
  for (bool stopped = true; stopped; ++stops) {
    fs::remove_all(data_);
    const auto first = prepare_fish(stop_before(stops));
    stopped = !first.ok();
    if (stopped) {
      EXPECT_EQ(first.error().message, "stopped; what is finished is kept in " +
                                           (data_ / "fish.partial").string() +
                                           ": run it again to continue");
      EXPECT_FALSE(fs::exists(data_ / "fish"));
      EXPECT_FALSE(fs::exists(data_ / "fish.partial/.unfinished"));
      ASSERT_TRUE(prepare_fish().ok());
    }
    expect_prepared();
  }
  EXPECT_EQ(stops, 16);  // before each of 11 images, and at the end of each of 4 archives
}

TEST_F(PrepareImagenet, DoesNotRepeatFinishedClasses) {
  ASSERT_FALSE(prepare_fish(stop_before(4)).ok());
  const fs::path finished = data_ / "fish.partial/train/n00000001/n00000001_0.JPEG";
  const auto written = fs::last_write_time(finished);
  std::int64_t found = 0;
  ASSERT_TRUE(prepare_fish({.progress = [&](const Progress& now) { found = now.found; }}).ok());
  expect_prepared();
  EXPECT_EQ(fs::last_write_time(data_ / "fish/train/n00000001/n00000001_0.JPEG"), written);
  EXPECT_EQ(found, static_cast<std::int64_t>(release_.class_archives()[0].second.size()));
}

// Simulates kill -9 at any point.
TEST_F(PrepareImagenet, ContinuesAfterAKillAtAnyPoint) {
  for (const int images : {0, 1, 3, 6, 10}) {
    fs::remove_all(data_);
    auto left = std::make_shared<int>(images);
    const Watch die{.progress = [left](const Progress&) {
      if ((*left)-- == 0) ::_exit(9);
    }};
    EXPECT_EXIT((void)prepare_fish(die), testing::ExitedWithCode(9), "");
    EXPECT_FALSE(fs::exists(data_ / "fish"));
    ASSERT_TRUE(prepare_fish().ok());
    expect_prepared();
  }
}

TEST_F(PrepareImagenet, StartsOverWithOtherArchives) {
  ASSERT_FALSE(prepare_fish(stop_before(4)).ok());
  release_.train["n00000001"][0].second = jpeg("another");
  release_.put_in(from_);
  ASSERT_TRUE(prepare_fish().ok());
  EXPECT_EQ(*read_file(data_ / "fish/train/n00000001/n00000001_0.JPEG"), jpeg("another"));
}

TEST_F(PrepareImagenet, ReportsProgress) {
  std::vector<Progress> told;
  ASSERT_TRUE(prepare_fish({.progress = [&](const Progress& now) { told.push_back(now); }}).ok());
  ASSERT_EQ(told.size(), 15U);
  const auto total = static_cast<std::int64_t>(fs::file_size(train_) + fs::file_size(val_));
  std::int64_t before = 0;
  for (const Progress& now : told) {
    EXPECT_EQ(now.total, total);
    EXPECT_GE(now.done, before);
    EXPECT_LE(now.done, total);
    before = now.done;
  }
  EXPECT_GT(before, static_cast<std::int64_t>(fs::file_size(train_)));
}

TEST_F(PrepareImagenet, NamesAMissingArchiveAndChangesNothing) {
  fs::remove(val_);
  const auto folder = prepare_fish();
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.error().code, ErrorCode::not_found);
  EXPECT_EQ(folder.error().message,
            "there is no " + val_.string() + "; fish needs three archives in one folder");
  EXPECT_FALSE(fs::exists(home_));
}

TEST_F(PrepareImagenet, NamesTheEntryWhereAnArchiveIsTruncated) {
  const std::string whole = *read_file(train_);
  const std::size_t third_class = whole.find("n00000003.tar");
  put(train_, whole.substr(0, third_class + 512 + 700));
  const auto folder = prepare_fish();
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.error().code, ErrorCode::invalid);
  EXPECT_THAT(folder.error().message,
              StartsWith(train_.string() + ": n00000003.tar: n00000003_0.JPEG: Truncated"));
  EXPECT_THAT(tree(data_), ElementsAre(".fish.lock"));
}

TEST_F(PrepareImagenet, SurvivesTruncationAtAnyPoint) {
  for (const fs::path& archive : {train_, val_}) {
    const std::string whole = *read_file(archive);
    // The last two blocks of a .tar only mark its end, and more of them are padding.
    for (std::size_t size = 0; size < whole.find_last_not_of('\0') - 600; size += 256) {
      put(archive, whole.substr(0, size));
      EXPECT_FALSE(prepare_fish().ok()) << archive << " cut to " << size;
      EXPECT_THAT(tree(data_), ElementsAre(".fish.lock"));
    }
    put(archive, whole);
  }
}

TEST_F(PrepareImagenet, RemovesEarlierAttemptsIfAnArchiveIsDamaged) {
  ASSERT_FALSE(prepare_fish(stop_before(8)).ok());
  std::string bytes = *read_file(train_);
  const auto time = fs::last_write_time(train_);
  bytes[bytes.find("n00000003_0.JPEG")] = 'm';  // makes the header's checksum wrong
  put(train_, bytes);
  fs::last_write_time(train_, time);
  const auto folder = prepare_fish();
  ASSERT_FALSE(folder.ok());
  EXPECT_THAT(folder.error().message, StartsWith(train_.string() + ": n00000003.tar: "));
  EXPECT_THAT(tree(data_), ElementsAre(".fish.lock"));
}

TEST_F(PrepareImagenet, RejectsAnotherNumberOfImages) {
  release_.train["n00000002"].pop_back();
  EXPECT_EQ(problem(), train_.string() + ": n00000002.tar: 2 images, expected 3");
  release_.train["n00000002"].assign(4, {"", ""});
  for (int i = 0; i < 4; ++i) {
    const std::string name = "n00000002_" + std::to_string(i) + ".JPEG";
    release_.train["n00000002"][static_cast<std::size_t>(i)] = {name, jpeg(name)};
  }
  EXPECT_EQ(problem(),
            train_.string() + ": n00000002.tar: n00000002_3.JPEG: more than the 3 images expected");
}

TEST_F(PrepareImagenet, RejectsAnotherNumberOfValidationImages) {
  const auto last = release_.val.back();
  release_.val.pop_back();
  EXPECT_EQ(problem(), val_.string() + ": 3 images, expected 4");
  release_.val.push_back(last);
  release_.val.emplace_back("ILSVRC2012_val_00000005.JPEG", jpeg("5"));
  EXPECT_EQ(problem(), val_.string() +
                           ": ILSVRC2012_val_00000005.JPEG: not an image numbered 1 to 4, like "
                           "ILSVRC2012_val_00000001.JPEG");
}

TEST_F(PrepareImagenet, RejectsOtherTotalsThanThePublished) {
  DatasetInfo info = TestImagenet::info();
  info.train_images = 8;
  EXPECT_EQ(prepare_imagenet(info, from_, home_, quiet, {}).error().message,
            train_.string() + ": 7 images in total, expected 8");
  EXPECT_THAT(tree(data_), ElementsAre(".fish.lock"));
}

TEST_F(PrepareImagenet, NamesAMissingUnknownOrDuplicateClass) {
  const Entries classes = release_.class_archives();
  put_train({classes[0], classes[2]});
  EXPECT_EQ(prepare_fish().error().message,
            train_.string() + ": does not contain n00000002.tar; it has 2 of 3 classes");
  put_train({classes[0], {"n00000009.tar", "x"}});
  EXPECT_EQ(prepare_fish().error().message,
            train_.string() + ": n00000009.tar: its class is not in the devkit");
  put_train({classes[0], classes[0]});
  EXPECT_EQ(prepare_fish().error().message, train_.string() + ": n00000001.tar: occurs twice");
  EXPECT_THAT(tree(data_), ElementsAre(".fish.lock"));
}

TEST_F(PrepareImagenet, DetectsTheWrongArchiveUnderTheRightName) {
  put_train(release_.val);
  EXPECT_EQ(prepare_fish().error().message,
            train_.string() +
                ": ILSVRC2012_val_00000001.JPEG: not the archive of a class, like "
                "n01440764.tar");
  put(train_, "<html>please log in</html>");
  EXPECT_EQ(prepare_fish().error().message, train_.string() + ": not a tar or zip archive");
}

TEST_F(PrepareImagenet, RejectsFilesThatAreNotImages) {
  release_.train["n00000002"][1].second = "<html>";
  EXPECT_EQ(problem(),
            train_.string() + ": n00000002.tar: n00000002_10.JPEG: not a JPEG or PNG image");
}

TEST_F(PrepareImagenet, WritesNothingOutsideOfItsFolder) {
  const std::string evil = jpeg("evil");
  auto& images = release_.train["n00000002"];
  const auto good = images[1];
  const std::string named = ": not named like an image of its class (n00000002_7.JPEG)";
  const std::string leads = ": its path leads outside of the target folder";
  const std::string place = train_.string() + ": n00000002.tar: ";
  for (const auto& [path, expected] :
       std::vector<std::pair<std::string, std::string>>{{"../n00000002_10.JPEG", leads},
                                                        {"/tmp/n00000002_10.JPEG", leads},
                                                        {"x/n00000002_10.JPEG", named},
                                                        {"n00000001_10.JPEG", named},
                                                        {"n00000002_.JPEG", named},
                                                        {"n00000002_1.JPEG.sh", named}}) {
    images[1] = {path, evil};
    EXPECT_EQ(problem(), place + path + expected);
  }
  images[1] = {good.first, "->/etc/passwd"};
  EXPECT_EQ(problem(), place + good.first + ": a link; only files are allowed");
  images[1] = {good.first, "=>/etc/passwd"};
  EXPECT_EQ(problem(), place + good.first + ": a link; only files are allowed");
  images[1] = images[0];
  EXPECT_EQ(problem(), place + images[0].first + ": occurs twice");
  EXPECT_THAT(tree(scratch_.path()),
              ElementsAre("from/ILSVRC2012_devkit_t12.tar.gz", "from/ILSVRC2012_img_train.tar",
                          "from/ILSVRC2012_img_val.tar", "home/data/.fish.lock"));
}

// A limit on the size of files fails writes as a full disk does.
TEST_F(PrepareImagenet, ContinuesAfterAFullDisk) {
  release_.train["n00000002"][1].second = jpeg(std::string(100'000, 'x'));
  release_.put_in(from_);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{50'000, before.rlim_max};
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  const auto folder = prepare_fish();
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);

  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.error().code, ErrorCode::io);
  EXPECT_THAT(folder.error().message,
              AllOf(HasSubstr("n00000002_10.JPEG: File too large; what is finished is kept in"),
                    EndsWith(": run it again to continue")));
  EXPECT_FALSE(fs::exists(data_ / "fish"));
  EXPECT_TRUE(fs::exists(data_ / "fish.partial/train/n00000001"));
  EXPECT_FALSE(fs::exists(data_ / "fish.partial/.unfinished"));
  ASSERT_TRUE(prepare_fish().ok());
  expect_prepared();
}

}  // namespace
}  // namespace tacho
