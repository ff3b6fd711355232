#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "training/train/dist/bucket_line.h"
#include "training/train/dist/exchange.h"

namespace tacho {

// Exchanges one bucket after the other on a thread, while the backward pass fills the next.
class ExchangeLine final : public BucketLine {
 public:
  explicit ExchangeLine(Exchange& exchange);
  ~ExchangeLine() override;
  ExchangeLine(const ExchangeLine&) = delete;
  ExchangeLine& operator=(const ExchangeLine&) = delete;

  Result<at::Tensor> allocate(std::int64_t count) override { return exchange_.allocate(count); }
  void send(std::size_t bucket, std::vector<at::Tensor> values) override;
  Result<ExchangeTimes> finish() override;
  bool stop_within(std::chrono::milliseconds time) override;

 private:
  struct Sent {
    std::size_t bucket;
    at::Tensor values;
  };
  void work();

  Exchange& exchange_;
  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::deque<Sent> waiting_;
  bool in_flight_ = false;
  bool stop_ = false;
  std::optional<Error> error_;
  ExchangeTimes times_;
  std::chrono::steady_clock::time_point busy_since_;
  std::chrono::steady_clock::time_point idle_since_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace tacho
