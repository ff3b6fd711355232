#include "comm/rollcall.h"

#include <fmt/format.h>
#include <signal.h>

#include <utility>

#include "base/units.h"
#include "comm/greeting.h"
#include "comm/hub_line.h"
#include "comm/job_secret.h"
#include "comm/roll_hub.h"
#include "comm/roll_spoke.h"
#include "comm/tcp.h"

namespace tacho {
namespace {

using RollClock = std::chrono::steady_clock;

Result<void> check_place(const Place& place) {
  if (place.size < 1 || place.rank < 0 || place.rank >= place.size) {
    return Error{ErrorCode::usage,
                 fmt::format("there is no rank {} among {}; ranks are counted from 0", place.rank,
                             place.size)};
  }
  if (place.size == 1 || !place.secret.empty()) return {};
  return Error{
      ErrorCode::usage,
      fmt::format("rank {} of {} was given no job secret; set {} to the same on every rank",
                  place.rank, place.size, kJobSecretVariable)};
}

Result<UniqueFd> open_door(const Place& place) {
  if (place.listen_fd) return adopt_listener(*place.listen_fd);
  return listen_at(place.host, place.port);
}

// Signals are for the program's own threads.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

Rollcall::Rollcall(const Options& options, std::unique_ptr<RollBoard> board)
    : rank_(options.place.rank), size_(options.place.size), board_(std::move(board)) {}

Result<std::unique_ptr<Rollcall>> Rollcall::meet(const Options& options,
                                                 const std::vector<std::string>& terms) {
  TACHO_CHECK(check_place(options.place));
  std::unique_ptr<Rollcall> rollcall(new Rollcall(options, std::make_unique<RollBoard>()));
  TACHO_CHECK(rollcall->meet_all(options, terms));
  return rollcall;
}

Result<void> Rollcall::meet_all(const Options& options, const std::vector<std::string>& terms) {
  const Place& place = options.place;
  Greeting own{member_at(place), place.size, as_received(terms)};
  if (size_ == 1) {
    const UniqueFd unused(place.listen_fd.value_or(-1));
    own.self.address = "127.0.0.1";
    members_ = {own.self};
    return {};
  }
  if (place.rank == 0) {
    TACHO_TRY(door, open_door(place));
    watch_ = std::make_unique<RollHub>(*board_, place, options.timeout, own, std::move(door));
  } else {
    TACHO_TRY(line, reach_hub(options, RollClock::now() + options.timeout));
    own.self.address = local_address(line.socket());
    watch_ = std::make_unique<RollSpoke>(*board_, place, options.timeout, own, std::move(line));
  }
  while (watch_->members().empty() && !watch_->finished()) {
    if (options.stop != nullptr && *options.stop) return Error{ErrorCode::failed, "stopped"};
    watch_->turn();
  }
  if (watch_->members().empty()) return Error{ErrorCode::failed, *watch_->refusal()};
  members_ = watch_->members();

  thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
  return {};
}

void Rollcall::watch(const std::stop_token& stop) {
  block_signals();
  while (!watch_->finished() && !stop.stop_requested()) watch_->turn();
  watch_->close();
  {
    const std::lock_guard lock(board_->mutex);
    board_->over = true;
  }
  board_->changed.notify_all();
}

Rollcall::~Rollcall() {
  thread_.request_stop();
  if (watch_) watch_->wake();
}

void Rollcall::send(const Json& message) {
  std::string line = json_text(message);
  {
    const std::lock_guard lock(board_->mutex);
    // The other side would not take the line for Tacho's, and say less clearly what is wrong.
    if (line.size() <= kLongestMessage) {
      board_->outbox.push_back(std::move(line));
    } else if (!board_->leaving) {
      board_->leaving = fmt::format("a message of {} is more than the control line carries",
                                    human(Bytes{static_cast<std::int64_t>(line.size())}));
    }
  }
  if (watch_) watch_->wake();
}

Result<Json> Rollcall::await(int rank, std::string_view kind, std::string_view topic) {
  std::unique_lock lock(board_->mutex);
  auto& said = board_->collected.at(static_cast<std::size_t>(rank));
  board_->changed.wait(lock, [&] { return !said.empty() || board_->trouble || board_->over; });
  if (said.empty()) {
    return Error{ErrorCode::failed, board_->trouble.value_or("the control line is closed")};
  }
  Json message = std::move(said.front());
  said.pop_front();
  if (kind_of(message) != kind || text_of(message, "topic") != topic) {
    return Error{
        ErrorCode::failed,
        fmt::format("{} is at '{}' while {} is at '{}'; are all ranks of one version?",
                    describe(members_[static_cast<std::size_t>(rank)]), text_of(message, "topic"),
                    describe(members_[static_cast<std::size_t>(rank_)]), topic)};
  }
  return message;
}

Result<void> Rollcall::agree(std::string_view topic, const std::vector<std::string>& lines) {
  if (size_ == 1) return {};
  std::string why;
  if (rank_ == 0) {
    const auto verdict = judge(topic, lines);
    if (!verdict.ok()) why = verdict.error().message;
    send({{"kind", "agreed"}, {"topic", topic}, {"why", why}});
  } else {
    send({{"kind", "agree"}, {"topic", topic}, {"lines", lines}});
    TACHO_TRY(answer, await(0, "agreed", topic));
    why = text_of(answer, "why");
  }
  if (why.empty()) return {};
  return Error{ErrorCode::failed, why};
}

Result<void> Rollcall::judge(std::string_view topic, const std::vector<std::string>& lines) {
  const auto ours = as_received(lines);
  std::string first;
  // All are heard to the end, lest an answer be left for the next call.
  for (int rank = 1; rank < size_; ++rank) {
    TACHO_TRY(said, await(rank, "agree", topic));
    if (!first.empty()) continue;
    first = first_difference(members_[static_cast<std::size_t>(rank)], texts_of(said, "lines"),
                             members_[0], ours);
  }
  if (first.empty()) return {};
  return Error{ErrorCode::failed, fmt::format("{}: {}", topic, first)};
}

Result<std::string> Rollcall::share(std::string_view topic, std::string_view text_of_rank_0) {
  if (rank_ == 0) {
    if (size_ > 1) send({{"kind", "share"}, {"topic", topic}, {"text", text_of_rank_0}});
    return std::string(text_of_rank_0);
  }
  TACHO_TRY(said, await(0, "share", topic));
  return text_of(said, "text");
}

void Rollcall::tell(std::string_view text) {
  if (rank_ != 0) return send({{"kind", "tell"}, {"text", text}});
  const std::lock_guard lock(board_->mutex);
  board_->told.push_back({0, std::string(text)});
}

void Rollcall::post(const std::string& name, std::string_view text) {
  {
    const std::lock_guard lock(board_->mutex);
    board_->posted[name] = text;
  }
  board_->changed.notify_all();
  if (size_ > 1) send({{"kind", "post"}, {"name", name}, {"text", text}});
}

Result<std::string> Rollcall::posted(const std::string& name,
                                     std::chrono::milliseconds time) const {
  std::unique_lock lock(board_->mutex);
  board_->changed.wait_for(
      lock, time, [&] { return board_->posted.contains(name) || board_->trouble || board_->over; });
  if (const auto found = board_->posted.find(name); found != board_->posted.end()) {
    return found->second;
  }
  if (board_->trouble || board_->over) {
    return Error{ErrorCode::failed, board_->trouble.value_or("the control line is closed")};
  }
  return Error{ErrorCode::failed,
               fmt::format("no rank has posted '{}' within {}", name, plain_seconds(time))};
}

std::vector<Rollcall::Message> Rollcall::take_messages() {
  const std::lock_guard lock(board_->mutex);
  return std::exchange(board_->told, {});
}

std::optional<std::string> Rollcall::trouble() const {
  const std::lock_guard lock(board_->mutex);
  return board_->trouble;
}

std::optional<std::string> Rollcall::wait_for_trouble(std::chrono::milliseconds time) const {
  std::unique_lock lock(board_->mutex);
  board_->changed.wait_for(lock, time, [&] { return board_->trouble || board_->over; });
  return board_->trouble;
}

void Rollcall::on_trouble(std::function<void(const std::string&)> call) {
  std::unique_lock lock(board_->mutex);
  if (!board_->trouble) {
    board_->on_trouble = std::move(call);
    return;
  }
  const std::string why = *board_->trouble;
  lock.unlock();
  call(why);
}

void Rollcall::leave(std::string_view why) {
  if (!watch_) return;
  {
    const std::lock_guard lock(board_->mutex);
    if (!board_->leaving) board_->leaving = std::string(why);
  }
  watch_->wake();
  if (thread_.joinable()) thread_.join();
}

}  // namespace tacho
