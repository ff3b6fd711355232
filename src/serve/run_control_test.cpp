#include "serve/run_control.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

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

TEST(ProcessesAtWork, FindsWhoHoldsAFileOpen) {
  ScratchFolder folder;
  const auto file = folder.path() / "lock";
  ASSERT_TRUE(write_file_atomically(file, "").ok());
  EXPECT_THAT(processes_at_work(file), testing::IsEmpty());
  UniqueFd held(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_THAT(processes_at_work(file), testing::IsEmpty());  // this process does not count
  auto child = Process::start({.argv = {"sleep", "100"}, .inherited = {held.get()}});
  ASSERT_TRUE(child.ok());
  EXPECT_THAT(processes_at_work(file), ElementsAre(child->pid()));
  EXPECT_THAT(processes_at_work(folder.path() / "nowhere"), testing::IsEmpty());
}

}  // namespace
}  // namespace tacho::serve
