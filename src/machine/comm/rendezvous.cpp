#include "machine/comm/rendezvous.h"

#include <fmt/format.h>

#include <utility>

#include "base/signals.h"
#include "base/units.h"
#include "machine/comm/greeting.h"
#include "machine/comm/job_secret.h"
#include "machine/comm/rank_0_connection.h"
#include "machine/comm/rendezvous_client.h"
#include "machine/comm/rendezvous_server.h"
#include "machine/comm/tcp.h"

namespace tacho {
namespace {

using Clock = std::chrono::steady_clock;

Result<void> check_place(const Place& place) {
  if (place.size < 1 || place.rank < 0 || place.rank >= place.size) {
    return Error{ErrorCode::usage,
                 fmt::format("rank {} is out of range for {} ranks; the first is rank 0",
                             place.rank, place.size)};
  }
  if (place.size == 1 || !place.secret.empty()) return {};
  return Error{
      ErrorCode::usage,
      fmt::format("rank {} of {} has no job secret; set {} to the same value on every rank",
                  place.rank, place.size, kJobSecretVariable)};
}

Result<UniqueFd> open_listener(const Place& place) {
  if (place.listen_fd) return adopt_listener(*place.listen_fd);
  return listen_at(place.host, place.port);
}

}  // namespace

Rendezvous::Rendezvous(const Options& options, std::unique_ptr<RendezvousState> state)
    : rank_(options.place.rank), size_(options.place.size), state_(std::move(state)) {}

Result<std::unique_ptr<Rendezvous>> Rendezvous::meet(const Options& options,
                                                     const std::vector<std::string>& terms) {
  TACHO_CHECK(check_place(options.place));
  std::unique_ptr<Rendezvous> rendezvous(
      new Rendezvous(options, std::make_unique<RendezvousState>()));
  TACHO_CHECK(rendezvous->meet_all(options, terms));
  return rendezvous;
}

Result<void> Rendezvous::meet_all(const Options& options, const std::vector<std::string>& terms) {
  const Place& place = options.place;
  Greeting own{member_at(place), place.size, as_received(terms)};
  if (size_ == 1) {
    const UniqueFd unused(place.listen_fd.value_or(-1));
    own.self.address = "127.0.0.1";
    members_ = {own.self};
    return {};
  }
  if (place.rank == 0) {
    TACHO_TRY(listener, open_listener(place));
    peer_ = std::make_unique<RendezvousServer>(*state_, place, options.timeout, own,
                                               std::move(listener));
  } else {
    TACHO_TRY(connection, connect_to_rank_0(options, Clock::now() + options.timeout));
    own.self.address = local_address(connection.socket());
    peer_ = std::make_unique<RendezvousClient>(*state_, place, options.timeout, own,
                                               std::move(connection));
  }
  while (peer_->members().empty() && !peer_->finished()) {
    if (options.stop != nullptr && *options.stop) return Error{ErrorCode::failed, "stopped"};
    peer_->run_once();
  }
  if (peer_->members().empty()) return Error{ErrorCode::failed, *peer_->refusal()};
  members_ = peer_->members();

  thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
  return {};
}

void Rendezvous::serve(const std::stop_token& stop) {
  const SignalsBlocked blocked;
  while (!peer_->finished() && !stop.stop_requested()) peer_->run_once();
  peer_->close();
  {
    const std::lock_guard lock(state_->mutex);
    state_->closed = true;
  }
  state_->changed.notify_all();
}

Rendezvous::~Rendezvous() {
  thread_.request_stop();
  if (peer_) peer_->wake();
}

void Rendezvous::send(const Json& message) {
  std::string line = json_text(message);
  {
    const std::lock_guard lock(state_->mutex);
    // The other side would reject it with a less clear error.
    if (line.size() <= kLongestMessage) {
      state_->outbox.push_back(std::move(line));
    } else if (!state_->leaving) {
      state_->leaving = fmt::format("a message of {} is too long for the control connection",
                                    human(Bytes{static_cast<std::int64_t>(line.size())}));
    }
  }
  if (peer_) peer_->wake();
}

Result<Json> Rendezvous::await(int rank, std::string_view kind, std::string_view topic) {
  std::unique_lock lock(state_->mutex);
  auto& received = state_->collected.at(static_cast<std::size_t>(rank));
  state_->changed.wait(lock,
                       [&] { return !received.empty() || state_->failure || state_->closed; });
  if (received.empty()) {
    return Error{ErrorCode::failed, state_->failure.value_or("the control connection is closed")};
  }
  Json message = std::move(received.front());
  received.pop_front();
  if (kind_of(message) != kind || text_of(message, "topic") != topic) {
    return Error{
        ErrorCode::failed,
        fmt::format("{} is at '{}' while {} is at '{}'; do all ranks run the same version?",
                    describe(members_[static_cast<std::size_t>(rank)]), text_of(message, "topic"),
                    describe(members_[static_cast<std::size_t>(rank_)]), topic)};
  }
  return message;
}

Result<void> Rendezvous::agree(std::string_view topic, const std::vector<std::string>& lines) {
  if (size_ == 1) return {};
  std::string why;
  if (rank_ == 0) {
    const auto equal = compare_lines(topic, lines);
    if (!equal.ok()) why = equal.error().message;
    send({{"kind", "agreed"}, {"topic", topic}, {"why", why}});
  } else {
    send({{"kind", "agree"}, {"topic", topic}, {"lines", lines}});
    TACHO_TRY(answer, await(0, "agreed", topic));
    why = text_of(answer, "why");
  }
  if (why.empty()) return {};
  return Error{ErrorCode::failed, why};
}

Result<void> Rendezvous::compare_lines(std::string_view topic,
                                       const std::vector<std::string>& lines) {
  const auto ours = as_received(lines);
  std::string first;
  // Receives from all ranks even after a difference: no message may remain for the next call.
  for (int rank = 1; rank < size_; ++rank) {
    TACHO_TRY(received, await(rank, "agree", topic));
    if (!first.empty()) continue;
    first = first_difference(members_[static_cast<std::size_t>(rank)], texts_of(received, "lines"),
                             members_[0], ours);
  }
  if (first.empty()) return {};
  return Error{ErrorCode::failed, fmt::format("{}: {}", topic, first)};
}

Result<std::string> Rendezvous::share(std::string_view topic, std::string_view text_of_rank_0) {
  if (rank_ == 0) {
    if (size_ > 1) send({{"kind", "share"}, {"topic", topic}, {"text", text_of_rank_0}});
    return std::string(text_of_rank_0);
  }
  TACHO_TRY(received, await(0, "share", topic));
  return text_of(received, "text");
}

void Rendezvous::tell(std::string_view text) {
  if (rank_ != 0) return send({{"kind", "tell"}, {"text", text}});
  const std::lock_guard lock(state_->mutex);
  state_->messages.push_back({0, std::string(text)});
}

void Rendezvous::post(const std::string& name, std::string_view text) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->posted[name] = text;
  }
  state_->changed.notify_all();
  if (size_ > 1) send({{"kind", "post"}, {"name", name}, {"text", text}});
}

