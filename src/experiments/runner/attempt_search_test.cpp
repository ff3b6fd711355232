#include "experiments/runner/attempt_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/scratch_folder.h"

namespace tacho {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const MeetingPoint kAttempt1{"a", {"node1", 40001}, "secret-of-attempt-1"};
const MeetingPoint kAttempt2{"b", {"node2", 40002}, "secret-of-attempt-2"};
constexpr double kAmple_s = 60;

class MachineOne : public testing::Test {
 protected:
  AttemptSearch search(double timeout_s, const std::string& secret = "") {
    return {{.nodes = 2, .timeout_s = timeout_s},
            {.node_rank = 1, .secret = secret, .file = file_},
            interrupts_,
            [this](const std::string& words) { said_.push_back(words); }};
  }
  std::string problem(const Result<Launch>& launch, ErrorCode code) {
    EXPECT_FALSE(launch.ok());
    if (launch.ok()) return "";
    EXPECT_EQ(launch.error().code, code);
    return launch.error().message;
  }

  ScratchFolder scratch_;
  RendezvousFile file_{scratch_.path() / "job"};
  std::atomic<int> interrupts_{0};
  std::vector<std::string> said_;
};

TEST_F(MachineOne, GoesToMachine0WithItsSecret) {
  ASSERT_TRUE(file_.write(kAttempt1).ok());
  const auto launch = search(0.001).next();
  ASSERT_TRUE(launch.ok()) << launch.error().message;
  const Place expected{1, 2, 0, 1, 1, "node1", 40001, {}, "secret-of-attempt-1"};
  EXPECT_THAT(launch->places, testing::ElementsAre(expected));
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(MachineOne, WaitsForMachine0) {
  AttemptSearch waiting({.nodes = 2, .timeout_s = kAmple_s}, {.node_rank = 1, .file = file_},
                        interrupts_, [&](const std::string& words) {
                          said_.push_back(words);
                          EXPECT_TRUE(file_.write(kAttempt1).ok());
                        });
  EXPECT_EQ(waiting.next()->places[0].host, "node1");
  EXPECT_THAT(said_,
              testing::ElementsAre(HasSubstr("for machine 0 to write " + file_.path().string())));
}

TEST_F(MachineOne, GivesUpAfterTheTimeout) {
  EXPECT_THAT(problem(search(0.001).next(), ErrorCode::failed),
              HasSubstr("machine 0 has not written " + file_.path().string() + " within 0.001 s"));
}

TEST_F(MachineOne, StopsWhenAsked) {
  interrupts_ = 1;
  EXPECT_EQ(problem(search(kAmple_s).next(), ErrorCode::failed), "stopped by the user");
}

TEST_F(MachineOne, DoesNotJoinAnAttemptAgainThatIsOver) {
  ASSERT_TRUE(file_.write(kAttempt1).ok());
  AttemptSearch attempts = search(0.001);
  ASSERT_TRUE(attempts.next().ok());
  EXPECT_FALSE(attempts.superseded());
  EXPECT_TRUE(attempts.next().ok());
  attempts.end_attempt();
  EXPECT_THAT(problem(attempts.next(), ErrorCode::failed),
              HasSubstr("machine 0 has not begun another attempt in " + file_.path().string()));
  ASSERT_TRUE(file_.write(kAttempt2).ok());
  EXPECT_TRUE(attempts.superseded());
  EXPECT_EQ(attempts.next()->places[0].host, "node2");
  EXPECT_FALSE(attempts.superseded());
  file_.remove(kAttempt2.attempt);
  EXPECT_FALSE(attempts.superseded());
}

TEST_F(MachineOne, UsesTheSecretThatItWasGiven) {
  ASSERT_TRUE(file_.write(kAttempt1).ok());
  EXPECT_EQ(search(0.001, "a-secret-that-was-given").next()->places[0].secret,
            "a-secret-that-was-given");
  ASSERT_TRUE(file_.write({"b", kAttempt1.address, ""}).ok());
  EXPECT_THAT(problem(search(0.001).next(), ErrorCode::usage),
              HasSubstr("set TACHO_JOB_SECRET to it here, too, or pass --job-secret-file"));
}

TEST_F(MachineOne, DoesNotWaitForAFileThatItMustNotRead) {
  ASSERT_TRUE(file_.write(kAttempt1).ok());
  std::filesystem::permissions(file_.path(), std::filesystem::perms::group_read,
                               std::filesystem::perm_options::add);
  EXPECT_THAT(problem(search(kAmple_s).next(), ErrorCode::usage), HasSubstr("--rendezvous: "));
}

TEST_F(MachineOne, NeedsNoFileWithAnAddress) {
  AttemptSearch fixed({.nodes = 2},
                      {.node_rank = 1, .rendezvous = Address{"node1", 1}, .secret = "s"},
                      interrupts_, [](const std::string&) {});
  EXPECT_EQ(fixed.next()->places[0].port, 1);
  EXPECT_FALSE(fixed.superseded());
}

}  // namespace
}  // namespace tacho
