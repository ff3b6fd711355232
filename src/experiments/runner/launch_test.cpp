#include "experiments/runner/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string problem_of(const DistSpec& dist, const Standing& standing) {
  const auto launch = plan_launch(dist, standing);
  EXPECT_FALSE(launch.ok());
  if (launch.ok()) return "";
  EXPECT_EQ(launch.error().code, ErrorCode::usage);
  return launch.error().message;
}

const Address kFirstMachine{"node1", 29500};
constexpr const char* kSecret = "0123456789abcdef";

// Returns the places without their secret.
std::vector<Place> places(const Launch& launch) {
  std::vector<Place> all = launch.places;
  for (Place& place : all) {
    EXPECT_FALSE(place.secret.empty());
    EXPECT_EQ(place.secret, launch.places.front().secret);
    place.secret.clear();
  }
  return all;
}

TEST(Launch, OfOneRankIsASingleWorker) {
  EXPECT_THAT(plan_launch({}, {})->places, IsEmpty());
  EXPECT_FALSE(plan_launch({}, {})->binds);
}

TEST(Launch, OfSeveralRanksHereBindsItsOwnSocket) {
  const auto launch = plan_launch({.ranks_per_node = 2}, {});
  ASSERT_TRUE(launch.ok());
  EXPECT_TRUE(launch->binds);
  EXPECT_THAT(places(*launch), ElementsAre(Place{0, 2, 0, 2, 0}, Place{1, 2, 1, 2, 0}));
}

TEST(Launch, OfAnExplicitBackendIsDistributedEvenWithOneRank) {
  const auto launch = plan_launch({.backend = DistBackend::gloo}, {});
  EXPECT_THAT(places(*launch), ElementsAre(Place{0, 1, 0, 1, 0}));
  EXPECT_TRUE(launch->binds);
}

TEST(Launch, StartsTheRanksOfItsOwnMachine) {
  const DistSpec dist{.ranks_per_node = 2, .nodes = 3};
  const auto launch =
      plan_launch(dist, {.node_rank = 2, .rendezvous = kFirstMachine, .secret = kSecret});
  ASSERT_TRUE(launch.ok()) << launch.error().message;
  EXPECT_FALSE(launch->binds);
  EXPECT_THAT(places(*launch), ElementsAre(Place{4, 6, 0, 2, 2, "node1", 29500},
                                           Place{5, 6, 1, 2, 2, "node1", 29500}));
}

TEST(Launch, OfMachine0AnnouncesItsPortAndSecretInAFile) {
  const DistSpec dist{.ranks_per_node = 2, .nodes = 2};
  const RendezvousFile file("/shared/job");
  const auto launch = plan_launch(dist, {.node_rank = 0, .file = file});
  ASSERT_TRUE(launch.ok()) << launch.error().message;
  EXPECT_TRUE(launch->binds);
  EXPECT_EQ(launch->file, file);
  EXPECT_TRUE(launch->secret_in_file);
  EXPECT_THAT(places(*launch), ElementsAre(Place{0, 4, 0, 2, 0}, Place{1, 4, 1, 2, 0}));
  const auto next = plan_launch(dist, {.node_rank = 0, .file = file});
  EXPECT_NE(next->places[0].secret, launch->places[0].secret);

  const auto given = plan_launch(dist, {.node_rank = 0, .secret = kSecret, .file = file});
  EXPECT_FALSE(given->secret_in_file);
  EXPECT_EQ(given->places[0].secret, kSecret);
  const auto alone = plan_launch({.ranks_per_node = 2}, {.file = file});
  EXPECT_EQ(alone->file, std::nullopt);
}

TEST(Launch, OfAnotherMachineGoesWhereTheFileSays) {
  const auto launch = plan_launch({.nodes = 2}, {.node_rank = 1,
                                                 .rendezvous = kFirstMachine,
                                                 .secret = kSecret,
                                                 .file = RendezvousFile("/shared/job")});
  ASSERT_TRUE(launch.ok()) << launch.error().message;
  EXPECT_FALSE(launch->binds);
  EXPECT_EQ(launch->file, std::nullopt);
  EXPECT_THAT(places(*launch), ElementsAre(Place{1, 2, 0, 1, 1, "node1", 29500}));
}

TEST(Launch, NeedsAFolderForItsFile) {
  const Launch launch{.file = RendezvousFile("/nonexistent/job")};
  const auto possible = check_possible(launch);
  ASSERT_FALSE(possible.ok());
  EXPECT_EQ(possible.error().code, ErrorCode::usage);
  EXPECT_THAT(possible.error().message, HasSubstr("--rendezvous: /nonexistent/job: "));
}

TEST(Launch, OfSimulatedMachinesStartsThemAll) {
  const DistSpec dist{.ranks_per_node = 2, .nodes = 2};
  const auto launch = plan_launch(dist, {.line_mbit = 1000});
  ASSERT_TRUE(launch.ok()) << launch.error().message;
  EXPECT_FALSE(launch->binds);
  EXPECT_EQ(launch->line_mbit, 1000);
  EXPECT_EQ(launch->nodes(), 2);
  const std::string first = "10.231.0.1";
  EXPECT_THAT(places(*launch),
              ElementsAre(Place{0, 4, 0, 2, 0, first, 29500}, Place{1, 4, 1, 2, 0, first, 29500},
                          Place{2, 4, 0, 2, 1, first, 29500}, Place{3, 4, 1, 2, 1, first, 29500}));
}

