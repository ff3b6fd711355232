#include "serve/run_control.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "base/subprocess.h"

namespace tacho::serve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<std::vector<std::string>> words(const char* json) { return train_words(*parse_json(json)); }

TEST(TrainWords, EachValueIsOneArgument) {
  EXPECT_THAT(*words(R"({"model": "lenet5", "data": "mnist", "batch": 32, "lr": 0.05})"),
              ElementsAre("train", "--data=mnist", "--batch=32", "--lr=0.05", "--", "lenet5"));
}

TEST(TrainWords, NoValueBecomesAnOption) {
  EXPECT_THAT(*words(R"({"model": "--resume=1", "data": "x --stock", "batch": "; rm -rf /"})"),
              ElementsAre("train", "--data=x --stock", "--batch=; rm -rf /", "--", "--resume=1"));
}

TEST(TrainWords, RejectsUnknownKeysAndInvalidValues) {
  EXPECT_FALSE(words(R"({"data": "mnist"})").ok());
  EXPECT_FALSE(words(R"({"model": "lenet5"})").ok());
  EXPECT_THAT(words(R"({"model": "a", "data": "b", "bacth": 1})").error().message,
              HasSubstr("bacth"));
  EXPECT_FALSE(words(R"({"model": "a", "data": "b", "batch": [1]})").ok());
  EXPECT_FALSE(words(R"([])").ok());
}

class RunProcesses : public testing::Test {
 protected:
  static RunFolder made(const std::filesystem::path& path) {
    EXPECT_TRUE(make_folders(path).ok());
    return RunFolder(path);
  }
  // Stands in for `tacho`: takes the shared lock, then becomes `sleep`.
  static Process process_of(const RunFolder& run) {
    auto process = *Process::start(
        {.argv = {"flock", "--shared", "--no-fork", run.lock().string(), "sleep", "100"}});
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (run_processes(run).empty() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return process;
  }

  ScratchFolder folder_;
  RunFolder run_ = made(folder_.path() / "run");
  RunFolder other_ = made(folder_.path() / "other");
};

TEST_F(RunProcesses, FindsTheHolderOfTheLock) {
  EXPECT_THAT(run_processes(run_), testing::IsEmpty());
  const auto own = FileLock::take(run_.lock(), FileLock::Kind::shared);
  EXPECT_THAT(run_processes(run_), testing::IsEmpty());  // this process does not count
  const Process worker = process_of(run_);
  EXPECT_THAT(run_processes(run_), ElementsAre(worker.pid()));
  EXPECT_THAT(run_processes(other_), testing::IsEmpty());
}

TEST_F(RunProcesses, IgnoresAProcessThatOnlyHasTheFileOpen) {
  const UniqueFd held(::open(run_.lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  const auto reader = Process::start({.argv = {"sleep", "100"}, .inherited = {held.get()}});
  ASSERT_TRUE(reader.ok());
  EXPECT_THAT(run_processes(run_), testing::IsEmpty());
}

TEST_F(RunProcesses, IgnoresALinkToTheLockOfAnotherRun) {
  const Process worker = process_of(run_);
  std::filesystem::create_symlink(run_.lock(), other_.lock());
  EXPECT_THAT(run_processes(other_), testing::IsEmpty());
  std::filesystem::remove(other_.lock());
  std::filesystem::create_hard_link(run_.lock(), other_.lock());
  EXPECT_THAT(run_processes(other_), testing::IsEmpty());
}

}  // namespace
}  // namespace tacho::serve
