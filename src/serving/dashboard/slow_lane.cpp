#include "serving/dashboard/slow_lane.h"

#include "serving/dashboard/answer_cache.h"
#include "serving/http/problem.h"
#include "serving/http/site.h"

namespace tacho::serve {
namespace {

http::Response full() {
  http::Response response =
      http::problem(503, "too many slow requests are waiting; try again later");
  response.headers.emplace_back("Retry-After", "5");
  return response;
}

http::Response made_by(const SlowLane::Make& make, const http::Request& request) {
  try {
    return handler(make)(request);
  } catch (const std::exception& failure) {
    return http::problem(500, std::string("the request failed: ") + failure.what());
  }
}

}  // namespace

SlowLane::SlowLane(int threads, std::size_t most_waiting) : most_waiting_(most_waiting) {
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stopping) { work(stopping); });
  }
}

SlowLane::~SlowLane() { stop(); }

void SlowLane::stop() {
  threads_.clear();
  std::deque<std::shared_ptr<Job>> left;
  const std::lock_guard lock(mutex_);
  left.swap(waiting_);
  by_key_.clear();
}

http::AsyncHandler SlowLane::query(Make make) {
  return [this, make = std::move(make)](http::Request request, const http::Reply& reply) {
    std::string key =
        std::string(name_of(request.method)) + '\0' + cache_key(request) + '\2' + request.body;
    add(std::move(key), std::move(request), reply, make);
  };
}

http::AsyncHandler SlowLane::command(Make make) {
  return [this, make = std::move(make)](http::Request request, const http::Reply& reply) {
    add("", std::move(request), reply, make);
  };
}

void SlowLane::add(std::string key, http::Request request, const http::Reply& reply,
                   const Make& make) {
  Waiter waiter{request, reply};
  std::string().swap(waiter.request.body);
  {
    const std::lock_guard lock(mutex_);
    const auto same = key.empty() ? by_key_.end() : by_key_.find(key);
    if (same != by_key_.end()) {
      same->second->waiters.push_back(std::move(waiter));
      return;
    }
    if (waiting_.size() < most_waiting_) {
      auto job = std::make_shared<Job>(Job{key, std::move(request), make, {}});
      job->waiters.push_back(std::move(waiter));
      if (!key.empty()) by_key_[std::move(key)] = job;
      waiting_.push_back(std::move(job));
      changed_.notify_one();
      return;
    }
  }
  reply(full());
}

void SlowLane::work(const std::stop_token& stopping) {
  while (true) {
    std::shared_ptr<Job> job;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stopping, [&] { return !waiting_.empty(); })) return;
      if (stopping.stop_requested()) return;
      job = std::move(waiting_.front());
      waiting_.pop_front();
    }
    execute(*job);
  }
}

void SlowLane::execute(Job& job) {
  const http::Response response = made_by(job.make, job.request);
  std::vector<Waiter> waiters;
  {
    // An equal request that arrives from here on is computed again.
    const std::lock_guard lock(mutex_);
    if (!job.key.empty()) by_key_.erase(job.key);
    waiters.swap(job.waiters);
  }
  for (const Waiter& waiter : waiters) {
    http::Response copy = response;
    http::finish(waiter.request, copy);
    waiter.reply(std::move(copy));
  }
}

}  // namespace tacho::serve
