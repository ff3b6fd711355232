#include "cli/dist_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace tacho {
namespace {

using testing::HasSubstr;

DistOptions typed(const std::string& words) {
  CLI::App app;
  DistOptions options;
  declare(app, options);
  app.parse(words);
  return options;
}

TEST(DistOptions, AreOneProcessByDefault) { EXPECT_EQ(*dist_of(typed(""), {}), DistSpec{}); }

TEST(DistOptions, BecomeTheSpec) {
  const auto dist = dist_of(
      typed("--nproc 4 --nnodes 2 --backend gloo --bucket-mb 1 --no-overlap --compress topk "
            "--topk 0.1 --replicate-data --lr-scale linear --timeout 3"),
      {});
  ASSERT_TRUE(dist.ok()) << dist.error().message;
  EXPECT_EQ(*dist, (DistSpec{.ranks_per_node = 4,
                             .nodes = 2,
                             .backend = DistBackend::gloo,
                             .bucket_mb = 1,
                             .overlap = false,
                             .compress = Compression::topk,
                             .topk_share = 0.1,
                             .replicate_data = true,
                             .lr_scale = RateScaling::linear,
                             .timeout_s = 3}));
}

TEST(DistOptions, TakeTheirNumbersFromTheLauncher) {
  const Place given{.rank = 1, .size = 6, .local_rank = 1, .local_size = 2};
  const auto dist = dist_of(typed(""), given);
  EXPECT_EQ(dist->ranks_per_node, 2);
  EXPECT_EQ(dist->nodes, 3);
  EXPECT_EQ(standing_of(typed(""), given)->given, given);
}

TEST(DistOptions, PlaceThisMachine) {
  const auto standing = standing_of(typed("--node-rank 1 --rendezvous node1:29500"), {});
  EXPECT_EQ(standing->node_rank, 1);
  EXPECT_EQ(standing->rendezvous, (Address{"node1", 29500}));
  EXPECT_THAT(standing_of(typed("--rendezvous node1"), {}).error().message,
              HasSubstr("--rendezvous: 'node1' is not a valid address; write HOST:PORT"));
}

TEST(DistOptions, RefuseOptionsThatWouldHaveNoEffect) {
  EXPECT_EQ(dist_of(typed("--topk 0.1"), {}).error().message, "--topk needs --compress topk");
  EXPECT_THAT(dist_of(typed("--compress bf17"), {}).error().message,
              HasSubstr("did you mean 'bf16'"));
}

}  // namespace
}  // namespace tacho
