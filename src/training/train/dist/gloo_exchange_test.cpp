// The arithmetic of compressed sums, without a network.
#include "training/train/dist/gloo_exchange.h"

#include <gtest/gtest.h>

#include "training/train/dist/thread_wire.h"

namespace tacho {
namespace {

constexpr std::int64_t kCount = 1003;  // not divisible by three ranks

// Returns the gradient of a rank in a step; the same in every process.
at::Tensor gradient(int rank, int step = 0, std::int64_t count = kCount) {
  at::Tensor values = at::arange(count, at::kFloat);
  return at::sin(values * (rank + 1.37) + step * 0.7) * (rank + 1) * 1e-2;
}

// Results and sent bytes of three ranks after some steps.
struct Summed {
  std::vector<at::Tensor> of_rank;
  std::vector<std::int64_t> sent;
};

Summed summed(const GlooExchange::Options& options, std::int64_t count = kCount) {
  Summed summed{std::vector<at::Tensor>(3), std::vector<std::int64_t>(3)};
  among_threads(3, [&](std::unique_ptr<Wire> wire) {
    const int rank = wire->rank();
    GlooExchange exchange(std::move(wire), options);
    at::Tensor values = gradient(rank, 0, count);
    ASSERT_TRUE(exchange.sum_gradients(values, 0).ok());
    summed.of_rank[static_cast<std::size_t>(rank)] = values;
    summed.sent[static_cast<std::size_t>(rank)] = exchange.sent_bytes();
  });
  return summed;
}

TEST(GlooExchange, SumsExactlyAndCountsTheBytesOfARing) {
  const Summed got = summed({});
  const at::Tensor sum = gradient(0) + gradient(1) + gradient(2);
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_TRUE(at::allclose(got.of_rank[static_cast<std::size_t>(rank)], sum));
    EXPECT_EQ(got.sent[static_cast<std::size_t>(rank)], 2 * 4 * kCount * 2 / 3);
  }
}

TEST(GlooExchange, ARoundedSumAddsRoundedValuesAndRoundsOnce) {
  for (const auto& [compress, type] :
       {std::pair(Compression::bf16, at::kBFloat16), std::pair(Compression::fp16, at::kHalf)}) {
    for (const std::int64_t count : {kCount, std::int64_t{1}, std::int64_t{2}}) {
      const Summed got = summed({.compress = compress}, count);
      at::Tensor sum = at::zeros({count});
      for (int rank = 0; rank < 3; ++rank) {
        sum += gradient(rank, 0, count).to(type).to(at::kFloat);
      }
      const at::Tensor rounded = sum.to(type).to(at::kFloat);
      for (const at::Tensor& values : got.of_rank) EXPECT_TRUE(at::equal(values, rounded));
      EXPECT_EQ(got.sent[1], 2 * 2 * 2 * ((count + 2) / 3));
    }
  }
}

TEST(GlooExchange, TopkSendsTheLargestAndAllRanksHaveTheSameBits) {
  const Summed got = summed({.compress = Compression::topk, .topk_share = 0.01});
  at::Tensor expected = at::zeros({kCount});
  for (int rank = 0; rank < 3; ++rank) {
    const at::Tensor values = gradient(rank);
    const at::Tensor places = std::get<1>(values.abs().topk(10));
    expected.index_add_(0, places, values.index_select(0, places));
  }
  for (const at::Tensor& values : got.of_rank) {
    EXPECT_TRUE(at::allclose(values, expected, 0, 1e-8));
    EXPECT_TRUE(at::equal(values, got.of_rank[0]));
  }
  EXPECT_EQ(got.sent[2], 2 * 8 * 10);
}

// Error feedback: over many steps everything arrives, except what a rank still holds back.
TEST(GlooExchange, TopkSendsTheRestLater) {
  constexpr int kSteps = 400;
  const at::Tensor each = gradient(0, 0, 40) + gradient(1, 0, 40) + gradient(2, 0, 40);
  std::vector<at::Tensor> total(3);
  among_threads(3, [&](std::unique_ptr<Wire> wire) {
    const int rank = wire->rank();
    GlooExchange exchange(std::move(wire), {.compress = Compression::topk, .topk_share = 0.1});
    at::Tensor sum = at::zeros({40}, at::kDouble);
    for (int step = 0; step < kSteps; ++step) {
      at::Tensor values = gradient(rank, 0, 40);
      ASSERT_TRUE(exchange.sum_gradients(values, 0).ok());
      sum += values;
    }
    total[static_cast<std::size_t>(rank)] = sum;
  });
  for (const at::Tensor& sum : total) {
    EXPECT_LT((sum / kSteps - each).abs().max().item<double>(),
              0.05 * each.abs().max().item<float>());
  }
}

TEST(GlooExchange, BucketsHaveSeparateRemainders) {
  among_threads(2, [&](std::unique_ptr<Wire> wire) {
    GlooExchange exchange(std::move(wire), {.compress = Compression::topk, .topk_share = 0.5});
    at::Tensor first = at::tensor({4.0F, 1.0F});
    at::Tensor second = at::tensor({3.0F, 2.0F, 1.0F, 1.0F});
    ASSERT_TRUE(exchange.sum_gradients(first, 0).ok());
    ASSERT_TRUE(exchange.sum_gradients(second, 1).ok());
    EXPECT_TRUE(at::equal(first, at::tensor({8.0F, 0.0F})));
    first = at::tensor({0.0F, 0.0F});
    ASSERT_TRUE(exchange.sum_gradients(first, 0).ok());
    EXPECT_TRUE(at::equal(first, at::tensor({0.0F, 2.0F})));
  });
}

TEST(GlooExchange, BroadcastsAnyType) {
  among_threads(2, [&](std::unique_ptr<Wire> wire) {
    const int rank = wire->rank();
    GlooExchange exchange(std::move(wire), {});
    for (const at::ScalarType type : {at::kLong, at::kDouble, at::kBFloat16, at::kBool}) {
      at::Tensor values = at::full({}, rank == 0 ? 1 : 0, at::TensorOptions(type));
      ASSERT_TRUE(exchange.broadcast(values).ok());
      EXPECT_EQ(values.item<double>(), 1) << type;
    }
  });
}

}  // namespace
}  // namespace tacho
