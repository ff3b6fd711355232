#include "training/train/dist/exchange_line.h"

#include "training/train/guarded.h"

namespace tacho {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

}  // namespace

ExchangeLine::ExchangeLine(Exchange& exchange) : exchange_(exchange), thread_([this] { work(); }) {}

ExchangeLine::~ExchangeLine() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
}

bool ExchangeLine::stop_within(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  stop_ = true;
  changed_.notify_all();
  return changed_.wait_for(lock, time, [this] { return !in_flight_; });
}

void ExchangeLine::send(std::size_t bucket, std::vector<at::Tensor> values) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty() && !in_flight_) busy_since_ = Clock::now();
    times_.payload_bytes += static_cast<std::int64_t>(values.front().nbytes());
    waiting_.push_back({bucket, std::move(values.front())});
  }
  changed_.notify_all();
}

Result<ExchangeTimes> ExchangeLine::finish() {
  const auto begin = Clock::now();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.empty() && !in_flight_; });
  if (error_) return *error_;
  // A sum counts as arrived when the waiting thread notices it.
  if (const auto end = Clock::now(); idle_since_ > begin) {
    times_.exposed_seconds = seconds_between(begin, end);
    times_.comm_seconds += seconds_between(idle_since_, end);
  }
  return std::exchange(times_, {});
}

void ExchangeLine::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
    if (stop_) return;
    Sent sent = std::move(waiting_.front());
    waiting_.pop_front();
    // After an error the ranks are out of step: the next exchange would wait forever.
    if (error_) {
      changed_.notify_all();
      continue;
    }
    in_flight_ = true;
    lock.unlock();
    const std::int64_t before = exchange_.sent_bytes();
    const auto done = guarded([&] { return exchange_.sum_gradients(sent.values, sent.bucket); });
    lock.lock();
    in_flight_ = false;
    times_.wire_bytes += exchange_.sent_bytes() - before;
    if (waiting_.empty()) {
      idle_since_ = Clock::now();
      times_.comm_seconds += seconds_between(busy_since_, idle_since_);
    }
    if (!done.ok()) error_ = done.error();
    changed_.notify_all();
  }
}

}  // namespace tacho
