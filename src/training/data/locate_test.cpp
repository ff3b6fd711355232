#include "training/data/locate.h"

#include <gtest/gtest.h>

#include <array>

#include "base/scratch_folder.h"
#include "training/data/test_files.h"

namespace tacho {
namespace {

class Locate : public testing::Test {
 protected:
  void put_both(const std::filesystem::path& folder) {
    put(folder / "a", "");
    put(folder / "b", "");
  }

  const ScratchFolder scratch_;
  const std::filesystem::path home_ = scratch_.path() / "home";
  const std::string system_ = scratch_.path() / "system";
  const std::array<DatasetFile, 2> files_ = {DatasetFile{"a"}, DatasetFile{"b"}};
  const DatasetInfo info_{.name = "letters",
                          .input = InputKind::text,
                          .help = "",
                          .classes = 2,
                          .files = files_,
                          .system_folder = system_};
};

TEST_F(Locate, PrefersTheGivenThenThePreparedThenTheSystemFolder) {
  put_both(system_);
  EXPECT_EQ(*locate(info_, home_, ""), system_);
  put_both(home_ / "data" / "letters");
  EXPECT_EQ(*locate(info_, home_, ""), home_ / "data" / "letters");
  put_both(scratch_.path() / "mine");
  EXPECT_EQ(*locate(info_, home_, scratch_.path() / "mine"), scratch_.path() / "mine");
}

TEST_F(Locate, AcceptsCompressedFiles) {
  put(home_ / "data/letters/a.gz", "");
  put(home_ / "data/letters/b", "");
  EXPECT_EQ(*locate(info_, home_, ""), home_ / "data/letters");
  EXPECT_EQ(file_in(home_ / "data/letters", "a"), home_ / "data/letters/a.gz");
}

TEST_F(Locate, SkipsAnIncompletePreparedFolder) {
  put(home_ / "data/letters/a", "");
  put_both(system_);
  EXPECT_EQ(*locate(info_, home_, ""), system_);
}

TEST_F(Locate, ReportsWhatIsMissingAndHowToGetIt) {
  put(home_ / "data/letters/a", "");
  const auto nowhere = locate(info_, home_, "");
  ASSERT_FALSE(nowhere.ok());
  EXPECT_EQ(nowhere.error().code, ErrorCode::not_found);
  EXPECT_EQ(nowhere.error().message, "letters: " + (home_ / "data/letters").string() +
                                         " lacks b, there is no " + system_ +
                                         "; get it with 'tacho data prepare letters --from DIR'");
}

TEST_F(Locate, FindsImageFoldersByTheirParts) {
  const DatasetInfo pets{.name = "pets",
                         .input = InputKind::image,
                         .help = "",
                         .classes = 0,
                         .form = DatasetForm::image_folder,
                         .needs = "pets.zip"};
  put(home_ / "data/pets/train/cat/1.jpg", "");
  EXPECT_EQ(
      locate(pets, home_, "").error().message,
      "pets: " + (home_ / "data/pets").string() +
          " lacks val; get it with 'tacho data prepare pets --from DIR', which needs pets.zip");
  put(home_ / "data/pets/test/cat/1.jpg", "");
  EXPECT_EQ(*locate(pets, home_, ""), home_ / "data/pets");
}

TEST_F(Locate, UsesOnlyTheGivenFolder) {
  put_both(system_);
  EXPECT_FALSE(locate(info_, home_, "/nonexistent").ok());
}

}  // namespace
}  // namespace tacho