TEST(Launch, OfOneMachineIsNotSimulated) {
  const auto launch = plan_launch({.ranks_per_node = 2}, {.line_mbit = 1000});
  ASSERT_TRUE(launch.ok()) << launch.error().message;
  EXPECT_TRUE(launch->binds);
  EXPECT_EQ(launch->line_mbit, std::nullopt);
}

TEST(Launch, RejectsInvalidLinkRates) {
  const DistSpec two{.nodes = 2};
  EXPECT_THAT(problem_of(two, {.line_mbit = 0}), HasSubstr("--line-mbit must be between"));
  EXPECT_THAT(problem_of(two, {.line_mbit = NAN}), HasSubstr("--line-mbit must be between"));
  EXPECT_THAT(problem_of(two, {.node_rank = 0, .line_mbit = 10}), HasSubstr("--node-rank"));
  EXPECT_THAT(problem_of(two, {.line_mbit = 10, .file = RendezvousFile("/shared/job")}),
              HasSubstr("leave --rendezvous out"));
  EXPECT_THAT(problem_of({.nodes = 17}, {.line_mbit = 10}), HasSubstr("at most 16"));
}

TEST(Launch, InsideTorchrunIsTheGivenRank) {
  const Place given{3, 4, 1, 2, 1, "node1", 29500, {}, kSecret};
  const auto launch = plan_launch(as_given({}, given), {.given = given});
  EXPECT_THAT(launch->places, ElementsAre(given));
  EXPECT_FALSE(launch->binds);
  EXPECT_EQ(as_given({}, given).ranks_per_node, 2);
  EXPECT_EQ(as_given({}, given).nodes, 2);
}

TEST(Launch, MayResumeWithAnotherNumberOfRanks) {
  const DistSpec ordered{.ranks_per_node = 2};
  EXPECT_EQ(plan_launch(ordered, {.ranks_per_node = 3})->places.size(), 3U);
  EXPECT_THAT(plan_launch(ordered, {.ranks_per_node = 1})->places, IsEmpty());
}

TEST(Launch, NamesTheOptionsThatSeveralMachinesNeed) {
  const DistSpec two{.nodes = 2};
  EXPECT_THAT(problem_of(two, {}), HasSubstr("--nnodes 2 needs --rendezvous HOST:PORT"));
  EXPECT_THAT(problem_of(two, {.rendezvous = kFirstMachine}), HasSubstr("needs --node-rank"));
  EXPECT_THAT(problem_of(two, {.node_rank = 2, .rendezvous = kFirstMachine}),
              HasSubstr("--node-rank must be between 0 and 1, not 2"));
  EXPECT_THAT(problem_of(two, {.node_rank = -1, .rendezvous = kFirstMachine}), HasSubstr("not -1"));
  EXPECT_THAT(problem_of({}, {.node_rank = 1}), HasSubstr("--node-rank 1 needs --nnodes"));
  EXPECT_THAT(problem_of({}, {.ranks_per_node = 0}), HasSubstr("--nproc"));
}

TEST(Launch, MakesASecretIfAllRanksAreHere) {
  const auto one = plan_launch({.ranks_per_node = 2}, {});
  EXPECT_EQ(one->places[0].secret, one->places[1].secret);
  EXPECT_NE(one->places[0].secret, plan_launch({.ranks_per_node = 2}, {})->places[0].secret);
}

TEST(Launch, OfSeveralMachinesNeedsTheSecretOfTheFirst) {
  EXPECT_THAT(problem_of({.nodes = 2}, {.node_rank = 1, .rendezvous = kFirstMachine}),
              HasSubstr("--node-rank 1 needs the secret of machine 0"));
  EXPECT_THAT(problem_of({}, {.given = Place{3, 4, 1, 2, 1, "node1", 29500}}),
              HasSubstr("set TACHO_JOB_SECRET to the same value on all"));
}

TEST(Launch, RejectsOptionsThatContradictTheLauncher) {
  const Standing inside{.given = Place{1, 2, 1, 2, 0, "node1", 29500}};
  const auto with = [&](auto change) {
    Standing standing = inside;
    change(standing);
    return problem_of({}, standing);
  };
  EXPECT_THAT(with([](Standing& s) { s.ranks_per_node = 2; }),
              HasSubstr("--nproc: torchrun or srun started this process as rank 1 of 2"));
  EXPECT_THAT(with([](Standing& s) { s.nodes = 2; }), HasSubstr("leave --nnodes out"));
  EXPECT_THAT(with([](Standing& s) { s.node_rank = 0; }), HasSubstr("leave --node-rank out"));
  EXPECT_THAT(with([](Standing& s) { s.rendezvous = kFirstMachine; }),
              HasSubstr("leave --rendezvous out"));
}

TEST(Launch, HasOneTachoThatKeepsTheRecord) {
  EXPECT_TRUE(keeps_record({}));
  EXPECT_TRUE(keeps_record({.node_rank = 0}));
  EXPECT_FALSE(keeps_record({.node_rank = 1}));
  EXPECT_TRUE(keeps_record({.given = Place{.rank = 0, .size = 2}}));
  EXPECT_FALSE(keeps_record({.given = Place{.rank = 1, .size = 2}}));
}

}  // namespace
}  // namespace tacho
