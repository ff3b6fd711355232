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

Result<RunSettings> settings(const char* json) { return settings_from_json(*parse_json(json)); }

TEST(JobSettings, AreTheOptionsOfTheRequest) {
  EXPECT_EQ(*settings(R"({"lr": 0.05, "model": "lenet5", "data": "mnist", "stock": true,
                          "train_samples": 32})"),
            (RunSettings{{"model", "lenet5"},
                         {"data", "mnist"},
                         {"train-samples", "32"},
                         {"lr", "0.05"},
                         {"stock", "true"}}));
}

TEST(JobSettings, NameNoFilesOfThisMachine) {
  for (const char* json : {R"({"model": "mlp", "data": "mnist", "weights": "/etc/passwd"})",
                           R"({"model": "mlp", "data": "mnist", "data_dir": "/"})",
                           R"({"model": "mlp", "data": "mnist", "env": "docker:x"})",
                           R"({"model": "mlp", "data": "mnist", "resume": 1})"}) {
    EXPECT_THAT(settings(json).error().message, HasSubstr("unknown key")) << json;
  }
}

TEST(JobSettings, RejectUnknownKeysAndInvalidValues) {
  EXPECT_FALSE(settings(R"({"data": "mnist"})").ok());
  EXPECT_FALSE(settings(R"({"model": "lenet5"})").ok());
  EXPECT_THAT(settings(R"({"model": "a", "data": "b", "bacth": 1})").error().message,
              HasSubstr("bacth"));
  EXPECT_FALSE(settings(R"({"model": "a", "data": "b", "batch": [1]})").ok());
  EXPECT_FALSE(settings(R"([])").ok());
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
