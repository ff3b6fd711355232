#include "training/data/fetch/archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "training/data/fetch/test_dataset.h"
#include "training/data/test_files.h"

namespace tacho {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class Extract : public testing::Test {
 protected:
  Extract() { fs::create_directories(out_); }

  Result<void> extract_both() {
    const std::vector<fs::path> paths = {"package/data/one", "package/data/two"};
    return extract(archive_, paths, out_);
  }

  const ScratchFolder scratch_;
  const fs::path archive_ = scratch_.path() / "pair.tgz";
  const fs::path out_ = scratch_.path() / "out";
};

TEST_F(Extract, ExtractsOnlyTheGivenPaths) {
  put_tgz(archive_, {{"package/package.json", "{}"},
                     {"package/data/one", "1"},
                     {"../../outside", "evil"},
                     {"package/data/two", "22"},
                     {"package/data/three", "333"}});
  const auto done = extract_both();
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(*read_file(out_ / "one"), "1");
  EXPECT_EQ(*read_file(out_ / "two"), "22");
  EXPECT_EQ(std::distance(fs::directory_iterator(out_), {}), 2);
}

TEST_F(Extract, NamesAMissingFile) {
  put_tgz(archive_, {{"package/data/one", "1"}, {"two", "22"}});
  EXPECT_EQ(extract_both().error().message,
            archive_.string() + ": does not contain package/data/two");
}

TEST_F(Extract, RejectsALink) {
  put_tgz(archive_, {{"package/data/one", "->/etc/passwd"}, {"package/data/two", "22"}});
  EXPECT_THAT(extract_both().error().message, HasSubstr("does not contain package/data/one"));
}

TEST_F(Extract, RejectsATruncatedArchive) {
  put_tgz(archive_, {{"package/data/one", std::string(100'000, 'x')}, {"package/data/two", "22"}});
  fs::resize_file(archive_, fs::file_size(archive_) / 2);
  const auto done = extract_both();
  ASSERT_FALSE(done.ok());
  EXPECT_THAT(done.error().message, HasSubstr(archive_.string() + ": truncated gzip input"));
}

TEST_F(Extract, RejectsOtherFilesAndMissingOnes) {
  put(archive_, "<html>not found</html>");
  EXPECT_THAT(extract_both().error().message, HasSubstr(archive_.string() + ": "));
  fs::remove(archive_);
  EXPECT_EQ(extract_both().error().message, archive_.string() + ": No such file or directory");
}

TEST_F(Extract, RejectsAFileAboveTheLimit) {
  put_tgz(archive_, {{"one", std::string(100'000, 'x')}});
  const std::vector<fs::path> paths = {"one"};
  EXPECT_EQ(extract(archive_, paths, out_, Bytes{4096}).error().message,
            archive_.string() + ": one: larger than the limit of 4.00 KiB");
}

}  // namespace
}  // namespace tacho
