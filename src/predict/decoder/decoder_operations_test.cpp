#include "predict/decoder/decoder_operations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "predict/speed/shipped.h"

namespace tacho {
namespace {

using testing::HasSubstr;

DecoderJob small_job() {
  return {.shape = {.layers = 2,
                    .width = 8,
                    .heads = 2,
                    .kv_heads = 2,
                    .feed_forward = 32,
                    .vocabulary = 100,
                    .tied = true},
          .sequence = 16,
          .micro_batch = 3,
          .accumulate = 2,
          .num_gpus = 16,
          .num_nodes = 2,
          .network_gbps = 100};
}

TEST(DecoderOperations, CountWhatAPassDoes) {
  const DecoderOperations list = operations(small_job());
  // 48 tokens, 2 layers of 768 weights, forward and backward.
  EXPECT_EQ(list[OperationClass::block_matrices].flops, 2. * 48 * 1536 * 3);
  EXPECT_EQ(list[OperationClass::head].flops, 2. * 48 * 800 * 3);
  // Half of 16 × 16 scores, 2 products forward and 5 backward.
  EXPECT_EQ(list[OperationClass::attention].flops, 7. * 2 * 8 * 2 * 3 * 16 * 16 / 2);
  // Three times 2,336 parameters of 2 bytes, 7 of 8 parts from the own node, half from the other.
  EXPECT_EQ(list[OperationClass::collective].peer_bytes, 3. * 2 * 2336 * 7 / 8);
  EXPECT_EQ(list[OperationClass::collective].network_bytes, 3. * 2 * 2336 / 2);
  EXPECT_EQ(list[OperationClass::optimizer].memory_bytes, 28. * 2336 / 16 / 2);
}

TEST(DecoderOperations, RecomputationRepeatsTheLayersButNotTheHead) {
  DecoderJob job = small_job();
  const DecoderOperations without = operations(job);
  job.recompute = true;
  const DecoderOperations with = operations(job);
  EXPECT_EQ(with[OperationClass::block_matrices].flops * 3,
            without[OperationClass::block_matrices].flops * 4);
  EXPECT_EQ(with[OperationClass::attention].flops * 7,
            without[OperationClass::attention].flops * 9);
  EXPECT_EQ(with[OperationClass::head].flops, without[OperationClass::head].flops);
}

TEST(DecoderOperations, ShardingDecidesHowOftenParametersTravel) {
  DecoderJob job = small_job();
  const auto bytes = [&](Sharding sharding) {
    job.sharding = sharding;
    return operations(job)[OperationClass::collective].network_bytes;
  };
  EXPECT_EQ(bytes(Sharding::full_shard), 3 * 2336);
  EXPECT_EQ(bytes(Sharding::shard_grad_op), 2 * 2336);
  EXPECT_EQ(bytes(Sharding::no_shard), 2336);  // once per step of two micro-batches
}

TEST(DecoderJob, RefusesAPrecisionThatTheGpuLacks) {
  const GpuCatalog gpus = *GpuCatalog::parse(shipped_gpus_csv());
  DecoderJob job = small_job();
  EXPECT_TRUE(check(job, **gpus.find("A100")).ok());
  EXPECT_THAT(check(job, **gpus.find("V100")).error().message, HasSubstr("--precision fp16"));
  job.precision = DecoderPrecision::fp8;
  EXPECT_TRUE(check(job, **gpus.find("H100")).ok());
  EXPECT_THAT(check(job, **gpus.find("A100")).error().message, HasSubstr("--precision bf16"));
  job.num_nodes = 3;
  EXPECT_EQ(check(job, **gpus.find("H100")).error().code, ErrorCode::usage);
}

}  // namespace
}  // namespace tacho
