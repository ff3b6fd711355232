// Contract tests for all environments, run on the installed ones. If TACHO_COMPONENTS is
// "required", those that bootstrap installs must not be missing.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <functional>
#include <map>
#include <sstream>
#include <thread>

#include "base/clock.h"
#include "base/file.h"
#include "machine/env/contract_image.h"
#include "machine/env/environment.h"
#include "machine/env/marked_processes.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr seconds kLongestProgram{30};

bool is_required(EnvironmentKind kind) {
  if (kind == EnvironmentKind::bare) return true;
  const char* components = std::getenv("TACHO_COMPONENTS");
  const bool required = components != nullptr && std::string_view(components) == "required";
  return required && ::geteuid() == 0 &&
         (kind == EnvironmentKind::podman || kind == EnvironmentKind::charliecloud);
}

// Created once for all tests of an environment.
const Result<std::unique_ptr<ContractImage>>& image_of(EnvironmentKind kind) {
  static std::map<EnvironmentKind, Result<std::unique_ptr<ContractImage>>> images;
  const auto found = images.find(kind);
  if (found != images.end()) return found->second;
  return images.emplace(kind, ContractImage::make(kind)).first->second;
}

// Returns true if the condition holds within 20 s.
bool soon(const std::function<bool()>& holds) {
  for (int i = 0; i < 1000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(milliseconds(20));
  }
  return false;
}

struct Ran {
  Ending ending;
  std::string out;
  std::string err;
};

class Contract : public ::testing::TestWithParam<EnvironmentKind> {
 protected:
  void SetUp() override {
    const auto& image = image_of(GetParam());
    if (!image.ok()) return missing(image.error().message);
    spec_.kind = GetParam();
    spec_.image = (*image)->name();
    const auto checked = open(spec_)->check();
    if (!checked.ok()) return missing(checked.error().message);
    static int count = 0;
    container_.key = "contract-" + std::to_string(::getpid()) + "-" + std::to_string(++count);
  }
  void TearDown() override {
    if (container_.key.empty()) return;
    EXPECT_TRUE(open(spec_)->clean_up(container_.key).ok());
    EXPECT_THAT(open(spec_)->leftovers(), Not(Contains(container_.key)));
  }

  static std::unique_ptr<RunEnvironment> open(const EnvironmentSpec& spec) {
    auto environment = open_environment(spec);
    if (!environment.ok()) broken_invariant(environment.error().message);
    return *std::move(environment);
  }

  Command command(std::vector<std::string> argv) {
    return {.argv = std::move(argv), .folder = folder_.path()};
  }

  Ran run(const Command& inner) {
    const auto environment = open(spec_);
    const auto wrapped = environment->wrap(inner, container_);
    if (!wrapped.ok()) {
      ADD_FAILURE() << wrapped.error().message;
      return {};
    }
    auto output = capture(*wrapped, kLongestProgram);
    if (!output.ok()) {
      ADD_FAILURE() << output.error().message;
      return {};
    }
    return {environment->ending(container_.key, output->status), output->out, output->err};
  }
  Ran run_script(const std::string& script) { return run(command({"sh", "-c", script})); }

  // Returns a program that runs until it is stopped.
  Command lasting(const std::string& script) {
    Command inner = command({"sh", "-c", "echo > begun; " + script});
    inner.own_group = true;
    inner.dies_with_parent = true;
    inner.output_file = folder_.path() / "output";
    auto wrapped = open(spec_)->wrap(inner, container_);
    if (!wrapped.ok()) broken_invariant(wrapped.error().message);
    return *std::move(wrapped);
  }
  void wait_until_begun() {
    const fs::path sign = folder_.path() / "begun";
    EXPECT_TRUE(soon([&] { return fs::exists(sign); }))
        << "it has not started: " << *read_file(folder_.path() / "output");
  }
  Process start(const std::string& script) {
    auto process = Process::start(lasting(script));
    if (!process.ok()) broken_invariant(process.error().message);
    wait_until_begun();
    return *std::move(process);
  }
  // Signals the program as src/experiments/runner does: podman's client ends at a signal, and does
  // not pass it on, until it has noticed that the container runs.
  void signal(const Process& process, int number) {
    const auto members = open(spec_)->members(container_.key);
    for (const pid_t pid : members) ::kill(pid, number);
    if (members.empty()) process.signal(number);
  }

  [[nodiscard]] std::string state_of_container() const {
    const auto state =
        capture({.argv = {std::string(kEnvironmentKinds.of(GetParam())), "container", "inspect",
                          "--format", "{{.State.Status}}", "tacho-" + container_.key}},
                kLongestProgram);
    return state.ok() ? state->out : state.error().message;
  }

