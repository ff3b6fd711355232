#include "machine/comm/rendezvous_server.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "machine/comm/tcp.h"

namespace tacho {
namespace {

// A rank authenticates within one or two round trips. Above this number of unauthenticated
// connections the oldest are closed; a rank among them reconnects.
constexpr std::size_t kMaxUnauthenticated = 256;
constexpr auto kAuthenticationTimeout = std::chrono::seconds(10);
// Limits new connections per turn, so that a flood of them does not starve the ranks.
constexpr int kMaxAcceptedPerTurn = 64;

Json failure_message(const std::string& why) { return {{"kind", "trouble"}, {"why", why}}; }

}  // namespace

RendezvousServer::RendezvousServer(RendezvousState& state, const Place& place,
                                   std::chrono::milliseconds timeout, Greeting own,
                                   UniqueFd listener)
    : RendezvousPeer(state, timeout),
      place_(place),
      own_(std::move(own)),
      deadline_(Clock::now() + timeout),
      listener_(std::move(listener)) {}

void RendezvousServer::run_once() {
  wait();
  receive_pending();
  receive_from_peers();
  if (met() && !close_deadline_) {
    check_for_silence();
    for (const std::string& line : take_outbox()) {
      for (Peer& peer : peers_) peer.connection.queue_line(line);
    }
    if (const auto why = failure()) {
      close_with(failure_message(*why));
    } else {
      leave_if_requested();
    }
  } else if (!met() && !refusal_) {
    finish_meeting_if_ready();
  }
  if (heartbeat_due()) broadcast({{"kind", "beat"}});
  for (Peer& peer : peers_) peer.connection.flush();
}

bool RendezvousServer::finished() const {
  if (!close_deadline_) return false;
  const auto gone = [](const Peer& peer) { return !peer.connection.open(); };
  return std::all_of(peers_.begin(), peers_.end(), gone) || Clock::now() >= *close_deadline_;
}

void RendezvousServer::close() {
  listener_.reset();
  pending_.clear();
  for (Peer& peer : peers_) peer.connection.close();
}

RendezvousServer::Clock::time_point RendezvousServer::next_event() const {
  auto next = next_heartbeat_;
  if (!met()) next = std::min(next, deadline_);
  if (leave_deadline_) next = std::min(next, *leave_deadline_);
  if (close_deadline_) next = std::min(next, *close_deadline_);
  for (const Peer& peer : peers_) {
    if (peer.connection.open()) next = std::min(next, peer.connection.last_received() + timeout_);
  }
  return next;
}

void RendezvousServer::wait() {
  poll_.clear();
  poll_.watch(listener_);
  for (const PendingConnection& pending : pending_) poll_.watch(pending.connection);
  for (const Peer& peer : peers_) poll_.watch(peer.connection);
  poll_.wait_until(next_event());
}

// Also runs after all ranks have connected, so that late and duplicate ranks get a reason.
void RendezvousServer::receive_pending() {
  const auto longest = std::min<Clock::duration>(timeout_, kAuthenticationTimeout);
  for (PendingConnection& pending : pending_) {
    if (poll_.ready(pending.connection.socket())) receive_pending_message(pending);
    if (Clock::now() - pending.accepted_at > longest) pending.connection.close();
  }
  pending_.remove_if([](const PendingConnection& pending) { return !pending.connection.open(); });
  if (poll_.ready(listener_)) accept_connections();
}

// Called after the pending connections were served: those that have just authenticated are not
// closed.
void RendezvousServer::accept_connections() {
  for (int i = 0; i < kMaxAcceptedPerTurn; ++i) {
    UniqueFd socket = accept_from(listener_);
    if (!socket) break;
    PendingConnection& pending = pending_.emplace_back(PendingConnection{
        ControlConnection(std::move(socket)), ServerHandshake(place_.secret), Clock::now()});
    pending.connection.queue(pending.handshake.challenge());
    pending.connection.flush();
  }
  const auto is_unauthenticated = [](const PendingConnection& pending) {
    return !pending.authenticated;
  };
  auto unauthenticated = std::count_if(pending_.begin(), pending_.end(), is_unauthenticated);
  for (; std::cmp_greater(unauthenticated, kMaxUnauthenticated); --unauthenticated) {
    pending_.erase(std::find_if(pending_.begin(), pending_.end(), is_unauthenticated));
  }
}

void RendezvousServer::receive_pending_message(PendingConnection& pending) {
  const auto messages = pending.connection.receive();
  if (messages.empty()) return;
  if (!pending.authenticated) return handle_proof(pending, messages);
  handle_greeting(pending, messages.front());
}

// Without the right proof a connection gets no answer and is only counted.
void RendezvousServer::handle_proof(PendingConnection& pending, const std::vector<Json>& messages) {
  auto accepted = pending.handshake.verify(messages.front());
  if (!accepted || messages.size() > 1) {
    ++wrong_proofs_;
    last_wrong_address_ = peer_address(pending.connection.socket());
    return pending.connection.close();
  }
  pending.authenticated = true;
  pending.connection.queue(accepted->answer);
  pending.connection.flush();
  pending.connection.seal(std::move(accepted->keys));
}

void RendezvousServer::handle_greeting(PendingConnection& pending, const Json& message) {
  const std::string address = peer_address(pending.connection.socket());
  auto greeting = greeting_from_json(message);
  if (!greeting.ok()) {
    if (greeting.error().code == ErrorCode::newer && !met() && problem_.empty()) {
      problem_ = fmt::format(
          "a rank at {} runs another version of Tacho; install the same version on every machine",
          address);
    }
    return pending.connection.close();
  }
  if (met() || refusal_) return refuse(pending, *greeting);
  greeting->self.address = address;
  admit(pending, *std::move(greeting));
}

void RendezvousServer::admit(PendingConnection& pending, Greeting greeting) {
  if (problem_.empty()) problem_ = problem_with(greeting);
  Peer& peer = peers_.emplace_back(Peer{std::move(greeting), std::move(pending.connection)});
  if (!peer.connection.open()) report_loss(peer, describe(peer.greeting.self) + " died");
  pending.connection.close();  // moved from; removed with the other closed connections
}

void RendezvousServer::refuse(PendingConnection& pending, const Greeting& greeting) {
  const auto rank = static_cast<std::size_t>(greeting.self.rank);
  const std::string why =
      refusal_ ? *refusal_
      : rank < members_.size()
          ? fmt::format("{} is already running; was it started twice?", describe(members_[rank]))
          : fmt::format("all {} ranks are already running", members_.size());
  pending.connection.queue({{"kind", "refused"}, {"why", why}});
  pending.connection.queue_end();
  pending.connection.flush();
}

std::string RendezvousServer::problem_with(const Greeting& greeting) const {
  const Member& them = greeting.self;
  if (greeting.size != own_.size) {
    return fmt::format(
        "{} expects {} ranks, {} expects {}; start every rank with the same WORLD_SIZE",
        describe(them), greeting.size, describe(own_.self), own_.size);
  }
  if (them.rank >= own_.size) {
    return fmt::format("{} is out of range for {} ranks", describe(them), own_.size);
  }
  const auto twice = [&](const Member& first) {
    return fmt::format("two processes claim to be rank {}: pid {} on {} and pid {} on {}",
                       them.rank, first.pid, first.host, them.pid, them.host);
  };
  if (them.rank == own_.self.rank) return twice(own_.self);
  for (const Peer& peer : peers_) {
    if (peer.greeting.self.rank == them.rank) return twice(peer.greeting.self);
  }
  const std::string differs = first_difference(them, greeting.terms, own_.self, own_.terms);
  return differs.empty() ? "" : differs + "; start every rank with the same options";
}

// Even if the meeting must fail, waits for the other ranks, so that all of them get the reason.
void RendezvousServer::finish_meeting_if_ready() {
  int expected = own_.size;
  for (const Peer& peer : peers_) expected = std::min(expected, peer.greeting.size);
  const bool complete = static_cast<int>(peers_.size()) + 1 >= expected;
  if (!complete && Clock::now() < deadline_) return;
  if (problem_.empty() && complete) return finish_meeting();
  refusal_ = problem_.empty() ? missing_ranks_message() : problem_;
  close_with({{"kind", "refused"}, {"why", *refusal_}});
}

void RendezvousServer::finish_meeting() {
  members_.assign(static_cast<std::size_t>(own_.size), {});
  Member& self = members_[0];
  self = own_.self;
  for (const Peer& peer : peers_) {
    members_[static_cast<std::size_t>(peer.greeting.self.rank)] = peer.greeting.self;
    const std::string reached_at = local_address(peer.connection.socket());
    if (self.address.empty() || is_loopback(self.address)) self.address = reached_at;
  }
  // Ranks that connected over loopback are on this machine, so other machines reach them at rank
  // 0's address.
  for (Member& member : members_) {
    if (is_loopback(member.address)) member.address = self.address;
  }
  {
    const std::lock_guard lock(state_.mutex);
    state_.collected.resize(members_.size());
  }
  broadcast(members_to_json(members_));
}

std::string RendezvousServer::missing_ranks_message() const {
  std::vector<int> missing;
  for (int rank = 1; rank < own_.size; ++rank) {
    const auto here = [rank](const Peer& peer) { return peer.greeting.self.rank == rank; };
    if (std::none_of(peers_.begin(), peers_.end(), here)) missing.push_back(rank);
  }
  const bool one = missing.size() == 1;
  return fmt::format("rank{} {} of {} did not connect within {}; {}, and can {} reach {}?",
                     one ? "" : "s", fmt::join(missing, ", "), own_.size, plain_seconds(timeout_),
                     one ? "is it running" : "are they running",
                     one ? "its machine" : "every machine", endpoint(place_.host, place_.port)) +
         wrong_proofs_message();
}

// Rank 0 cannot distinguish a rank with a wrong secret from another program; the user can.
std::string RendezvousServer::wrong_proofs_message() const {
  if (wrong_proofs_ == 0) return "";
  return fmt::format(
      " (rejected {} without the job secret, the last from {})",
      wrong_proofs_ == 1 ? "1 connection" : fmt::format("{} connections", wrong_proofs_),
      last_wrong_address_);
}

void RendezvousServer::receive_from_peers() {
  for (Peer& peer : peers_) {
    if (!peer.connection.open() || !poll_.ready(peer.connection.socket())) continue;
    for (Json& message : peer.connection.receive()) handle(peer, std::move(message));
    const std::string name = describe(peer.greeting.self);
    if (peer.connection.state() == ControlConnection::State::closed) {
      report_loss(peer, name + " died");
    }
    if (peer.connection.state() == ControlConnection::State::invalid) {
      report_loss(peer, name + " sent an invalid message");
    }
  }
}

void RendezvousServer::handle(Peer& peer, Json message) {
  const std::string kind = kind_of(message);
  const int rank = peer.greeting.self.rank;
  if (kind == "tell") {
    const std::lock_guard lock(state_.mutex);
    state_.messages.push_back({rank, text_of(message, "text")});
  } else if (kind == "agree" && met()) {
    collect(rank, std::move(message));
  } else if (kind == "post") {
    note_post(message);
    broadcast(message);
  } else if (kind == "bye") {
    const std::string why = text_of(message, "why");
    if (!why.empty()) report_loss(peer, fmt::format("rank {} left: {}", rank, why));
    peer.said_goodbye = true;
  }
}

void RendezvousServer::report_loss(Peer& peer, const std::string& why) {
  if (peer.said_goodbye || close_deadline_) return;
  if (met()) {
    note_failure(why);
  } else if (problem_.empty()) {
    problem_ = why + " before all ranks were connected";
  }
}

void RendezvousServer::check_for_silence() {
  const bool suspended = was_suspended();
  for (Peer& peer : peers_) {
    if (suspended) peer.connection.reset_idle_time();
    if (peer.said_goodbye || !is_silent(peer.connection)) continue;
    report_loss(peer, silence_message(fmt::format("rank {} (host {})", peer.greeting.self.rank,
                                                  peer.greeting.self.host)));
  }
}

void RendezvousServer::leave_if_requested() {
  const auto why = leaving();
  if (!why) return;
  if (!why->empty()) return close_with(failure_message("rank 0 left: " + *why));
  if (!leave_deadline_) leave_deadline_ = Clock::now() + timeout_;
  const auto running = std::find_if(peers_.begin(), peers_.end(),
                                    [](const Peer& peer) { return !peer.said_goodbye; });
  if (running == peers_.end()) return close_with({{"kind", "end"}});
  if (Clock::now() < *leave_deadline_) return;
  close_with(failure_message(
      fmt::format("rank 0 left while rank {} was still running", running->greeting.self.rank)));
}

void RendezvousServer::broadcast(const Json& message) {
  const std::string line = json_text(message);
  for (Peer& peer : peers_) peer.connection.queue_line(line);
}

void RendezvousServer::close_with(const Json& last_message) {
  broadcast(last_message);
  for (Peer& peer : peers_) peer.connection.queue_end();
  close_deadline_ = Clock::now() + std::min<Clock::duration>(kCloseTimeout, timeout_);
}

}  // namespace tacho
