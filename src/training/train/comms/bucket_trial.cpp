#include "training/train/comms/bucket_trial.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>

#include "training/train/dist/connect.h"
#include "training/train/dist/exchange_line.h"
#include "training/train/guarded.h"

namespace tacho {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::int64_t kPiece = (1 << 20) / sizeof(float);  // numbers per piece of work

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// A chain of multiplications that stands in for a backward pass: like one, it takes longer if the
// machine is busy. A timed wait would not.
double multiplied(std::int64_t times) {
  double value = 1;
  for (std::int64_t i = 0; i < times; ++i) value = value * 1.0000001 + 1e-9;
  return value;
}

double multiplications_per_s() {
  constexpr std::int64_t kTimes = 2'000'000;
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const auto begin = Clock::now();
    const double value = multiplied(kTimes);
    best = std::min(best, seconds_since(begin) + (value < 0 ? 1 : 0));
  }
  return static_cast<double>(kTimes) / best;
}

class BucketTrial final : public GradientTrial {
 public:
  explicit BucketTrial(std::unique_ptr<Exchange> exchange)
      : exchange_(std::move(exchange)), line_(*exchange_), rate_(multiplications_per_s()) {}

  Result<void> lay_out(std::int64_t count, std::int64_t bucket) {
    for (std::int64_t at = 0; at < count; at += bucket) {
      TACHO_TRY(block, line_.allocate(std::min(bucket, count - at)));
      buckets_.push_back(block);
    }
    gradient_ = at::full({kPiece}, 1e-3F);
    return {};
  }

  Result<Once> exchange() override {
    return guarded([&]() -> Result<Once> {
      fill();
      const auto begin = Clock::now();
      for (std::size_t i = 0; i < buckets_.size(); ++i) line_.send(i, {buckets_[i]});
      return finished(begin);
    });
  }

  Result<Once> work(double seconds) override {
    return guarded([&]() -> Result<Once> {
      const auto begin = Clock::now();
      make_gradient(seconds, [](std::size_t) {});
      return Once{seconds_since(begin), 0};
    });
  }

  Result<Once> overlapped(double seconds) override {
    return guarded([&]() -> Result<Once> {
      const auto begin = Clock::now();
      make_gradient(seconds, [&](std::size_t bucket) { line_.send(bucket, {buckets_[bucket]}); });
      return finished(begin);
    });
  }

 private:
  Result<Once> finished(Clock::time_point begin) {
    TACHO_TRY(times, line_.finish());
    return Once{seconds_since(begin), times.wire_bytes};
  }

  // Resets the values: repeated sums would overflow.
  void fill() {
    for (at::Tensor& bucket : buckets_) bucket.fill_(1e-3F);
  }

  void make_gradient(double seconds, const std::function<void(std::size_t)>& full) {
    std::int64_t count = 0;
    for (const at::Tensor& bucket : buckets_) count += bucket.numel();
    const double each = seconds * rate_ / static_cast<double>(count);  // multiplications per number
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      at::Tensor& bucket = buckets_[i];
      for (std::int64_t at = 0; at < bucket.numel(); at += kPiece) {
        const std::int64_t piece = std::min(kPiece, bucket.numel() - at);
        made_ = multiplied(static_cast<std::int64_t>(each * static_cast<double>(piece)));
        bucket.narrow(0, at, piece).copy_(gradient_.narrow(0, 0, piece));
      }
      full(i);
    }
  }

  std::unique_ptr<Exchange> exchange_;
  ExchangeLine line_;
  double rate_;
  std::vector<at::Tensor> buckets_;
  at::Tensor gradient_;           // result of one piece of the pass
  std::atomic<double> made_ = 0;  // never read; keeps the work from being optimised away
};

}  // namespace

Result<std::unique_ptr<GradientTrial>> make_bucket_trial(const DistSpec& dist,
                                                         std::int64_t payload_bytes, int rank,
                                                         Rendezvous& rendezvous,
                                                         const std::string& job) {
  return guarded([&]() -> Result<std::unique_ptr<GradientTrial>> {
    TACHO_TRY(exchange, connect(dist, rank, rendezvous, job));
    auto trial = std::make_unique<BucketTrial>(std::move(exchange));
    const auto number = static_cast<std::int64_t>(sizeof(float));
    const auto bucket = static_cast<std::int64_t>(dist.bucket_mb * (1 << 20)) / number;
    TACHO_CHECK(trial->lay_out(payload_bytes / number, std::max<std::int64_t>(1, bucket)));
    return std::unique_ptr<GradientTrial>(std::move(trial));
  });
}

}  // namespace tacho