  [[nodiscard]] bool is_bare() const { return GetParam() == EnvironmentKind::bare; }

  EnvironmentSpec spec_;
  ContainerSpec container_;
  ScratchFolder folder_;

 private:
  void missing(const std::string& why) {
    const std::string name(kEnvironmentKinds.of(GetParam()));
    if (is_required(GetParam())) FAIL() << name << " is required here: " << why;
    std::printf("SKIPPED: %s: %s\n", name.c_str(), why.c_str());
    GTEST_SKIP() << why;
  }
};

TEST_P(Contract, ReturnsTheExitCodeAndSeparateStreams) {
  const Ran ran = run_script("echo to out; echo to err >&2; exit 7");
  EXPECT_EQ(ran.ending.status.code, 7);
  EXPECT_EQ(ran.ending.status.signal, 0);
  EXPECT_FALSE(ran.ending.out_of_memory);
  EXPECT_EQ(ran.out, "to out\n");
  EXPECT_EQ(ran.err, "to err\n");
}

TEST_P(Contract, AKilledProgramIsReportedAsKilled) {
  const Ran ran = run_script("kill -SEGV $$");
  EXPECT_EQ(ran.ending.status.signal, SIGSEGV) << ran.ending.status.code;
}

TEST_P(Contract, VariablesArriveUnchanged) {
  const std::string value = "two  words, \"quoted\" 'so' $HOME `x` \\n\nand =a line ";
  spec_.variables = {{"OF_SPEC", "'" + value + "'"}, {"EMPTY", ""}};
  Command inner =
      command({"sh", "-c", "printf '%s|%s|%s' \"$OF_SPEC\" \"$OF_COMMAND\" \"${EMPTY-unset}\""});
  inner.environment = {{"OF_COMMAND", value}};
  EXPECT_EQ(run(inner).out, "'" + value + "'|" + value + "|");
}

TEST_P(Contract, ASecretArrivesButIsInNoArgument) {
  const std::string secret = "0123456789abcdef";
  Command inner =
      command({"sh", "-c", "printf '%s|%s' \"$TACHO_JOB_SECRET\" \"${OF_HOST-unset}\""});
  inner.environment = {{"TACHO_JOB_SECRET", secret}};
  ::setenv("OF_HOST", "seen", 1);
  const auto wrapped = open(spec_)->wrap(inner, container_);
  const std::string inside = run(inner).out;
  ::unsetenv("OF_HOST");
  ASSERT_TRUE(wrapped.ok()) << wrapped.error().message;
  EXPECT_THAT(wrapped->argv, ::testing::Each(::testing::Not(::testing::HasSubstr(secret))));
  EXPECT_EQ(inside, secret + (spec_.kind == EnvironmentKind::bare ? "|seen" : "|unset"));
}

TEST_P(Contract, ArgumentsArriveUnchanged) {
  const std::string odd = "a 'b' \"c\" $d\n*";
  EXPECT_EQ(run(command({"sh", "-c", "printf '%s|' \"$@\"", "sh", odd, "", "--rm"})).out,
            odd + "||--rm|");
}

