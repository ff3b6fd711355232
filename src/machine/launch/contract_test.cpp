// Contract tests for all launchers, run on the available ones: local, a real Slurm, and a real
// Kubernetes if there is one. If TACHO_COMPONENTS is "required", Slurm must not be missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include "base/file.h"
#include "machine/launch/contract_setup.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::chrono::seconds kPatience{120};
using ByKey = std::map<std::string, TaskUpdate>;

bool is_required(LauncherKind kind) {
  const char* components = std::getenv("TACHO_COMPONENTS");
  const bool required = components != nullptr && std::string_view(components) == "required";
  return kind == LauncherKind::local ||
         (kind == LauncherKind::slurm && required && ::geteuid() == 0);
}

class Contract : public ::testing::TestWithParam<LauncherKind> {
 protected:
  void SetUp() override {
    setup_ = std::make_unique<ContractSetup>(GetParam());
    if (!setup_->missing().empty()) {
      const std::string name(kLauncherKinds.of(GetParam()));
      if (is_required(GetParam())) FAIL() << name << " is required here: " << setup_->missing();
      std::printf("SKIPPED: %s: %s\n", name.c_str(), setup_->missing().c_str());
      GTEST_SKIP() << setup_->missing();
    }
    launcher_ = setup_->open();
  }
  void TearDown() override {
    if (!launcher_) return;
    for (const std::string& batch : submitted_) {
      const auto forgotten = launcher_->forget(batch);
      EXPECT_TRUE(forgotten.ok()) << forgotten.error().message;
      const auto updates = launcher_->poll(batch);
      EXPECT_TRUE(!updates.ok() && updates.error().code == ErrorCode::not_found);
    }
  }

  [[nodiscard]] fs::path folder() const { return setup_->folder(); }
  [[nodiscard]] fs::path log(const std::string& key) const { return folder() / (key + ".log"); }
  [[nodiscard]] std::string logged(const std::string& key) const {
    const auto text = read_file(log(key));
    return text.ok() ? *text : "";
  }

  // Half a core, so that two tasks fit on a machine with one core.
  [[nodiscard]] Task task(const std::string& key, const std::string& script) const {
    return {.key = key,
            .command = {.argv = {"/bin/sh", "-c", script}, .folder = folder()},
            .needs = {.cores = 0.5},
            .log = log(key)};
  }
  void submit(const std::string& batch, const std::vector<Task>& tasks) {
    submitted_.insert(batch);
    const auto done = launcher_->submit(batch, tasks);
    ASSERT_TRUE(done.ok()) << done.error().message;
  }
  ByKey updates(const std::string& batch) {
    const auto all = launcher_->poll(batch);
    ByKey by_key;
    if (!all.ok()) return by_key;  // no update
    for (const TaskUpdate& each : *all) by_key[each.key] = each;
    return by_key;
  }
  bool wait_until(const std::function<bool()>& holds) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (!holds()) {
      if (std::chrono::steady_clock::now() > until) return false;
      launcher_->wait(milliseconds(20));
    }
    return true;
  }
  ByKey wait_for_all(const std::string& batch) {
    ByKey last;
    const bool all_ended = wait_until([&] {
      last = updates(batch);
      return !last.empty() && std::all_of(last.begin(), last.end(), [](const auto& entry) {
        return entry.second.state == TaskState::ended || entry.second.state == TaskState::lost;
      });
    });
    if (!all_ended) {
      for (const auto& [key, each] : last) {
        ADD_FAILURE() << key << " is in state " << static_cast<int>(each.state) << ": "
                      << each.reason << "; " << logged(key);
      }
    }
    return last;
  }
  bool wait_for_file(const std::string& name) {
    return wait_until([&] { return fs::exists(folder() / name); });
  }

  std::unique_ptr<ContractSetup> setup_;
  std::unique_ptr<Launcher> launcher_;
  std::set<std::string> submitted_;
};

TEST_P(Contract, ReportsExitCodesAndSignalsAndLogsTheOutput) {
  submit("ends", {task("well", "echo to out; echo to err >&2"), task("badly", "exit 7"),
                  task("killed", "kill -SEGV $$")});
  const ByKey ended = wait_for_all("ends");
  ASSERT_TRUE(ended.at("well").status && ended.at("badly").status && ended.at("killed").status);
  EXPECT_TRUE(ended.at("well").status->success());
  EXPECT_EQ(ended.at("badly").status->code, 7);
  EXPECT_EQ(ended.at("killed").status->signal, SIGSEGV);
  EXPECT_THAT(ended.at("badly").reason, HasSubstr("exit code 7"));
  EXPECT_THAT(ended.at("well").reason, IsEmpty());
  for (const auto& [key, each] : ended) {
    EXPECT_EQ(each.state, TaskState::ended) << key;
    EXPECT_EQ(each.ended_by, EndedBy::itself) << key;
    EXPECT_THAT(each.where, Not(IsEmpty())) << key;
  }
  EXPECT_EQ(logged("well"), "to out\nto err\n");
}

