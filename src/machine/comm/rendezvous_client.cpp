#include "machine/comm/rendezvous_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "machine/comm/tcp.h"

namespace tacho {

RendezvousClient::RendezvousClient(RendezvousState& state, const Place& place,
                                   std::chrono::milliseconds timeout, const Greeting& own,
                                   ControlConnection connection)
    : RendezvousPeer(state, timeout), place_(place), connection_(std::move(connection)) {
  connection_.reset_idle_time();
  connection_.queue(greeting_to_json(own));
}

void RendezvousClient::run_once() {
  poll_.clear();
  poll_.watch(connection_);
  poll_.wait_until(next_event());

  if (poll_.ready(connection_.socket())) {
    for (Json& message : connection_.receive()) {
      if (!finished_) handle(std::move(message));
    }
  }
  if (connection_.state() == ControlConnection::State::closed) report_loss(rank_0_name() + " died");
  if (connection_.state() == ControlConnection::State::invalid) {
    report_loss(rank_0_name() + " sent an invalid message");
  }
  if (was_suspended()) connection_.reset_idle_time();
  if (is_silent(connection_)) report_loss(silence_message(rank_0_name()));
  for (const std::string& line : take_outbox()) connection_.queue_line(line);
  leave_if_requested();
  if (heartbeat_due()) connection_.queue({{"kind", "beat"}});
  connection_.flush();
}

RendezvousClient::Clock::time_point RendezvousClient::next_event() const {
  auto next = std::min(next_heartbeat_, connection_.last_received() + timeout_);
  if (leave_deadline_) next = std::min(next, *leave_deadline_);
  return next;
}

void RendezvousClient::handle(Json message) {
  const std::string kind = kind_of(message);
  if (kind == "members" && !met()) {
    auto members = members_from_json(message);
    const auto expected = static_cast<std::size_t>(place_.size);
    if (!members.ok() || members->size() != expected) {
      return report_loss(rank_0_name() + " sent an invalid list of ranks");
    }
    {
      const std::lock_guard lock(state_.mutex);
      state_.collected.resize(1);
    }
    members_ = *std::move(members);
  } else if (kind == "trouble" || (kind == "refused" && !met())) {
    report_loss(text_of(message, "why"));
  } else if (kind == "end") {
    finished_ = true;
  } else if ((kind == "agreed" || kind == "share") && met()) {
    collect(0, std::move(message));
  } else if (kind == "post") {
    note_post(message);
  }
}

// Only the first cause counts. A rank that left with a reason has reported the cause itself.
void RendezvousClient::report_loss(const std::string& why) {
  if (std::exchange(finished_, true)) return;
  const auto goodbye = leaving();
  if (!met()) {
    refusal_ = why;
  } else if (!goodbye || goodbye->empty()) {
    note_failure(why);
  }
}

void RendezvousClient::leave_if_requested() {
  const auto why = leaving();
  if (!why || finished_) return;
  if (!leave_deadline_) {
    connection_.queue({{"kind", "bye"}, {"why", *why}});
    const bool good = why->empty();
    leave_deadline_ = Clock::now() + (good ? Clock::duration(timeout_)
                                           : std::min<Clock::duration>(kCloseTimeout, timeout_));
    if (!good) connection_.queue_end();
  }
  if (Clock::now() >= *leave_deadline_) finished_ = true;
}

std::string RendezvousClient::rank_0_name() const {
  return met() ? describe(members_[0])
               : fmt::format("rank 0 at {}", endpoint(place_.host, place_.port));
}

}  // namespace tacho
