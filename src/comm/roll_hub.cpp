#include "comm/roll_hub.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "comm/tcp.h"

namespace tacho {
namespace {

// A rank shows within a round trip or two that it knows the secret. With more connections than this
// that have not, the oldest must go: a rank among them comes again.
constexpr std::size_t kMostUnproven = 256;
constexpr auto kLongestProving = std::chrono::seconds(10);
// New connections at a time, lest a flood of them keeps the ranks waiting.
constexpr int kMostAtOnce = 64;

Json last_word_of_trouble(const std::string& why) { return {{"kind", "trouble"}, {"why", why}}; }

}  // namespace

RollHub::RollHub(RollBoard& board, const Place& place, std::chrono::milliseconds timeout,
                 Greeting own, UniqueFd listener)
    : RollWatch(board, timeout),
      place_(place),
      own_(std::move(own)),
      deadline_(Clock::now() + timeout),
      listener_(std::move(listener)) {}

void RollHub::turn() {
  wait();
  receive_guests();
  hear_seats();
  if (met() && !parted_by_) {
    look_for_silence();
    for (const std::string& line : take_outbox()) {
      for (Seat& seat : seats_) seat.line.queue_line(line);
    }
    if (const auto why = trouble()) {
      part(last_word_of_trouble(*why));
    } else {
      consider_leaving();
    }
  } else if (!met() && !refusal_) {
    decide_on_the_meeting();
  }
  if (time_to_beat()) broadcast({{"kind", "beat"}});
  for (Seat& seat : seats_) seat.line.flush();
}

bool RollHub::finished() const {
  if (!parted_by_) return false;
  const auto gone = [](const Seat& seat) { return !seat.line.open(); };
  return std::all_of(seats_.begin(), seats_.end(), gone) || Clock::now() >= *parted_by_;
}

void RollHub::close() {
  listener_.reset();
  guests_.clear();
  for (Seat& seat : seats_) seat.line.close();
}

RollHub::Clock::time_point RollHub::next_event() const {
  auto next = next_beat_;
  if (!met()) next = std::min(next, deadline_);
  if (leave_by_) next = std::min(next, *leave_by_);
  if (parted_by_) next = std::min(next, *parted_by_);
  for (const Seat& seat : seats_) {
    if (seat.line.open()) next = std::min(next, seat.line.heard() + timeout_);
  }
  return next;
}

void RollHub::wait() {
  poll_.clear();
  poll_.watch(listener_);
  for (const Guest& guest : guests_) poll_.watch(guest.line);
  for (const Seat& seat : seats_) poll_.watch(seat.line);
  poll_.wait_until(next_event());
}

// To the end, so that a rank that comes too late or once too often is told so.
void RollHub::receive_guests() {
  const auto longest = std::min<Clock::duration>(timeout_, kLongestProving);
  for (Guest& guest : guests_) {
    if (poll_.ready(guest.line.socket())) hear_guest(guest);
    if (Clock::now() - guest.came > longest) guest.line.close();
  }
  guests_.remove_if([](const Guest& guest) { return !guest.line.open(); });
  if (poll_.ready(listener_)) let_in();
}

// After those who are here already were heard: what they have proven counts before they must go.
void RollHub::let_in() {
  for (int i = 0; i < kMostAtOnce; ++i) {
    UniqueFd socket = accept_from(listener_);
    if (!socket) break;
    Guest& guest = guests_.emplace_back(
        Guest{ControlLine(std::move(socket)), HubHandshake(place_.secret), Clock::now()});
    guest.line.queue(guest.handshake.challenge());
    guest.line.flush();
  }
  const auto is_unproven = [](const Guest& guest) { return !guest.proven; };
  auto unproven = std::count_if(guests_.begin(), guests_.end(), is_unproven);
  for (; std::cmp_greater(unproven, kMostUnproven); --unproven) {
    guests_.erase(std::find_if(guests_.begin(), guests_.end(), is_unproven));
  }
}

void RollHub::hear_guest(Guest& guest) {
  const auto messages = guest.line.receive();
  if (messages.empty()) return;
  if (!guest.proven) return challenge_met(guest, messages);
  hear_greeting(guest, messages.front());
}

// Who does not know the secret hears nothing, and leaves nothing behind but a count.
void RollHub::challenge_met(Guest& guest, const std::vector<Json>& messages) {
  auto accepted = guest.handshake.judge(messages.front());
  if (!accepted || messages.size() > 1) {
    ++wrong_proofs_;
    last_wrong_ = peer_address(guest.line.socket());
    return guest.line.close();
  }
  guest.proven = true;
  guest.line.queue(accepted->answer);
  guest.line.flush();
  guest.line.seal(std::move(accepted->keys));
}

void RollHub::hear_greeting(Guest& guest, const Json& message) {
  const std::string address = peer_address(guest.line.socket());
  auto greeting = greeting_from_json(message);
  if (!greeting.ok()) {
    if (greeting.error().code == ErrorCode::newer && !met() && problem_.empty()) {
      problem_ = fmt::format(
          "a rank at {} is of another version of Tacho; install the same one on every machine",
          address);
    }
    return guest.line.close();
  }
  if (met() || refusal_) return turn_away(guest, *greeting);
  greeting->self.address = address;
  give_seat(guest, *std::move(greeting));
}

void RollHub::give_seat(Guest& guest, Greeting greeting) {
  if (problem_.empty()) problem_ = problem_with(greeting);
  Seat& seat = seats_.emplace_back(Seat{std::move(greeting), std::move(guest.line)});
  if (!seat.line.open()) lose(seat, describe(seat.greeting.self) + " died");
  guest.line.close();  // nothing is left of it; it is removed with those who went away
}

void RollHub::turn_away(Guest& guest, const Greeting& greeting) {
  const auto rank = static_cast<std::size_t>(greeting.self.rank);
  const std::string why =
      refusal_ ? *refusal_
      : rank < members_.size()
          ? fmt::format("{} is at work already; was it started twice?", describe(members_[rank]))
          : fmt::format("all {} ranks are at work already", members_.size());
  guest.line.queue({{"kind", "refused"}, {"why", why}});
  guest.line.queue_end();
  guest.line.flush();
}

std::string RollHub::problem_with(const Greeting& greeting) const {
  const Member& them = greeting.self;
  if (greeting.size != own_.size) {
    return fmt::format(
        "{} was told of {} ranks, {} of {}; start every rank with the same WORLD_SIZE",
        describe(them), greeting.size, describe(own_.self), own_.size);
  }
  if (them.rank >= own_.size) {
    return fmt::format("{} is one too many for a world of {} ranks", describe(them), own_.size);
  }
  const auto twice = [&](const Member& first) {
    return fmt::format("two processes say that they are rank {}: pid {} on {} and pid {} on {}",
                       them.rank, first.pid, first.host, them.pid, them.host);
  };
  if (them.rank == own_.self.rank) return twice(own_.self);
  for (const Seat& seat : seats_) {
    if (seat.greeting.self.rank == them.rank) return twice(seat.greeting.self);
  }
  const std::string differs = first_difference(them, greeting.terms, own_.self, own_.terms);
  return differs.empty() ? "" : differs + "; start every rank with the same options";
}

// A meeting that must fail waits for the others all the same, so that each of them hears why.
void RollHub::decide_on_the_meeting() {
  int expected = own_.size;
  for (const Seat& seat : seats_) expected = std::min(expected, seat.greeting.size);
  const bool complete = static_cast<int>(seats_.size()) + 1 >= expected;
  if (!complete && Clock::now() < deadline_) return;
  if (problem_.empty() && complete) return welcome();
  refusal_ = problem_.empty() ? who_is_missing() : problem_;
  part({{"kind", "refused"}, {"why", *refusal_}});
}

void RollHub::welcome() {
  members_.assign(static_cast<std::size_t>(own_.size), {});
  Member& self = members_[0];
  self = own_.self;
  for (const Seat& seat : seats_) {
    members_[static_cast<std::size_t>(seat.greeting.self.rank)] = seat.greeting.self;
    const std::string reached_at = local_address(seat.line.socket());
    if (self.address.empty() || is_loopback(self.address)) self.address = reached_at;
  }
  // Who came over loopback is on this machine; ranks elsewhere reach it where they reach us.
  for (Member& member : members_) {
    if (is_loopback(member.address)) member.address = self.address;
  }
  {
    const std::lock_guard lock(board_.mutex);
    board_.collected.resize(members_.size());
  }
  broadcast(members_to_json(members_));
}

std::string RollHub::who_is_missing() const {
  std::vector<int> missing;
  for (int rank = 1; rank < own_.size; ++rank) {
    const auto here = [rank](const Seat& seat) { return seat.greeting.self.rank == rank; };
    if (std::none_of(seats_.begin(), seats_.end(), here)) missing.push_back(rank);
  }
  const bool one = missing.size() == 1;
  return fmt::format("rank{} {} of {} {} not come within {}; {}, and does {} reach {}?",
                     one ? "" : "s", fmt::join(missing, ", "), own_.size, one ? "has" : "have",
                     plain_seconds(timeout_), one ? "is it started" : "are they started",
                     one ? "its machine" : "every machine", endpoint(place_.host, place_.port)) +
         others_came();
}

// A rank with another secret is not told from anything else that connects; the user can.
std::string RollHub::others_came() const {
  if (wrong_proofs_ == 0) return "";
  return fmt::format(
      " ({} without the job's secret came, the last from {})",
      wrong_proofs_ == 1 ? "a connection" : fmt::format("{} connections", wrong_proofs_),
      last_wrong_);
}

void RollHub::hear_seats() {
  for (Seat& seat : seats_) {
    if (!seat.line.open() || !poll_.ready(seat.line.socket())) continue;
    for (Json& message : seat.line.receive()) hear(seat, std::move(message));
    const std::string name = describe(seat.greeting.self);
    if (seat.line.state() == ControlLine::State::closed) lose(seat, name + " died");
    if (seat.line.state() == ControlLine::State::foreign) {
      lose(seat, name + " sent something that is no message");
    }
  }
}

void RollHub::hear(Seat& seat, Json message) {
  const std::string kind = kind_of(message);
  const int rank = seat.greeting.self.rank;
  if (kind == "tell") {
    const std::lock_guard lock(board_.mutex);
    board_.told.push_back({rank, text_of(message, "text")});
  } else if (kind == "agree" && met()) {
    collect(rank, std::move(message));
  } else if (kind == "post") {
    note_post(message);
    broadcast(message);
  } else if (kind == "bye") {
    const std::string why = text_of(message, "why");
    if (!why.empty()) lose(seat, fmt::format("rank {} left: {}", rank, why));
    seat.said_goodbye = true;
  }
}

void RollHub::lose(Seat& seat, const std::string& why) {
  if (seat.said_goodbye || parted_by_) return;
  if (met()) {
    note_trouble(why);
  } else if (problem_.empty()) {
    problem_ = why + " before all ranks had come";
  }
}

void RollHub::look_for_silence() {
  const bool away = was_away();
  for (Seat& seat : seats_) {
    if (away) seat.line.forgive_silence();
    if (seat.said_goodbye || !silent(seat.line)) continue;
    lose(seat, no_word_from(fmt::format("rank {} (host {})", seat.greeting.self.rank,
                                        seat.greeting.self.host)));
  }
}

void RollHub::consider_leaving() {
  const auto why = leaving();
  if (!why) return;
  if (!why->empty()) return part(last_word_of_trouble("rank 0 left: " + *why));
  if (!leave_by_) leave_by_ = Clock::now() + timeout_;
  const auto at_work = std::find_if(seats_.begin(), seats_.end(),
                                    [](const Seat& seat) { return !seat.said_goodbye; });
  if (at_work == seats_.end()) return part({{"kind", "end"}});
  if (Clock::now() < *leave_by_) return;
  part(last_word_of_trouble(
      fmt::format("rank 0 left while rank {} was still at work", at_work->greeting.self.rank)));
}

void RollHub::broadcast(const Json& message) {
  const std::string line = json_text(message);
  for (Seat& seat : seats_) seat.line.queue_line(line);
}

void RollHub::part(const Json& last_word) {
  broadcast(last_word);
  for (Seat& seat : seats_) seat.line.queue_end();
  parted_by_ = Clock::now() + std::min<Clock::duration>(kParting, timeout_);
}

}  // namespace tacho
