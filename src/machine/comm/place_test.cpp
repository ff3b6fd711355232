#include "machine/comm/place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

namespace tacho {
namespace {

using testing::HasSubstr;
using Set = std::map<std::string, std::string>;

Environment environment_with(Set variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

std::optional<Place> place_of(const Set& variables) {
  auto place = place_from_environment(environment_with(variables));
  EXPECT_TRUE(place.ok()) << place.error().message;
  return place.ok() ? *place : std::nullopt;
}

std::string problem_of(const Set& variables) {
  const auto place = place_from_environment(environment_with(variables));
  EXPECT_FALSE(place.ok());
  return place.ok() ? "" : place.error().message;
}

Set with(Set variables, const Set& changes) {
  for (const auto& [name, value] : changes) variables[name] = value;
  return variables;
}

const Set kTorchrun{
    {"RANK", "5"},       {"WORLD_SIZE", "6"},   {"LOCAL_RANK", "1"},     {"LOCAL_WORLD_SIZE", "2"},
    {"GROUP_RANK", "2"}, {"MASTER_ADDR", "n1"}, {"MASTER_PORT", "29500"}};

const Set kSrun{{"SLURM_STEP_NUM_TASKS", "7"},
                {"SLURM_NTASKS", "7"},
                {"SLURM_PROCID", "6"},
                {"SLURM_LOCALID", "0"},
                {"SLURM_NODEID", "3"},
                {"SLURM_STEP_TASKS_PER_NODE", "2(x3),1"},
                {"SLURM_STEP_NODELIST", "node[07-09],gpu5"},
                {"SLURM_JOB_ID", "100"},
                {"SLURM_STEP_ID", "3"}};

TEST(Place, IsNoneWithoutALauncher) {
  EXPECT_EQ(place_of({}), std::nullopt);
  EXPECT_EQ(place_of({{"MASTER_ADDR", "n1"}, {"LOCAL_RANK", "0"}}), std::nullopt);
  EXPECT_EQ(place_of({{"RANK", ""}, {"WORLD_SIZE", ""}}), std::nullopt);
}

TEST(Place, IsReadFromTorchrunsVariables) {
  EXPECT_EQ(*place_of(kTorchrun), (Place{5, 6, 1, 2, 2, "n1", 29500}));
}

TEST(Place, NeedsOnlyTheFewVariablesThatOtherLaunchersSet) {
  EXPECT_EQ(
      *place_of({{"RANK", "2"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "n1"}, {"MASTER_PORT", "7"}}),
      (Place{2, 4, 0, 1, 2, "n1", 7}));
  EXPECT_EQ(*place_of({{"RANK", "0"}, {"WORLD_SIZE", "1"}}), Place{});
}

TEST(Place, AvoidsThePortOfTorchrunsAgent) {
  const auto port = [](const char* master) {
    return place_of(
               with(kTorchrun, {{"TORCHELASTIC_USE_AGENT_STORE", "True"}, {"MASTER_PORT", master}}))
        ->port;
  };
  EXPECT_EQ(port("29500"), 21308);
  EXPECT_EQ(port("29501"), 21309);
  for (int master = 1; master < 65536; ++master) {
    const auto derived = port(std::to_string(master).c_str());
    ASSERT_NE(derived, master);
    ASSERT_GE(derived, 16384);
    ASSERT_LT(derived, 32768);
  }
  EXPECT_EQ(place_of(with(kTorchrun, {{"TORCHELASTIC_USE_AGENT_STORE", "False"}}))->port, 29500);
}

TEST(Place, OfRankZeroMayHaveAListeningDescriptor) {
  const Set first = with(kTorchrun, {{"RANK", "0"}, {"LOCAL_RANK", "0"}, {"GROUP_RANK", "0"}});
  EXPECT_EQ(place_of(with(first, {{"TACHO_RENDEZVOUS_FD", "9"}}))->listen_fd, 9);
  EXPECT_EQ(place_of(with(kTorchrun, {{"TACHO_RENDEZVOUS_FD", "9"}}))->listen_fd, std::nullopt);
  EXPECT_THAT(problem_of(with(first, {{"TACHO_RENDEZVOUS_FD", "-1"}})),
              HasSubstr("TACHO_RENDEZVOUS_FD=-1"));
}

TEST(Place, NamesTheVariableThatIsMissing) {
  EXPECT_THAT(problem_of({{"RANK", "0"}}), HasSubstr("WORLD_SIZE is not set"));
  EXPECT_THAT(problem_of({{"WORLD_SIZE", "2"}}), HasSubstr("RANK is not set"));
  EXPECT_THAT(problem_of(with(kTorchrun, {{"MASTER_ADDR", ""}})), HasSubstr("MASTER_ADDR is not"));
  EXPECT_THAT(problem_of(with(kTorchrun, {{"MASTER_PORT", ""}})), HasSubstr("MASTER_PORT is not"));
  EXPECT_THAT(problem_of(with(kSrun, {{"SLURM_JOB_ID", ""}})),
              HasSubstr("SLURM_JOB_ID is not set"));
  EXPECT_THAT(problem_of(with(kSrun, {{"SLURM_STEP_NODELIST", ""}})), HasSubstr("set MASTER_ADDR"));
}

TEST(Place, NamesTheInvalidVariable) {
  const auto says = [](const Set& base, const char* name, const char* value) {
    EXPECT_THAT(problem_of(with(base, {{name, value}})), HasSubstr(name)) << value;
  };
  for (const char* bad : {"-1", "6", "x", "1 ", "99999999999999999999"}) {
    says(kTorchrun, "RANK", bad);
  }
  says(kTorchrun, "WORLD_SIZE", "0");
  says(kTorchrun, "LOCAL_RANK", "2");
  says(kTorchrun, "LOCAL_WORLD_SIZE", "7");
  says(kTorchrun, "GROUP_RANK", "6");
  says(kTorchrun, "MASTER_PORT", "65536");
  says(kSrun, "SLURM_PROCID", "7");
  says(kSrun, "SLURM_STEP_TASKS_PER_NODE", "2(y3)");
  says(kSrun, "SLURM_STEP_TASKS_PER_NODE", "9(x4)");
  says(kSrun, "SLURM_STEP_NODELIST", "node[");
  says(kSrun, "SLURM_STEP_NUM_TASKS", "many");
}

TEST(Place, IsReadFromSlurmsVariablesInATaskOfAStep) {
  EXPECT_EQ(*place_of(kSrun), (Place{6, 7, 0, 1, 3, "node07", 16384 + 100 * 16 + 3}));
}

TEST(Place, AcceptsTheLargeJobIdsOfAFederation) {
  EXPECT_EQ(place_of(with(kSrun, {{"SLURM_JOB_ID", "4294967295"}}))->port, 16384 + 16368 + 3);
}

TEST(Place, UsesLoopbackOnASingleSlurmNode) {
  EXPECT_EQ(place_of(with(kSrun, {{"SLURM_STEP_NODELIST", "gpu5"},
                                  {"SLURM_NODEID", "0"},
                                  {"SLURM_STEP_TASKS_PER_NODE", "7"},
                                  {"SLURM_LOCALID", "6"}}))
                ->host,
            "127.0.0.1");
}

TEST(Place, UnderSlurmPrefersMasterAddrAndMasterPort) {
  const auto place = place_of(with(kSrun, {{"MASTER_ADDR", "ib-1"}, {"MASTER_PORT", "4000"}}));
  EXPECT_EQ(place->host, "ib-1");
  EXPECT_EQ(place->port, 4000);
}

TEST(Place, IsNoneInABatchScriptOutsideAStep) {
  Set batch = kSrun;
  batch.erase("SLURM_STEP_NUM_TASKS");
  batch.erase("SLURM_STEP_ID");
  EXPECT_EQ(place_of(with(batch, {{"SLURM_PROCID", "0"}})), std::nullopt);
  EXPECT_EQ(place_of(with(kSrun, {{"SLURM_STEP_NUM_TASKS", "1"}})), std::nullopt);
}

TEST(Place, PrefersTorchrunInsideASlurmStep) {
  EXPECT_EQ(place_of(with(kSrun, kTorchrun))->rank, 5);
}

TEST(Place, SurvivesTheEnvironmentOfAWorker) {
  for (const Place& place : {Place{}, Place{0, 4, 0, 2, 0, "127.0.0.1", 4242, 7},
                             Place{3, 4, 1, 2, 1, "fe80::1", 65535, {}, "0123456789abcdef"}}) {
    Set worker{{"TORCHELASTIC_USE_AGENT_STORE", "True"}};  // inherited from torchrun
    for (const auto& [name, value] : environment_of(place)) worker[name] = value;
    EXPECT_EQ(*place_of(with(kSrun, worker)), place);
  }
}

TEST(Place, RejectsAnInvalidSecret) {
  const std::string problem = problem_of(with(kTorchrun, {{"TACHO_JOB_SECRET", "too short"}}));
  EXPECT_THAT(problem, testing::StartsWith("TACHO_JOB_SECRET: a job secret has 16 to 256"));
  EXPECT_THAT(problem, testing::Not(HasSubstr("too short")));
}

TEST(Place, SharesTheCoresOfItsNode) {
  const Place place{.rank = 1, .size = 8, .local_rank = 1, .local_size = 4};
  EXPECT_EQ(cores_of_rank(16, place, environment_with({})), 4);
  EXPECT_EQ(cores_of_rank(3, place, environment_with({})), 1);
  EXPECT_EQ(cores_of_rank(16, Place{}, environment_with({})), 16);
}

TEST(Place, KeepsTheCoresThatSlurmGaveItsTask) {
  const Place place{.rank = 1, .size = 8, .local_rank = 1, .local_size = 4};
  const Set task{{"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_CPUS_PER_TASK", "6"}};
  EXPECT_EQ(cores_of_rank(6, place, environment_with(task)), 6);
  EXPECT_EQ(cores_of_rank(24, place, environment_with(task)), 6);
  // torchrun as the one task of each node
  EXPECT_EQ(cores_of_rank(24, place, environment_with(with(task, {{"SLURM_STEP_NUM_TASKS", "2"}}))),
            6);
}

// Arbitrary variables give a valid place or an error.
TEST(Place, SurvivesArbitraryVariables) {
  std::mt19937 random(11);
  const std::string alphabet = "0123456789-x[](),n \xff";
  for (int i = 0; i < 20'000; ++i) {
    Set variables = i % 2 == 0 ? kTorchrun : kSrun;
    for (auto& [name, value] : variables) {
      if (random() % 4 != 0 || value.empty()) continue;
      value[random() % value.size()] = alphabet[random() % alphabet.size()];
    }
    const auto place = place_from_environment(environment_with(variables));
    if (!place.ok() || !place->has_value()) continue;
    const Place& got = **place;
    ASSERT_LT(got.rank, got.size);
    ASSERT_LT(got.local_rank, got.local_size);
    ASSERT_LE(got.local_size, got.size);
    ASSERT_GE(got.local_rank, 0);
    ASSERT_FALSE(got.host.empty());
  }
}

}  // namespace
}  // namespace tacho
