#include "cli/train_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <vector>

namespace tacho {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

TEST(TrainWords, BecomeSettings) {
  const auto settings = read_train_words(Words{"mnist-cnn", "--data", "synthetic", "-b", "32",
                                               "--lr", "0.2", "--stock", "--no-dropout=false"});
  ASSERT_TRUE(settings.ok()) << settings.error().message;
  EXPECT_EQ(*settings, (RunSettings{{"model", "mnist-cnn"},
                                    {"data", "synthetic"},
                                    {"batch", "32"},
                                    {"lr", "0.2"},
                                    {"no-dropout", "false"},
                                    {"stock", "true"}}));
}

TEST(TrainWords, KeepEveryValueOfARepeatedOption) {
  const auto settings = read_train_words(
      Words{"mlp", "-b", "32", "--batch=64", "--env-var", "A=1", "--env-var", "B=[2]"});
  ASSERT_TRUE(settings.ok()) << settings.error().message;
  EXPECT_EQ(*settings, (RunSettings{{"model", "mlp"},
                                    {"batch", "32"},
                                    {"batch", "64"},
                                    {"env-var", "A=1"},
                                    {"env-var", "B=[2]"}}));
}

TEST(TrainWords, AreRefusedIfTheyAreNotOfTheRun) {
  for (const Words& words : std::vector<Words>{
           {"mlp", "--bacth=3"}, {"mlp", "--json"}, {"--resume=3"}, {"mlp", "--node-rank", "1"}}) {
    const auto settings = read_train_words(words);
    ASSERT_FALSE(settings.ok());
    EXPECT_EQ(settings.error().code, ErrorCode::usage) << settings.error().message;
  }
}

RankOptions ranks_in(const std::string& words) {
  CLI::App app;
  RankOptions options;
  declare(app, options);
  app.parse(words);
  return options;
}

TEST(RankOptions, TakeTheirNumbersFromTheLauncher) {
  const Place given{.rank = 1, .size = 6, .local_rank = 1, .local_size = 2};
  const DistSpec dist = as_given({}, given);
  EXPECT_EQ(dist.ranks_per_node, 2);
  EXPECT_EQ(dist.nodes, 3);
  const auto standing = standing_of({}, {}, given);
  EXPECT_EQ(standing->given, given);
  EXPECT_EQ(standing->nodes, std::nullopt);
}

TEST(RankOptions, PlaceThisMachine) {
  const auto standing = standing_of(ranks_in("--node-rank 1 --rendezvous node1:29500"),
                                    {{"nnodes", "2"}, {"line-mbit", "100"}}, {});
  EXPECT_EQ(standing->node_rank, 1);
  EXPECT_EQ(standing->nodes, 2);
  EXPECT_EQ(standing->ranks_per_node, std::nullopt);
  EXPECT_EQ(standing->line_mbit, 100);
  EXPECT_EQ(standing->rendezvous, (Address{"node1", 29500}));
  EXPECT_THAT(standing_of(ranks_in("--rendezvous node1"), {}, {}).error().message,
              HasSubstr("--rendezvous: 'node1' is not a valid address; write HOST:PORT"));
  const auto by_file = standing_of(ranks_in("--rendezvous file:///shared/job"), {}, {});
  EXPECT_EQ(by_file->file, RendezvousFile("/shared/job"));
  EXPECT_EQ(by_file->rendezvous, std::nullopt);
  EXPECT_THAT(standing_of(ranks_in("--rendezvous file:"), {}, {}).error().message,
              HasSubstr("--rendezvous: 'file:' names no file; write file:PATH"));
}

}  // namespace
}  // namespace tacho
