#include "training/train/dist/reducer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <thread>

#include "training/train/dist/exchange_line.h"
#include "training/train/dist/shm_exchange.h"

namespace tacho {
namespace {

using testing::HasSubstr;

struct ToyImpl : torch::nn::Module {
  ToyImpl() {
    torch::manual_seed(3);
    first = register_module("first", torch::nn::Linear(5, 40));
    second = register_module("second", torch::nn::Linear(40, 4));
    spare = register_module("spare", torch::nn::Linear(4, 4));
  }
  at::Tensor loss(std::int64_t from, std::int64_t count, bool all = true) {
    torch::manual_seed(9);
    const at::Tensor samples = at::randn({8, 5}).narrow(0, from, count);
    at::Tensor x = second(torch::relu(first(samples)));
    if (all) x = x + spare(x);
    return x.pow(2).mean();
  }
  std::vector<at::Tensor> gradients() {
    std::vector<at::Tensor> all;
    for (const at::Tensor& parameter : parameters()) all.push_back(parameter.grad().clone());
    return all;
  }
  torch::nn::Linear first{nullptr}, second{nullptr}, spare{nullptr};
};
TORCH_MODULE(Toy);

// A single rank: sums nothing, records its input.
class LoneLine final : public BucketLine {
 public:
  explicit LoneLine(bool in_place = false) : in_place_(in_place) {}
  [[nodiscard]] bool works_in_place() const override { return in_place_; }
  Result<at::Tensor> allocate(std::int64_t count) override {
    EXPECT_FALSE(in_place_);
    return at::zeros({count});
  }
  void send(std::size_t bucket, std::vector<at::Tensor> values) override {
    sent.push_back(bucket);
    for (const at::Tensor& tensor : values) {
      pending_.payload_bytes += static_cast<std::int64_t>(tensor.nbytes());
      if (in_place_) tensor.mul_(2);
    }
  }
  Result<ExchangeTimes> finish() override { return std::exchange(pending_, {}); }

  std::vector<std::size_t> sent;

