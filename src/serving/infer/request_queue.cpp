#include "serving/infer/request_queue.h"

#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <cstring>

namespace tacho::infer {

namespace asio = boost::asio;

RequestQueue::RequestQueue(asio::io_context& io, asio::thread_pool& background, Model& model,
                           Cache* cache, const RequestQueueOptions& options)
    : io_(io),
      background_(background),
      model_(model),
      cache_(cache),
      options_(options),
      timer_(io),
      batcher_(model, options.batch, [this](std::vector<Computed> computed) {
        asio::post(io_, [this, computed = std::move(computed)]() mutable {
          complete(std::move(computed));
        });
      }) {}

std::shared_ptr<RequestQueue::Request> RequestQueue::open(Take take) {
  auto request = std::make_shared<Request>(
      Request{.take = std::move(take), .until = Clock::now() + options_.deadline});
  ++counts_.waiting;
  requests_.push_back(request);
  if (!watching_) watch_deadlines();
  return request;
}

bool RequestQueue::is_late(const Request& request) { return Clock::now() >= request.until; }

void RequestQueue::drop(Request& request) {
  if (!std::exchange(request.take, nullptr)) return;
  --counts_.waiting;
  forget_ended();
}

void RequestQueue::ask(const std::shared_ptr<Request>& request, std::vector<Input> inputs) {
  if (!request->take) return;
  if (cache_ == nullptr) {
    Cache::Entries nothing(inputs.size());
    return on_found(request, std::move(inputs), std::move(nothing));
  }
  std::vector<Key> keys;
  keys.reserve(inputs.size());
  for (const Input& input : inputs) keys.push_back(input.key);
  cache_->find(keys, [this, request, inputs = std::move(inputs)](Cache::Entries entries) mutable {
    on_found(request, std::move(inputs), std::move(entries));
  });
}

void RequestQueue::on_found(const std::shared_ptr<Request>& request, std::vector<Input> inputs,
                            Cache::Entries entries) {
  if (!request->take) return;
  std::size_t missing = 0;
  for (const auto& entry : entries) missing += entry ? 0 : 1;
  counts_.hits += entries.size() - missing;
  counts_.misses += missing;
  // All inputs of a request must fit, or none is accepted.
  if (missing > 0 && missing + decoding_ > batcher_.room()) {
    ++counts_.refused;
    return end(*request, Refusal{503, "the request queue is full; try again later"});
  }
  request->answers.resize(inputs.size());
  request->missing = missing;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i]) request->answers[i] = {*std::move(entries[i]), true};
  }
  if (missing == 0) return end(*request, std::move(request->answers));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!request->answers[i].cached) join(request, i, std::move(inputs[i]));
  }
}

void RequestQueue::join(const std::shared_ptr<Request>& request, std::size_t at, Input input) {
  if (!options_.coalesce) {
    ++numbered_;
    input.key = {};
    std::memcpy(input.key.data(), &numbered_, sizeof numbered_);
  }
  const Key key = input.key;
  const auto [place, is_new] = flights_.try_emplace(key);
  Flight& flight = place->second;
  if (is_new) {
    flight.wanted = std::make_shared<std::atomic<int>>(0);
  } else {
    ++counts_.joined;
  }
  ++*flight.wanted;
  flight.waiting.emplace_back(request, at);
  request->awaits.emplace_back(key, flight.wanted);
  if (is_new) submit(key, std::move(input), flight.wanted);
}

void RequestQueue::submit(const Key& key, Input input, Wanted wanted) {
  if (model_.facts().input == InputKind::image) {
    return decode(key, std::move(input.image), std::move(wanted));
  }
  batcher_.submit({key, std::move(input.sample), std::move(wanted)});
}

void RequestQueue::decode(const Key& key, std::string image, Wanted wanted) {
  ++decoding_;
  asio::post(background_, [this, key, image = std::move(image),
                           wanted = std::move(wanted)]() mutable {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(image.data());  // NOLINT
    Result<Sample> sample = Error{ErrorCode::failed, "no request waits for it"};
    if (*wanted > 0) sample = model_.image_sample({bytes, image.size()});
    asio::post(io_, [this, key, sample = std::move(sample), wanted = std::move(wanted)]() mutable {
      on_decoded(key, std::move(sample), std::move(wanted));
    });
  });
}

void RequestQueue::on_decoded(const Key& key, Result<Sample> sample, Wanted wanted) {
  --decoding_;
  if (!sample.ok()) return complete({key, sample.error()});
  if (!batcher_.submit({key, *std::move(sample), std::move(wanted)})) {
    complete({key, Error{ErrorCode::unavailable, "the request queue is full"}});
  }
}

void RequestQueue::complete(std::vector<Computed> computed) {
  for (const Computed& one : computed) complete(one);
}

void RequestQueue::complete(const Computed& computed) {
  const auto place = flights_.find(computed.key);
  if (place == flights_.end()) return;  // no request waits for it any more
  const auto waiting = std::move(place->second.waiting);
  flights_.erase(place);
  if (!computed.prediction.ok()) ++counts_.failed;
  if (computed.prediction.ok() && cache_ != nullptr) {
    cache_->keep(computed.key, *computed.prediction);
  }
  for (const auto& [request, at] : waiting) {
    if (!request->take) continue;
    if (!computed.prediction.ok()) {
      const Error& why = computed.prediction.error();
      const int status = why.code == ErrorCode::invalid       ? 422
                         : why.code == ErrorCode::unavailable ? 503
                                                              : 500;
      end(*request, Refusal{status, request->answers.size() == 1
                                        ? why.message
                                        : fmt::format("input {}: {}", at, why.message)});
      continue;
    }
    request->answers[at] = {*computed.prediction, false};
    if (--request->missing == 0) end(*request, std::move(request->answers));
  }
}

// The batcher skips a computation that no request waits for, so no request may join it any more.
void RequestQueue::release(const Key& key, const Wanted& wanted) {
  if (--*wanted > 0) return;
  const auto place = flights_.find(key);
  if (place != flights_.end() && place->second.wanted == wanted) flights_.erase(place);
}

void RequestQueue::end(Request& request, Outcome outcome) {
  --counts_.waiting;
  for (const auto& [key, wanted] : std::exchange(request.awaits, {})) release(key, wanted);
  std::exchange(request.take, nullptr)(std::move(outcome));
  forget_ended();
}

void RequestQueue::forget_ended() {
  while (!requests_.empty() && !requests_.front()->take) requests_.pop_front();
}

// All requests have the same deadline, so the first one expires first.
void RequestQueue::watch_deadlines() {
  forget_ended();
  watching_ = !requests_.empty();
  if (!watching_) return;
  timer_.expires_at(requests_.front()->until);
  timer_.async_wait([this](boost::system::error_code failure) {
    if (failure) return;
    const auto now = Clock::now();
    while (!requests_.empty() && (!requests_.front()->take || requests_.front()->until <= now)) {
      const auto late = requests_.front();
      requests_.pop_front();
      if (!late->take) continue;
      ++counts_.too_late;
      end(*late, Refusal{504, fmt::format("no answer within {} ms (--deadline-ms)",
                                          options_.deadline.count())});
    }
    watch_deadlines();
  });
}

}  // namespace tacho::infer