TEST_P(Contract, ArgumentsVariablesAndTheFolderArriveUnchanged) {
  const std::string odd = "a 'b' \"c\" $d `e` \\n\n*  %j";
  const fs::path place = folder() / "a folder, 'so' %a";
  fs::create_directories(place);
  Task odd_task = task("odd", "");
  odd_task.command = {.argv = {"/bin/sh", "-c", "printf '%s|%s|' \"$1\" \"$ODD\"; pwd", "sh", odd},
                      .environment = {{"ODD", "'" + odd + "'"}},
                      .folder = place};
  submit("odd", {odd_task});
  EXPECT_TRUE(wait_for_all("odd").at("odd").status->success());
  EXPECT_EQ(logged("odd"), odd + "|'" + odd + "'|" + place.string() + "\n");
}

TEST_P(Contract, AMissingProgramEndsTheTask) {
  Task absent = task("absent", "");
  absent.command.argv = {"/no/such/program"};
  submit("absent", {absent});
  const ByKey ended = wait_for_all("absent");
  EXPECT_EQ(ended.at("absent").status->code, 127);
  EXPECT_THAT(ended.at("absent").reason, HasSubstr("/no/such/program"));
}

TEST_P(Contract, NoMoreThanTwoOfTwentyRunAtATimeAndEachRunsOnce) {
  // Each writes down how many are running.
  const std::string script =
      "mkdir -p busy; : > busy/$KEY; ls busy | wc -l; sleep 0.1; rm busy/$KEY; echo x >> ran-$KEY";
  std::vector<Task> tasks;
  for (int i = 0; i < 20; ++i) {
    tasks.push_back(task("task-" + std::to_string(i), script));
    tasks.back().command.environment["KEY"] = tasks.back().key;
  }
  submit("twenty", tasks);
  const ByKey ended = wait_for_all("twenty");
  ASSERT_EQ(ended.size(), 20U);
  for (const auto& [key, each] : ended) {
    ASSERT_TRUE(each.status) << key << ": " << each.reason;
    EXPECT_TRUE(each.status->success()) << key << ": " << each.reason << logged(key);
    EXPECT_LE(std::atoi(logged(key).c_str()), 2) << key;
    EXPECT_EQ(*read_file(folder() / ("ran-" + key)), "x\n") << key;
  }
}

TEST_P(Contract, CancelsARunningAndAWaitingTaskButNotTheOthers) {
  const std::string until_told = "echo > begun-$KEY; until [ -e go ]; do sleep 0.05; done";
  std::vector<Task> tasks;
  for (const char* key : {"a", "b", "c", "d"}) {
    tasks.push_back(task(key, until_told));
    tasks.back().command.environment["KEY"] = key;
  }
  submit("cancel", tasks);
  ASSERT_TRUE(wait_for_file("begun-a"));
  ASSERT_TRUE(wait_for_file("begun-b"));
  const std::vector<std::string> two{"a", "d"};
  const auto cancelled = launcher_->cancel("cancel", two);
  ASSERT_TRUE(cancelled.ok()) << cancelled.error().message;
  ASSERT_TRUE(wait_until([&] {
    const ByKey now = updates("cancel");
    return !now.empty() && now.at("a").state == TaskState::ended;
  }));
  ASSERT_TRUE(write_file_atomically(folder() / "go", "").ok());
  const ByKey ended = wait_for_all("cancel");
  EXPECT_EQ(ended.at("a").ended_by, EndedBy::cancel);
  EXPECT_EQ(ended.at("d").ended_by, EndedBy::cancel);
  EXPECT_FALSE(fs::exists(folder() / "begun-d"));
  for (const char* key : {"b", "c"}) {
    ASSERT_TRUE(ended.at(key).status) << ended.at(key).reason;
    EXPECT_TRUE(ended.at(key).status->success()) << ended.at(key).reason;
  }
}

