#include "comm/roll_spoke.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "comm/tcp.h"

namespace tacho {

RollSpoke::RollSpoke(RollBoard& board, const Place& place, std::chrono::milliseconds timeout,
                     const Greeting& own, ControlLine line)
    : RollWatch(board, timeout), place_(place), line_(std::move(line)) {
  line_.forgive_silence();
  line_.queue(greeting_to_json(own));
}

void RollSpoke::turn() {
  poll_.clear();
  poll_.watch(line_);
  poll_.wait_until(next_event());

  if (poll_.ready(line_.socket())) {
    for (Json& message : line_.receive()) {
      if (!over_) hear(std::move(message));
    }
  }
  if (line_.state() == ControlLine::State::closed) lose(hub() + " died");
  if (line_.state() == ControlLine::State::foreign) {
    lose(hub() + " sent something that is no message");
  }
  if (was_away()) line_.forgive_silence();
  if (silent(line_)) lose(no_word_from(hub()));
  for (const std::string& line : take_outbox()) line_.queue_line(line);
  consider_leaving();
  if (time_to_beat()) line_.queue({{"kind", "beat"}});
  line_.flush();
}

RollSpoke::Clock::time_point RollSpoke::next_event() const {
  auto next = std::min(next_beat_, line_.heard() + timeout_);
  if (leave_by_) next = std::min(next, *leave_by_);
  return next;
}

void RollSpoke::hear(Json message) {
  const std::string kind = kind_of(message);
  if (kind == "members" && !met()) {
    auto members = members_from_json(message);
    const auto told = static_cast<std::size_t>(place_.size);
    if (!members.ok() || members->size() != told) {
      return lose(hub() + " sent a list of ranks that makes no sense");
    }
    {
      const std::lock_guard lock(board_.mutex);
      board_.collected.resize(1);
    }
    members_ = *std::move(members);
  } else if (kind == "trouble" || (kind == "refused" && !met())) {
    lose(text_of(message, "why"));
  } else if (kind == "end") {
    over_ = true;
  } else if ((kind == "agreed" || kind == "share") && met()) {
    collect(0, std::move(message));
  } else if (kind == "post") {
    note_post(message);
  }
}

// The first cause counts; where this rank has said one itself, that is it.
void RollSpoke::lose(const std::string& why) {
  if (std::exchange(over_, true)) return;
  const auto goodbye = leaving();
  if (!met()) {
    refusal_ = why;
  } else if (!goodbye || goodbye->empty()) {
    note_trouble(why);
  }
}

void RollSpoke::consider_leaving() {
  const auto why = leaving();
  if (!why || over_) return;
  if (!leave_by_) {
    line_.queue({{"kind", "bye"}, {"why", *why}});
    const bool good = why->empty();
    leave_by_ = Clock::now() +
                (good ? Clock::duration(timeout_) : std::min<Clock::duration>(kParting, timeout_));
    if (!good) line_.queue_end();
  }
  if (Clock::now() >= *leave_by_) over_ = true;
}

std::string RollSpoke::hub() const {
  return met() ? describe(members_[0])
               : fmt::format("rank 0 at {}", endpoint(place_.host, place_.port));
}

}  // namespace tacho
