#include "experiments/runner/restarts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/scratch_folder.h"
#include "core/record/run_folder.h"

namespace tacho {
namespace {

using testing::HasSubstr;

TEST(Restarts, EndWithoutProgress) {
  Restarts restarts(2);
  EXPECT_TRUE(restarts.again(false));
  EXPECT_EQ(restarts.words("rank 2 is silent"), "restart 1 of 2: rank 2 is silent");
  EXPECT_TRUE(restarts.again(false));
  EXPECT_FALSE(restarts.again(false));
  EXPECT_FALSE(Restarts(0).again(true));
}

TEST(Restarts, BeginAgainAfterProgress) {
  Restarts restarts(1);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(restarts.again(true));
  EXPECT_FALSE(restarts.again(false));
}

TEST(Restarts, TrainUntilAnAttemptSucceeds) {
  std::vector<std::string> said;
  std::vector<std::optional<std::int64_t>> asked;
  // Epochs finished and outcome of each attempt.
  std::vector<std::pair<int, Outcome>> ends = {{0, Outcome::failed},
                                               {2, Outcome::failed},
                                               {2, Outcome::failed},
                                               {3, Outcome::failed},
                                               {3, Outcome::ok}};
  const auto attempt = [&](std::optional<std::int64_t> failed) -> Result<FinishedRun> {
    const auto [epochs, outcome] = ends.at(asked.size());
    asked.push_back(failed);
    FinishedRun run{.id = 7, .record = {}};
    run.record.epochs.resize(static_cast<std::size_t>(epochs));
    run.record.outcome = outcome;
    return run;
  };
  const auto say = [&](const std::string& words) { said.push_back(words); };
  const auto run = train_with_restarts(2, attempt, say);
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->record.outcome, Outcome::ok);
  EXPECT_EQ(asked.size(), 5U);
  EXPECT_FALSE(asked.front());
  EXPECT_EQ(asked.back(), 7);
  EXPECT_THAT(said, testing::ElementsAre("restart 1 of 2: ", "restart 1 of 2: ", "restart 2 of 2: ",
                                         "restart 1 of 2: "));
  asked.clear();
  EXPECT_EQ(train_with_restarts(0, attempt, say)->record.outcome, Outcome::failed);
  EXPECT_EQ(asked.size(), 1U);
}

TEST(Restarts, AnAttemptThatCannotBeginCounts) {
  int attempts = 0;
  const auto attempt = [&](std::optional<std::int64_t>) -> Result<FinishedRun> {
    if (++attempts > 1) return Error{ErrorCode::failed, "cannot resume run 7"};
    FinishedRun run{.id = 7, .record = {}};
    run.record.outcome = Outcome::failed;
    return run;
  };
  std::vector<std::string> said;
  const auto run =
      train_with_restarts(2, attempt, [&](const std::string& words) { said.push_back(words); });
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->id, 7);
  EXPECT_EQ(attempts, 3);
  EXPECT_EQ(said.back(), "restart 2 of 2: cannot resume run 7");
}

TEST(KeyOfJob, IsPartOfAPath) {
  EXPECT_THAT(*key_of_job("night-2_b", "/home/a"),
              testing::MatchesRegex("job-night-2_b-[0-9a-f]+"));
  EXPECT_EQ(*key_of_job("night", "/home/a"), *key_of_job("night", "/home/a"));
  EXPECT_NE(*key_of_job("night", "/home/a"), *key_of_job("night", "/home/b"));
  for (const std::string& job : {std::string(), std::string("a/b"), std::string("a.b"),
                                 std::string("A"), std::string("ü"), std::string(65, 'a')}) {
    const auto key = key_of_job(job, "/home/a");
    ASSERT_FALSE(key.ok()) << job;
    EXPECT_THAT(key.error().message, HasSubstr("--job '" + job + "'"));
  }
}

class RunOfJob : public testing::Test {
 protected:
  static RunOrder order(const std::string& key, std::int64_t batch) {
    RunSpec spec;
    spec.model = "lenet5";
    spec.data = "synthetic";
    spec.batch = batch;
    RunOrder made = new_order(spec);
    made.key = key;
    return made;
  }
  void begin(const RunOrder& order) {
    const RunFolder folder(home_.path() / "runs" / order.key);
    ASSERT_TRUE(folder.create(order).ok());
    ASSERT_TRUE(store_.put(fold(order, {}), folder.path()).ok());
  }

  ScratchFolder home_;
  RunStore store_ = *RunStore::open(home_.path() / "tacho.db");
};

TEST_F(RunOfJob, IsTheOneWithItsKey) {
  begin(order("job-nightly", 8));
  const auto other = run_of_job(store_, home_.path(), order("job-night", 8));
  ASSERT_TRUE(other.ok());
  EXPECT_FALSE(*other);
  RunOrder on_two = order("job-nightly", 8);
  on_two.spec.dist.ranks_per_node = 2;
  on_two.environment.variables = {{"SECRET", "masked in the record"}};
  const auto same = run_of_job(store_, home_.path(), on_two);
  ASSERT_TRUE(same.ok());
  EXPECT_EQ((*same)->id, 1);
  EXPECT_EQ((*same)->record.outcome, Outcome::failed);  // nobody works on it
}

TEST_F(RunOfJob, IsFoundByItsFolder) {
  begin(order("job-nightly", 8));
  ASSERT_TRUE(store_.remove(1).ok());
  const auto found = run_of_job(store_, home_.path(), order("job-nightly", 8));
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(store_.find("job-nightly").ok());
}

TEST_F(RunOfJob, HasTheSameOptions) {
  begin(order("job-nightly", 8));
  std::vector<RunOrder> others(3, order("job-nightly", 8));
  others[0].spec.batch = 16;
  others[1].spec.dist.timeout_s = 60;
  others[2].time_limit_s = 5;
  for (const RunOrder& other : others) {
    const auto found = run_of_job(store_, home_.path(), other);
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.error().code, ErrorCode::usage);
    EXPECT_THAT(found.error().message, HasSubstr("run 1 of this job has other options"));
  }
}

}  // namespace
}  // namespace tacho