TEST_P(Contract, CancelsAWholeBatchWithASignalToItsPrograms) {
  const std::string script =
      "trap 'echo asked; exit 3' TERM; echo > begun-$KEY; while :; do sleep 0.05; done";
  std::vector<Task> tasks;
  for (int i = 0; i < 6; ++i) {
    tasks.push_back(task("t" + std::to_string(i), script));
    tasks.back().command.environment["KEY"] = tasks.back().key;
  }
  submit("whole", tasks);
  ASSERT_TRUE(wait_for_file("begun-t0"));
  ASSERT_TRUE(launcher_->cancel_all("whole").ok());
  for (const auto& [key, each] : wait_for_all("whole")) {
    EXPECT_EQ(each.state, TaskState::ended) << key << ": " << each.reason;
    EXPECT_EQ(each.ended_by, EndedBy::cancel) << key << ": " << each.reason;
  }
  EXPECT_THAT(logged("t0"), HasSubstr("asked\n"));  // and the message of the shell
  EXPECT_FALSE(fs::exists(folder() / "begun-t5"));
}

TEST_P(Contract, ATimeLimitEndsATask) {
  Task slow = task("slow", "trap 'echo asked; exit 3' TERM; while :; do sleep 0.05; done");
  slow.time_limit = Seconds(2);  // the trap is set by then, even on a slow machine
  Task quick = task("quick", "true");
  quick.time_limit = Seconds(100);
  submit("limit", {slow, quick});
  const ByKey ended = wait_for_all("limit");
  EXPECT_EQ(ended.at("slow").ended_by, EndedBy::time_limit) << ended.at("slow").reason;
  EXPECT_THAT(logged("slow"), HasSubstr("asked\n"));
  EXPECT_EQ(ended.at("quick").ended_by, EndedBy::itself) << ended.at("quick").reason;
}

TEST_P(Contract, SubmittingABatchTwiceStartsNothingTwice) {
  const std::vector<Task> tasks{task("once", "echo ran")};
  submit("again", tasks);
  submit("again", tasks);
  wait_for_all("again");
  submit("again", tasks);
  EXPECT_EQ(wait_for_all("again").size(), 1U);
  EXPECT_EQ(logged("once"), "ran\n");
}

TEST_P(Contract, AnotherProcessFindsTheBatchOrReportsItAsLost) {
  submit("restart",
         {task("first", "exit 4"), task("second", "until [ -e go ]; do sleep 0.05; done")});
  ASSERT_TRUE(wait_until([&] {
    const ByKey now = updates("restart");
    return !now.empty() && now.at("first").state == TaskState::ended &&
           now.at("second").state == TaskState::running;
  }));
  launcher_.reset();
  launcher_ = setup_->open();
  if (GetParam() == LauncherKind::local) {  // its tasks ended with it
    const auto unknown = launcher_->poll("restart");
    ASSERT_FALSE(unknown.ok());
    EXPECT_EQ(unknown.error().code, ErrorCode::not_found);
    return;
  }
  ASSERT_TRUE(wait_until([&] { return !updates("restart").empty(); }));
  const ByKey now = updates("restart");
  EXPECT_EQ(now.at("first").status->code, 4);
  EXPECT_EQ(now.at("second").state, TaskState::running);
  ASSERT_TRUE(write_file_atomically(folder() / "go", "").ok());
  EXPECT_TRUE(wait_for_all("restart").at("second").status->success());
}

TEST_P(Contract, ABatchThatNobodySubmittedIsNotFound) {
  const auto unknown = launcher_->poll("nobody");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, ErrorCode::not_found);
  EXPECT_TRUE(launcher_->forget("nobody").ok());
}

TEST_P(Contract, RefusesAnInvalidBatchInOneSentence) {
  const Task fine = task("a", "true");
  Task empty = fine;
  empty.command.argv.clear();
  Task connected = fine;
  connected.command.in = 0;
  EXPECT_FALSE(launcher_->submit("Big Name", std::vector{fine}).ok());
  EXPECT_FALSE(launcher_->submit("none", std::vector<Task>{}).ok());
  EXPECT_FALSE(launcher_->submit("twice", std::vector{fine, fine}).ok());
  EXPECT_FALSE(launcher_->submit("empty", std::vector{empty}).ok());
  EXPECT_FALSE(launcher_->submit("connected", std::vector{connected}).ok());
}

TEST_P(Contract, ThereIsRoomForTasks) {
  const auto room = launcher_->room({.cores = 0.5});
  ASSERT_TRUE(room.ok()) << room.error().message;
  EXPECT_GE(*room, 2U);
}

INSTANTIATE_TEST_SUITE_P(Launchers, Contract,
                         ::testing::Values(LauncherKind::local, LauncherKind::slurm,
                                           LauncherKind::kubernetes),
                         [](const auto& test) {
                           return std::string(kLauncherKinds.of(test.param));
                         });

}  // namespace
}  // namespace tacho