 private:
  bool in_place_;
  ExchangeTimes pending_;
};

std::vector<at::Tensor> plain_gradients(int batches = 1) {
  Toy toy;
  for (int i = 0; i < batches; ++i) toy->loss(0, 8).backward();
  return toy->gradients();
}

void expect_near(const std::vector<at::Tensor>& first, const std::vector<at::Tensor>& second) {
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_TRUE(at::allclose(first[i], second[i], 1e-5, 1e-7)) << i;
  }
}

TEST(Reducer, OneRankKeepsItsGradients) {
  for (const bool overlap : {true, false}) {
    Toy toy;
    LoneLine line;
    auto reducer = Reducer::make(*toy, line, {.bucket_mb = 0.0005, .overlap = overlap});
    ASSERT_TRUE(reducer.ok());
    for (int step = 0; step < 2; ++step) {
      toy->zero_grad();
      line.sent.clear();
      (*reducer)->begin();
      toy->loss(0, 8).backward();
      const auto times = (*reducer)->finish();
      ASSERT_TRUE(times.ok());
      EXPECT_EQ(times->payload_bytes, 4 * (5 * 40 + 40 + 40 * 4 + 4 + 4 * 4 + 4));
      expect_near(toy->gradients(), plain_gradients());
      EXPECT_TRUE(std::is_sorted(line.sent.begin(), line.sent.end()));
      EXPECT_GT(line.sent.size(), 2U);
    }
  }
}

// As on a GPU: the result is what the line made of the gradients in place.
TEST(Reducer, LeavesGradientsInPlaceIfTheLineWorksInPlace) {
  Toy toy;
  LoneLine line(true);
  auto reducer = Reducer::make(*toy, line, {.bucket_mb = 0.0005});
  ASSERT_TRUE(reducer.ok());
  (*reducer)->begin();
  toy->loss(0, 8).backward();
  ASSERT_TRUE((*reducer)->finish().ok());
  auto doubled = plain_gradients();
  for (at::Tensor& gradient : doubled) gradient.mul_(2);
  expect_near(toy->gradients(), doubled);
}

TEST(Reducer, IncludesGradientsAccumulatedBefore) {
  Toy toy;
  LoneLine line;
  auto reducer = Reducer::make(*toy, line, {});
  ASSERT_TRUE(reducer.ok());
  toy->loss(0, 8).backward();
  EXPECT_TRUE(line.sent.empty());
  (*reducer)->begin();
  toy->loss(0, 8).backward();
  ASSERT_TRUE((*reducer)->finish().ok());
  expect_near(toy->gradients(), plain_gradients(2));
}

TEST(Reducer, SendsNothingForFrozenParameters) {
  Toy toy;
  LoneLine line;
  for (const at::Tensor& parameter : toy->first->parameters()) parameter.set_requires_grad(false);
  auto reducer = Reducer::make(*toy, line, {});
  ASSERT_TRUE(reducer.ok());
  (*reducer)->begin();
  toy->loss(0, 8).backward();
  const auto times = (*reducer)->finish();
  ASSERT_TRUE(times.ok()) << times.error().message;
  EXPECT_EQ(times->payload_bytes, 4 * (40 * 4 + 4 + 4 * 4 + 4));
  EXPECT_FALSE(toy->first->weight.grad().defined());
}

TEST(Reducer, NamesAParameterWithoutAGradient) {
  Toy toy;
  LoneLine line;
  auto reducer = Reducer::make(*toy, line, {.rank = 2, .ranks = 3});
  ASSERT_TRUE(reducer.ok());
  (*reducer)->begin();
  toy->loss(0, 8, /*all=*/false).backward();
  const auto times = (*reducer)->finish();
  ASSERT_FALSE(times.ok());
  EXPECT_THAT(times.error().message, HasSubstr("'spare.weight' got no gradient on rank 2"));
}

TEST(Reducer, LeavesNoHooksInTheModel) {
  Toy toy;
  LoneLine line;
  { ASSERT_TRUE(Reducer::make(*toy, line, {}).ok()); }
  toy->loss(0, 8).backward();
  EXPECT_TRUE(line.sent.empty());
  expect_near(toy->gradients(), plain_gradients());
}

TEST(Reducer, ChannelsLastGradientsKeepTheirLayout) {
  const auto gradient = [](Reducer* reducer, torch::nn::Conv2d& conv) {
    torch::manual_seed(4);
    const at::Tensor x = at::randn({2, 3, 6, 6});
    if (reducer != nullptr) reducer->begin();
    conv(x).pow(2).sum().backward();
    if (reducer != nullptr) {
      EXPECT_TRUE(reducer->finish().ok());
    }
    return conv->weight.grad().clone();
  };
  torch::manual_seed(5);
  torch::nn::Conv2d conv(torch::nn::Conv2dOptions(3, 4, 3));
  const at::Tensor plain = gradient(nullptr, conv);
  conv->zero_grad();
  conv->weight.set_data(conv->weight.contiguous(at::MemoryFormat::ChannelsLast));
  LoneLine line;
  auto reducer = Reducer::make(*conv, line, {});
  ASSERT_TRUE(reducer.ok());
  EXPECT_TRUE(at::allclose(gradient(reducer->get(), conv), plain, 1e-5, 1e-5));
  EXPECT_EQ(conv->weight.grad().strides(), conv->weight.strides());
}

// Three ranks, as threads of this process, with 4, 3 and 1 of eight samples.
TEST(Reducer, RanksGetTheGradientOfAllSamples) {
  constexpr int kRanks = 3;
  const std::array<std::int64_t, kRanks> counts{4, 3, 1};
  ShmGroup::Options options{.name = fmt::format("reducer-{}", ::getpid()), .size = kRanks};
  auto made = ShmSegment::make(ShmGroup::segment_bytes(options));
  ASSERT_TRUE(made.ok());
  const std::shared_ptr<ShmSegment> segment = *std::move(made);
  std::array<std::vector<at::Tensor>, kRanks> gradients;
  // All toys draw from one generator.
  std::vector<Toy> toys(kRanks, nullptr);
  std::vector<at::Tensor> losses;
  for (int rank = 0, from = 0; rank < kRanks; ++rank) {
    const std::int64_t count = counts[static_cast<std::size_t>(rank)];
    toys[static_cast<std::size_t>(rank)] = Toy();
    losses.push_back(toys[static_cast<std::size_t>(rank)]->loss(from, count) *
                     (static_cast<double>(count * kRanks) / 8));
    from += static_cast<int>(count);
  }
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < kRanks; ++rank) {
      options.rank = rank;
      threads.emplace_back([&, options] {
        const auto at = static_cast<std::size_t>(options.rank);
        auto group = ShmGroup::join(options, segment);
        ASSERT_TRUE(group.ok());
        ShmExchange exchange(*std::move(group));
        ExchangeLine line(exchange);
        auto reducer = Reducer::make(*toys[at], line,
                                     {.rank = options.rank, .ranks = kRanks, .bucket_mb = 0.0005});
        ASSERT_TRUE(reducer.ok()) << reducer.error().message;
        (*reducer)->begin();
        losses[at].backward();
        const auto times = (*reducer)->finish();
        ASSERT_TRUE(times.ok()) << times.error().message;
        EXPECT_LE(times->exposed_seconds, times->comm_seconds);
        gradients[at] = toys[at]->gradients();
      });
    }
  }
  for (const auto& of_rank : gradients) expect_near(of_rank, plain_gradients());
  for (std::size_t i = 0; i < gradients[0].size(); ++i) {
    EXPECT_TRUE(at::equal(gradients[0][i], gradients[1][i])) << "not the same bits";
  }
}

}  // namespace
}  // namespace tacho