TEST_P(Contract, StandardInputIsPassedOn) {
  const fs::path file = folder_.path() / "input";
  ASSERT_TRUE(write_file_atomically(file, "some input").ok());
  const UniqueFd input(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  Command inner = command({"cat"});
  inner.in = input.get();
  EXPECT_EQ(run(inner).out, "some input");
}

TEST_P(Contract, HasTheWorkingFolderTheRunsFolderAndReadOnlyLibraries) {
  const ScratchFolder home;
  const ScratchFolder libraries;
  fs::create_directories(home.path() / "runs/k");
  container_.home = home.path();
  container_.run_folder = home.path() / "runs/k";
  container_.reads = {libraries.path()};
  const std::string at = home.path();
  const Ran ran = run_script("pwd; echo made > file && echo $TACHO_HOME; echo x > " + at +
                             "/runs/k/events; echo x > " + libraries.path().string() + "/lib");
  EXPECT_EQ(ran.out, folder_.path().string() + "\n" + at + "\n") << ran.err;
  EXPECT_EQ(*read_file(folder_.path() / "file"), "made\n");
  EXPECT_EQ(*read_file(home.path() / "runs/k/events"), "x\n");
  // Charliecloud has no read-only binds, a bare program has no binds.
  const bool kept = !is_bare() && GetParam() != EnvironmentKind::charliecloud;
  EXPECT_EQ(fs::exists(libraries.path() / "lib"), !kept);
}

TEST_P(Contract, BindsAppearAtTheirTargets) {
  if (is_bare()) return;
  const ScratchFolder odd_place;
  const bool plain = GetParam() == EnvironmentKind::charliecloud;
  const fs::path source = odd_place.path() / (plain ? "a b" : "a, \"b\"");
  fs::create_directories(source);
  ASSERT_TRUE(write_file_atomically(source / "file", "data\n").ok());
  spec_.binds = {{source, "/mnt/some data", !plain}};
  const Ran ran = run_script("cat '/mnt/some data/file'; echo x > '/mnt/some data/new'");
  EXPECT_EQ(ran.out, "data\n") << ran.err;
  EXPECT_EQ(fs::exists(source / "new"), plain);
}

TEST_P(Contract, ItRunsAsTheSameUser) {
  EXPECT_EQ(run(command({"id", "-u"})).out, std::to_string(::geteuid()) + "\n");
}

TEST_P(Contract, SigtermEndsAProgramWithoutAHandler) {
  Process process = start("exec sleep 100");
  signal(process, SIGTERM);
  const auto status = process.wait_for(kLongestProgram);
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(open(spec_)->ending(container_.key, *status).status.signal, SIGTERM);
}

TEST_P(Contract, SigintReachesAProgramWithAHandler) {
  Process process = start(
      "trap 'echo caught > caught; exit 3' INT; echo > trapped; while :; do sleep 0.05; done");
  ASSERT_TRUE(soon([&] { return fs::exists(folder_.path() / "trapped"); }));
  signal(process, SIGINT);
  const auto status = process.wait_for(kLongestProgram);
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(open(spec_)->ending(container_.key, *status).status.code, 3);
  EXPECT_EQ(*read_file(folder_.path() / "caught"), "caught\n");
}

TEST_P(Contract, MemoryBeyondTheLimitIsReportedAsOutOfMemory) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs permission to create cgroups";
  spec_.memory_bytes = 64 << 20;
  const Ran ran = run(command({"dd", "if=/dev/zero", "of=/dev/null", "bs=256M", "count=1"}));
  EXPECT_EQ(ran.ending.status.signal, SIGKILL) << ran.err;
  EXPECT_TRUE(ran.ending.out_of_memory);
}

// Returns the CPU quota in microseconds of the group of a process.
std::string cpu_quota_of(pid_t pid) {
  const auto groups = read_file("/proc/" + std::to_string(pid) + "/cgroup");
  if (!groups.ok()) return "gone";
  const bool unified = fs::exists("/sys/fs/cgroup/cgroup.controllers");
  std::istringstream lines(*groups);
  for (std::string line; std::getline(lines, line);) {
    const auto at = line.find(unified ? "::/" : ":cpu:/");
    if (at == std::string::npos) continue;
    const fs::path group = line.substr(line.rfind(':') + 2);
    const auto quota = read_file(unified ? "/sys/fs/cgroup" / group / "cpu.max"
                                         : "/sys/fs/cgroup/cpu" / group / "cpu.cfs_quota_us");
    return quota.ok() ? *quota : quota.error().message;
  }
  return "in no group";
}

TEST_P(Contract, TheCpuLimitAppliesToTheProgram) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs permission to create cgroups";
  spec_.cpus = 0.5;
  spec_.cpuset = "0";
  const Process process = start("cat /proc/self/status > status; exec sleep 100");
  auto pids = open(spec_)->members(container_.key);
  if (pids.empty()) pids.push_back(process.pid());
  EXPECT_THAT(cpu_quota_of(pids.front()), ::testing::StartsWith("50000"));
  const fs::path status = folder_.path() / "status";
  EXPECT_TRUE(soon([&] { return fs::exists(status) && !read_file(status)->empty(); }));
  EXPECT_THAT(*read_file(status), HasSubstr("Cpus_allowed_list:\t0\n"));
}

pid_t parent_of(pid_t pid) {
  const auto stat = read_file("/proc/" + std::to_string(pid) + "/stat");
  return stat.ok() ? std::atoi(stat->c_str() + stat->rfind(')') + 4) : 0;
}

TEST_P(Contract, FindsAProgramInAnotherProcessTreeForSampling) {
  const Process process = start("exec sleep 100");
  const auto finds_it = [&] {
    auto pids = open(spec_)->members(container_.key);
    pids.push_back(process.pid());
    // The program is one of them or a descendant.
    for (const pid_t pid : processes_of(container_.key)) {
      const auto name = read_file("/proc/" + std::to_string(pid) + "/comm");
      if (!name.ok() || *name != "sleep\n") continue;
      for (pid_t at = pid; at > 1; at = parent_of(at)) {
        if (std::find(pids.begin(), pids.end(), at) != pids.end()) return true;
      }
    }
    return false;
  };
  EXPECT_TRUE(soon(finds_it));  // the shell has not become sleep yet
}

