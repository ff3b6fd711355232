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

TEST(TrainWords, EachValueIsOneWord) {
  EXPECT_THAT(*words(R"({"model": "lenet5", "data": "mnist", "batch": 32, "lr": 0.05})"),
              ElementsAre("train", "--data=mnist", "--batch=32", "--lr=0.05", "--", "lenet5"));
}

TEST(TrainWords, NoValueBecomesAnOption) {
  EXPECT_THAT(*words(R"({"model": "--resume=1", "data": "x --stock", "batch": "; rm -rf /"})"),
              ElementsAre("train", "--data=x --stock", "--batch=; rm -rf /", "--", "--resume=1"));
}

TEST(TrainWords, RefusesWhatItDoesNotKnow) {
  EXPECT_FALSE(words(R"({"data": "mnist"})").ok());
  EXPECT_FALSE(words(R"({"model": "lenet5"})").ok());
  EXPECT_THAT(words(R"({"model": "a", "data": "b", "bacth": 1})").error().message,
              HasSubstr("bacth"));
  EXPECT_FALSE(words(R"({"model": "a", "data": "b", "batch": [1]})").ok());
  EXPECT_FALSE(words(R"([])").ok());
}

class ProcessesAtWork : public testing::Test {
 protected:
  static RunFolder made(const std::filesystem::path& path) {
    EXPECT_TRUE(make_folders(path).ok());
    return RunFolder(path);
  }
  // In place of a tacho: takes the lock shared, then becomes `sleep`.
  static Process at_work_on(const RunFolder& run) {
    auto process = *Process::start(
        {.argv = {"flock", "--shared", "--no-fork", run.lock().string(), "sleep", "100"}});
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (processes_at_work(run).empty() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return process;
  }

  ScratchFolder folder_;
  RunFolder run_ = made(folder_.path() / "run");
  RunFolder other_ = made(folder_.path() / "other");
};

TEST_F(ProcessesAtWork, FindsWhoHoldsTheLock) {
  EXPECT_THAT(processes_at_work(run_), testing::IsEmpty());
  const auto own = FileLock::take(run_.lock(), FileLock::Kind::shared);
  EXPECT_THAT(processes_at_work(run_), testing::IsEmpty());  // this process does not count
  const Process worker = at_work_on(run_);
  EXPECT_THAT(processes_at_work(run_), ElementsAre(worker.pid()));
  EXPECT_THAT(processes_at_work(other_), testing::IsEmpty());
}

TEST_F(ProcessesAtWork, WhoOnlyHasTheFileOpenDoesNotWorkOnTheRun) {
  const UniqueFd held(::open(run_.lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  const auto reader = Process::start({.argv = {"sleep", "100"}, .inherited = {held.get()}});
  ASSERT_TRUE(reader.ok());
  EXPECT_THAT(processes_at_work(run_), testing::IsEmpty());
}

TEST_F(ProcessesAtWork, ALinkToAnotherRunsLockFindsNobody) {
  const Process worker = at_work_on(run_);
  std::filesystem::create_symlink(run_.lock(), other_.lock());
  EXPECT_THAT(processes_at_work(other_), testing::IsEmpty());
  std::filesystem::remove(other_.lock());
  std::filesystem::create_hard_link(run_.lock(), other_.lock());
  EXPECT_THAT(processes_at_work(other_), testing::IsEmpty());
}

}  // namespace
}  // namespace tacho::serve