Result<std::string> Rendezvous::posted(const std::string& name,
                                       std::chrono::milliseconds time) const {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait_for(lock, time, [&] {
    return state_->posted.contains(name) || state_->failure || state_->closed;
  });
  if (const auto found = state_->posted.find(name); found != state_->posted.end()) {
    return found->second;
  }
  if (state_->failure || state_->closed) {
    return Error{ErrorCode::failed, state_->failure.value_or("the control connection is closed")};
  }
  return Error{ErrorCode::failed,
               fmt::format("no rank has posted '{}' within {}", name, plain_seconds(time))};
}

std::vector<Rendezvous::Message> Rendezvous::take_messages() {
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->messages, {});
}

std::optional<std::string> Rendezvous::failure() const {
  const std::lock_guard lock(state_->mutex);
  return state_->failure;
}

std::optional<std::string> Rendezvous::wait_for_failure(std::chrono::milliseconds time) const {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait_for(lock, time, [&] { return state_->failure || state_->closed; });
  return state_->failure;
}

void Rendezvous::on_failure(std::function<void(const std::string&)> call) {
  std::unique_lock lock(state_->mutex);
  if (!state_->failure) {
    state_->on_failure = std::move(call);
    return;
  }
  const std::string why = *state_->failure;
  lock.unlock();
  call(why);
}

void Rendezvous::leave(std::string_view why) {
  if (!peer_) return;
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->leaving) state_->leaving = std::string(why);
  }
  peer_->wake();
  if (thread_.joinable()) thread_.join();
}

}  // namespace tacho
