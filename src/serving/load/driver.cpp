#include "serving/load/driver.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include "base/terminal.h"

namespace tacho::load {
namespace {

using namespace std::chrono_literals;

constexpr auto kCheckInterval = 5ms;
// Limits the rate of attempts to reach a server that is down.
constexpr auto kReconnectDelay = 10ms;
constexpr auto kConnectTimeoutMs = 5000;
constexpr std::size_t kFailureWords = 160;

timespec span_of(Nanoseconds time) {
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(time);
  return {static_cast<time_t>(whole.count()), static_cast<long>((time - whole).count())};
}

std::uint64_t Tally::*way_of(int status) {
  if (status < 400) return &Tally::ok;
  if (status == 503) return &Tally::refused;
  return status < 500 ? &Tally::rejected : &Tally::server_errors;
}

}  // namespace

Driver::Driver(const LoadPlan& plan, Lane lane, WindowLog& log)
    : plan_(plan),
      lane_(lane),
      log_(log),
      random_(Random::scattered(plan.seed + static_cast<std::uint64_t>(lane.index))),
      in_order_(static_cast<std::size_t>(lane.index)) {
  if (plan.arrivals) arrivals_ = plan.arrivals->arrivals(lane);
  if (plan.zipf) zipf_.emplace(plan.requests.size(), *plan.zipf);
}

Result<std::unique_ptr<Driver>> Driver::make(const LoadPlan& plan, Lane lane, WindowLog& log) {
  std::unique_ptr<Driver> driver(new Driver(plan, lane, log));
  driver->epoll_ = UniqueFd(::epoll_create1(EPOLL_CLOEXEC));
  if (!driver->epoll_) return Error{ErrorCode::io, std::strerror(errno)};
  const int share = plan.connections / lane.of + (lane.index < plan.connections % lane.of ? 1 : 0);
  TACHO_CHECK(driver->connect(share));
  return driver;
}

// Opens all connections first, so that connecting is not part of the measurement.
Result<void> Driver::connect(int count) {
  for (int i = 0; i < count; ++i) {
    ClientSlot& slot = slots_.emplace_back(ClientSlot{Client(plan_.server)});
    TACHO_CHECK(slot.client.connect().in(fmt::format("connection {}", i + 1)));
  }
  for (ClientSlot& slot : slots_) {
    pollfd waiting{slot.client.fd(), POLLOUT, 0};
    if (::poll(&waiting, 1, kConnectTimeoutMs) <= 0 || (waiting.revents & POLLERR) != 0) {
      return Error{ErrorCode::unavailable,
                   fmt::format("the server accepted fewer than {} connections; use fewer "
                               "--connections",
                               plan_.connections)};
    }
    watch(slot);
    idle_.push_back(&slot);
  }
  std::ranges::reverse(idle_);
  return {};
}

void Driver::run(Clock::time_point start, const std::atomic<bool>& stop) {
  (void)::prctl(PR_SET_TIMERSLACK, 1UL);  // of this thread, for exact sleeps
  start_ = start;
  end_ = start + plan_.duration;
  last_check_ = start;
  std::this_thread::sleep_until(start);
  next_arrival();
  while (!stop) {
    const auto now = Clock::now();
    if (now - last_check_ >= kCheckInterval) check_timeouts(now);
    send_due(now);
    const bool all_sent = arrivals_ ? !due_ : now >= end_;
    const bool all_ended = idle_.size() + resting_.size() == slots_.size();
    if (all_sent && all_ended && now >= end_) break;
    auto until = last_check_ + kCheckInterval;
    if (due_ && !idle_.empty()) until = std::min(until, *due_);
    wait(until);
  }
  if (stop) count_unanswered(Clock::now());
  begin_window(Clock::time_point::max());
}

void Driver::next_arrival() {
  due_.reset();
  if (!arrivals_) return;
  const auto second = arrivals_->next();
  if (!second) return;
  const auto due = start_ + Nanoseconds(static_cast<std::int64_t>(*second * 1e9));
  if (due < end_) due_ = due;
}

void Driver::send_due(Clock::time_point now) {
  if (!arrivals_) {
    while (!idle_.empty() && now < end_) {
      ClientSlot& slot = *idle_.back();
      idle_.pop_back();
      send(slot, now, now);
    }
    return;
  }
  while (due_ && *due_ <= now) {
    if (now - *due_ > plan_.timeout) {
      count_timeout();
    } else if (idle_.empty()) {
      all_in_use_ = now;
      return;
    } else {
      if (*due_ <= all_in_use_) ++tally_.queued;
      ClientSlot& slot = *idle_.back();
      idle_.pop_back();
      send(slot, *due_, now);
    }
    next_arrival();
  }
}

void Driver::send(ClientSlot& slot, Clock::time_point due, Clock::time_point now) {
  const Client::Outcome outcome = slot.client.send(next_request(), due, now);
  watch(slot);
  if (outcome != Client::Outcome::pending) take(slot, outcome);
}

// Counts the outcome of a request.
void Driver::take(ClientSlot& slot, Client::Outcome outcome) {
  const auto now = Clock::now();
  begin_window(now);
  if (outcome == Client::Outcome::answered) {
    count_answer(slot.client, now);
    idle_.push_back(&slot);
  } else {
    fail(&Tally::broken, "the connection ended without an answer");
    resting_.push_back({&slot, now + kReconnectDelay});
  }
}

void Driver::count_answer(const Client& client, Clock::time_point now) {
  const Answer& answer = client.answer();
  const auto way = way_of(answer.status);
  if (way != &Tally::ok) {
    fail(way, fmt::format("{} {}", answer.status,
                          printable(std::string_view(answer.text).substr(0, kFailureWords))));
    return;
  }
  ++tally_.ok;
  if (answer.cached) ++tally_.cached;
  latency_.add(now - client.pending().due);
  service_.add(now - client.pending().sent);
}

void Driver::count_timeout() {
  latency_.add(plan_.timeout);
  fail(&Tally::timeouts, "no answer within the timeout");
}

void Driver::fail(std::uint64_t Tally::*how, const std::string& words) {
  const bool first = tally_.failed() == 0;
  ++(tally_.*how);
  if (first) log_.note_first_failure(words);  // per window; the log keeps the first of all
}

// Handles expired timeouts and pauses, for which there is no socket event.
void Driver::check_timeouts(Clock::time_point now) {
  last_check_ = now;
  begin_window(now);
  for (ClientSlot& slot : slots_) {
    if (!slot.client.busy() || now - slot.client.pending().due <= plan_.timeout) continue;
    slot.client.abandon();
    count_timeout();
    idle_.push_back(&slot);
  }
  std::erase_if(resting_, [&](const Resting& resting) {
    if (now < resting.until) return false;
    idle_.push_back(resting.slot);
    return true;
  });
}

void Driver::count_unanswered(Clock::time_point now) {
  for (; due_ && *due_ <= now; next_arrival()) ++tally_.unanswered;
  for (const ClientSlot& slot : slots_) {
    if (slot.client.busy()) ++tally_.unanswered;
  }
}

// Adds the current window to the log if `now` is in another one.
void Driver::begin_window(Clock::time_point now) {
  const auto number = static_cast<std::size_t>(
      std::max<std::int64_t>(0, (std::min(now, end_) - start_) / WindowLog::kShortest));
  const bool was_after = window_ == SIZE_MAX;
  const bool is_after = now >= end_;
  if (is_after ? was_after && now != Clock::time_point::max() : number == window_) return;
  if (tally_ != Tally{}) {
    const Window window{tally_, latency_.cells(), service_.cells()};
    if (was_after) {
      log_.add_after(window);
    } else {
      log_.add(window_, window);
    }
  }
  tally_ = {};
  latency_.clear();
  service_.clear();
  window_ = is_after ? SIZE_MAX : number;
}

void Driver::watch(ClientSlot& slot) {
  const int fd = slot.client.fd();
  if (fd < 0) return;
  const std::uint32_t events =
      EPOLLIN | EPOLLRDHUP | (slot.client.wants_to_write() ? EPOLLOUT : 0U);
  const bool fresh = slot.connection != slot.client.connections();
  if (!fresh && slot.events == events) return;
  epoll_event wanted{.events = events, .data = {.ptr = &slot}};
  // Can only fail for lack of memory, as the socket was just opened.
  if (::epoll_ctl(epoll_.get(), fresh ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &wanted) != 0) {
    broken_invariant(fmt::format("epoll_ctl: {}", std::strerror(errno)));
  }
  slot.connection = slot.client.connections();
  slot.events = events;
}

void Driver::wait(Clock::time_point until) {
  std::array<epoll_event, 256> events;  // NOLINT: filled below
  const timespec span = span_of(std::max(Nanoseconds(0), Nanoseconds(until - Clock::now())));
  const int ready = ::epoll_pwait2(epoll_.get(), events.data(), events.size(), &span, nullptr);
  for (int i = 0; i < ready; ++i) {
    ClientSlot& slot = *static_cast<ClientSlot*>(events[static_cast<std::size_t>(i)].data.ptr);
    const bool busy = slot.client.busy();
    const Client::Outcome outcome = slot.client.progress();
    watch(slot);
    if (busy && outcome != Client::Outcome::pending) take(slot, outcome);
  }
}

const std::string& Driver::next_request() {
  if (zipf_) return plan_.requests[zipf_->choose(random_)];
  const std::string& request = plan_.requests[in_order_ % plan_.requests.size()];
  in_order_ += static_cast<std::size_t>(lane_.of);
  return request;
}

}  // namespace tacho::load
