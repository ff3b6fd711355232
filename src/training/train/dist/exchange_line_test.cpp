#include "training/train/dist/exchange_line.h"

#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>

namespace tacho {
namespace {

using namespace std::chrono_literals;

// Doubles its input when released; returns an Error if `fails`.
class GatedExchange final : public Exchange {
 public:
  [[nodiscard]] std::string name() const override { return "gated"; }
  Result<at::Tensor> allocate(std::int64_t count) override { return at::zeros({count}); }
  Result<void> sum(at::Tensor& values) override {
    ++begun;
    gate.acquire();
    if (fails) return Error{ErrorCode::failed, "the line broke"};
    values.mul_(2);
    sent_ += static_cast<std::int64_t>(values.nbytes());
    return {};
  }
  Result<void> broadcast(at::Tensor& /*values*/) override { return {}; }
  [[nodiscard]] std::int64_t sent_bytes() const override { return sent_; }

  std::counting_semaphore<> gate{0};
  std::atomic<int> begun{0};
  std::atomic<bool> fails{false};

 private:
  std::int64_t sent_ = 0;
};

TEST(ExchangeLine, CountsTimesAndBytesPerStep) {
  GatedExchange exchange;
  ExchangeLine line(exchange);
  for (int step = 0; step < 3; ++step) {
    const at::Tensor first = at::ones({3});
    const at::Tensor second = at::ones({2});
    exchange.gate.release(2);
    line.send(0, {first});
    line.send(1, {second});
    const auto times = line.finish();
    ASSERT_TRUE(times.ok());
    EXPECT_TRUE(at::equal(first, at::full({3}, 2.0)));
    EXPECT_TRUE(at::equal(second, at::full({2}, 2.0)));
    EXPECT_EQ(times->payload_bytes, 20);
    EXPECT_EQ(times->wire_bytes, 20);
    EXPECT_GE(times->exposed_seconds, 0);
    EXPECT_LE(times->exposed_seconds, times->comm_seconds);
  }
}

TEST(ExchangeLine, AfterAnErrorNothingIsSentAndFinishSaysWhy) {
  GatedExchange exchange;
  exchange.fails = true;
  ExchangeLine line(exchange);
  exchange.gate.release();
  line.send(0, {at::ones({3})});
  line.send(1, {at::ones({3})});
  for (int i = 0; i < 2; ++i) {
    const auto times = line.finish();
    ASSERT_FALSE(times.ok());
    EXPECT_EQ(times.error().message, "the line broke");
  }
  EXPECT_EQ(exchange.begun, 1);
}

TEST(ExchangeLine, ReportsATransferThatDoesNotEnd) {
  GatedExchange exchange;
  ExchangeLine line(exchange);
  line.send(0, {at::ones({3})});
  line.send(1, {at::ones({3})});
  while (exchange.begun == 0) std::this_thread::yield();
  EXPECT_FALSE(line.stop_within(10ms));
  exchange.gate.release();
  EXPECT_TRUE(line.stop_within(1min));
  EXPECT_EQ(exchange.begun, 1);
}

TEST(ExchangeLine, EndsWithBucketsThatWereNeverFinished) {
  GatedExchange exchange;
  exchange.gate.release();
  {
    ExchangeLine line(exchange);
    line.send(0, {at::ones({3})});
  }
  EXPECT_LE(exchange.begun, 1);
}

}  // namespace
}  // namespace tacho
