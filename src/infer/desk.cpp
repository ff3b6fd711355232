#include "infer/desk.h"

#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <cstring>

namespace tacho::infer {

namespace asio = boost::asio;

Desk::Desk(asio::io_context& io, asio::thread_pool& hands, Model& model, Cache* cache,
           const DeskOptions& options)
    : io_(io),
      hands_(hands),
      model_(model),
      cache_(cache),
      options_(options),
      timer_(io),
      batcher_(model, options.batch, [this](std::vector<Computed> computed) {
        asio::post(io_,
                   [this, computed = std::move(computed)]() mutable { land(std::move(computed)); });
      }) {}

std::shared_ptr<Desk::Request> Desk::open(Take take) {
  auto request = std::make_shared<Request>(
      Request{.take = std::move(take), .until = Clock::now() + options_.deadline});
  ++counts_.waiting;
  requests_.push_back(request);
  if (!watching_) watch_deadlines();
  return request;
}

bool Desk::is_late(const Request& request) { return Clock::now() >= request.until; }

void Desk::drop(Request& request) {
  if (!std::exchange(request.take, nullptr)) return;
  --counts_.waiting;
  forget_ended();
}

void Desk::ask(const std::shared_ptr<Request>& request, std::vector<Input> inputs) {
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

void Desk::on_found(const std::shared_ptr<Request>& request, std::vector<Input> inputs,
                    Cache::Entries entries) {
  if (!request->take) return;
  std::size_t missing = 0;
  for (const auto& entry : entries) missing += entry ? 0 : 1;
  counts_.hits += entries.size() - missing;
  counts_.misses += missing;
  // For a whole request or for none of it.
  if (missing > 0 && missing + decoding_ > batcher_.room()) {
    ++counts_.refused;
    return end(*request, Refusal{503, "too much is waiting to be computed; try again in a moment"});
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

void Desk::join(const std::shared_ptr<Request>& request, std::size_t at, Input input) {
  if (!options_.shares_flights) {
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
  if (is_new) take_off(key, std::move(input), flight.wanted);
}

void Desk::take_off(const Key& key, Input input, Wanted wanted) {
  if (model_.facts().input == InputKind::image) {
    return decode(key, std::move(input.image), std::move(wanted));
  }
  batcher_.submit({key, std::move(input.sample), std::move(wanted)});
}

void Desk::decode(const Key& key, std::string image, Wanted wanted) {
  ++decoding_;
  asio::post(hands_, [this, key, image = std::move(image), wanted = std::move(wanted)]() mutable {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(image.data());  // NOLINT
    Result<Sample> sample = Error{ErrorCode::failed, "nobody waits for it"};
    if (*wanted > 0) sample = model_.image_sample({bytes, image.size()});
    asio::post(io_, [this, key, sample = std::move(sample), wanted = std::move(wanted)]() mutable {
      on_decoded(key, std::move(sample), std::move(wanted));
    });
  });
}

void Desk::on_decoded(const Key& key, Result<Sample> sample, Wanted wanted) {
  --decoding_;
  if (!sample.ok()) return land({key, sample.error()});
  if (!batcher_.submit({key, *std::move(sample), std::move(wanted)})) {
    land({key, Error{ErrorCode::unavailable, "too much is waiting to be computed"}});
  }
}

void Desk::land(std::vector<Computed> computed) {
  for (const Computed& one : computed) land(one);
}

void Desk::land(const Computed& computed) {
  const auto place = flights_.find(computed.key);
  if (place == flights_.end()) return;  // nobody waits for it any more
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

// A flight that nobody wants is passed over by the batcher, so nobody may join it any more.
void Desk::want_no_more(const Key& key, const Wanted& wanted) {
  if (--*wanted > 0) return;
  const auto place = flights_.find(key);
  if (place != flights_.end() && place->second.wanted == wanted) flights_.erase(place);
}

void Desk::end(Request& request, Outcome outcome) {
  --counts_.waiting;
  for (const auto& [key, wanted] : std::exchange(request.awaits, {})) want_no_more(key, wanted);
  std::exchange(request.take, nullptr)(std::move(outcome));
  forget_ended();
}

void Desk::forget_ended() {
  while (!requests_.empty() && !requests_.front()->take) requests_.pop_front();
}

// All have the same time, so the first to come is the first whose time is over.
void Desk::watch_deadlines() {
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