TEST_P(Contract, NothingIsLeftWhenTheClientWasKilled) {
  Process process = start("trap '' TERM; sleep 100 & sleep 100");
  ::kill(process.pid(), SIGKILL);
  process.wait();
  EXPECT_THAT(open(spec_)->leftovers(), Contains(container_.key));
  const auto swept =
      sweep_environments([&](const std::string& key) { return key == container_.key; });
  EXPECT_THAT(swept, Contains(container_.key));
  EXPECT_THAT(open(spec_)->leftovers(), Not(Contains(container_.key)));
  EXPECT_TRUE(processes_of(container_.key).empty());
}

TEST_P(Contract, AProgramEndsIfItsTachoIsKilled) {
  const Command inside = lasting("exec sleep 100");
  const pid_t tacho = ::fork();
  if (tacho == 0) {
    const auto process = Process::start(inside);
    while (process.ok()) ::pause();
    ::_exit(1);
  }
  wait_until_begun();
  // Before podman has stored that the container runs, its client ends at a signal and does not pass
  // it on; the next tacho then removes the container.
  if (has_daemon(GetParam())) {
    ASSERT_TRUE(soon([&] { return state_of_container() == "running\n"; }));
  }
  ::kill(tacho, SIGKILL);
  ::waitpid(tacho, nullptr, 0);
  const auto is_clean = [&] {
    const auto left = open(spec_)->leftovers();
    return std::find(left.begin(), left.end(), container_.key) == left.end();
  };
  const bool forgets = !is_bare() && open(spec_)->members(container_.key).empty();
  if (forgets) sweep_environments([&](const std::string& key) { return key == container_.key; });
  EXPECT_TRUE(soon(is_clean));
}

TEST_P(Contract, NothingIsLeftWhenTheEnginesMonitorWasKilled) {
  Process process = start("exec sleep 100");
  const auto pids = open(spec_)->members(container_.key);
  if (pids.empty()) return;  // no engine between the program and this process
  ::kill(parent_of(pids.front()), SIGKILL);
  const auto cleaned = open(spec_)->clean_up(container_.key);
  EXPECT_TRUE(cleaned.ok()) << cleaned.error().message;
  EXPECT_TRUE(process.wait_for(kLongestProgram).has_value());
  EXPECT_TRUE(processes_of(container_.key).empty());
}

TEST_P(Contract, CleaningUpNothingIsNotAnError) {
  const auto cleaned = open(spec_)->clean_up("contract-nobody");
  EXPECT_TRUE(cleaned.ok()) << cleaned.error().message;
}

TEST_P(Contract, AMissingImageIsReportedWithTheFix) {
  if (is_bare()) return;
  spec_.image = "localhost/tacho-not-there";
  const auto checked = open(spec_)->check();
  ASSERT_FALSE(checked.ok());
  EXPECT_EQ(checked.error().code, ErrorCode::not_found);
  EXPECT_THAT(checked.error().message, HasSubstr("build it with 'tacho env build"));
}

TEST_P(Contract, DescribesItself) {
  const auto facts = open(spec_)->describe();
  ASSERT_TRUE(facts.ok()) << facts.error().message;
  EXPECT_EQ(facts->engine, kEnvironmentKinds.of(GetParam()));
  EXPECT_FALSE(facts->engine_version.empty());
  EXPECT_EQ(facts->image_digest.empty(), is_bare());
  EXPECT_EQ(facts->image_digest, open(spec_)->describe()->image_digest);
  std::printf("%s %s %s\n", facts->engine.c_str(), facts->engine_version.c_str(),
              facts->image_digest.c_str());
}

TEST(Docker, ReportsThatItsDaemonDoesNotAnswer) {
  if (!find_program("docker").ok()) GTEST_SKIP() << "no docker";
  const char* set = std::getenv("DOCKER_HOST");
  const std::optional<std::string> before = set == nullptr ? std::nullopt : std::optional(set);
  ::setenv("DOCKER_HOST", "unix:///not/there", 1);
  const auto checked =
      (*open_environment({.kind = EnvironmentKind::docker, .image = "any"}))->check();
  ASSERT_FALSE(checked.ok());
  EXPECT_THAT(checked.error().message, HasSubstr("does not answer at unix:///not/there; start it"));
  before ? ::setenv("DOCKER_HOST", before->c_str(), 1) : ::unsetenv("DOCKER_HOST");
}

INSTANTIATE_TEST_SUITE_P(Environments, Contract,
                         ::testing::Values(EnvironmentKind::bare, EnvironmentKind::podman,
                                           EnvironmentKind::charliecloud, EnvironmentKind::docker,
                                           EnvironmentKind::apptainer,
                                           EnvironmentKind::singularity),
                         [](const auto& test) {
                           return std::string(kEnvironmentKinds.of(test.param));
                         });

}  // namespace
}  // namespace tacho
