#include "tracing/listen/tensorboard_watch.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "core/emit/tensorboard_sink.h"

namespace tacho {
namespace {

void write_step(TensorBoardSink& sink, double loss) {
  ASSERT_TRUE(
      sink.write({1, StepsDone{.seconds = {1}, .input_seconds = {0}, .loss = {loss}}}).ok());
}

std::vector<double> losses(const std::vector<FiguresSeen>& seen) {
  std::vector<double> values;
  for (const FiguresSeen& figures : seen) {
    if (const auto at = figures.values.find("train/loss"); at != figures.values.end()) {
      values.push_back(at->second);
    }
  }
  return values;
}

TEST(TensorBoardWatch, ReportsFilesThatAppearOrGrow) {
  const ScratchFolder folder;
  auto old = TensorBoardSink::open(folder.path() / "runs" / "old", 1);
  auto kept = TensorBoardSink::open(folder.path() / "runs" / "kept", 1);
  write_step(**old, 1);
  write_step(**kept, 1);
  TensorBoardWatch watch({folder.path()});
  EXPECT_TRUE(watch.look().empty());
  write_step(**kept, 2);
  auto fresh = TensorBoardSink::open(folder.path() / "runs" / "new", 2);
  write_step(**fresh, 3);
  EXPECT_EQ(losses(watch.look()), (std::vector<double>{2, 3}));
  write_step(**fresh, 4);
  EXPECT_EQ(losses(watch.look()), std::vector<double>{4});
}

TEST(TensorBoardWatch, IgnoresOtherPrograms) {
  const ScratchFolder folder;
  TensorBoardWatch watch({.folder = folder.path(), .except = folder.path() / "home" / "runs"});
  auto other = TensorBoardSink::open(folder.path() / "home" / "runs" / "other", 1);
  auto own = TensorBoardSink::open(folder.path() / "home" / "log", 1);
  write_step(**other, 1);
  write_step(**own, 2);
  EXPECT_EQ(losses(watch.look()), std::vector<double>{2});
}

TEST(TensorBoardWatch, NotesAnInvalidFile) {
  const ScratchFolder folder;
  TensorBoardWatch watch({folder.path()});
  ASSERT_TRUE(write_file_atomically(folder.path() / "x.tfevents", std::string(100, 'x')).ok());
  EXPECT_TRUE(watch.look().empty());
  EXPECT_EQ(watch.take_notes().size(), 1U);
  EXPECT_TRUE(watch.look().empty());
  EXPECT_TRUE(watch.take_notes().empty());
}

TEST(TensorBoardWatch, AcceptsAFolderThatDoesNotExistYet) {
  const ScratchFolder folder;
  TensorBoardWatch watch({folder.path() / "later", true});
  EXPECT_TRUE(watch.look().empty());
  auto sink = TensorBoardSink::open(folder.path() / "later" / "a" / "b" / "c" / "d" / "e" / "f", 1);
  write_step(**sink, 9);
  EXPECT_EQ(losses(watch.look()), std::vector<double>{9});
}

}  // namespace
}  // namespace tacho
