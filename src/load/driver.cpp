#include "load/driver.h"

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

constexpr auto kBetweenLooks = 5ms;
// A server that is down must not be asked as fast as the machine can.
constexpr auto kRest = 10ms;
constexpr auto kPatienceMs = 5000;
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

// All at once, so that opening connections is no part of what is measured.
Result<void> Driver::connect(int count) {
  for (int i = 0; i < count; ++i) {
    Seat& seat = seats_.emplace_back(Seat{Client(plan_.server)});
    TACHO_CHECK(seat.client.connect().in(fmt::format("connection {}", i + 1)));
  }
  for (Seat& seat : seats_) {
    pollfd waiting{seat.client.fd(), POLLOUT, 0};
    if (::poll(&waiting, 1, kPatienceMs) <= 0 || (waiting.revents & POLLERR) != 0) {
      return Error{ErrorCode::unavailable,
                   fmt::format("the server took fewer than {} connections; ask for fewer with "
                               "--connections",
                               plan_.connections)};
    }
    watch(seat);
    idle_.push_back(&seat);
  }
  std::ranges::reverse(idle_);
  return {};
}

void Driver::run(Clock::time_point start, const std::atomic<bool>& stop) {
  (void)::prctl(PR_SET_TIMERSLACK, 1UL);  // of this thread: sleeps end when they are to end
  start_ = start;
  end_ = start + plan_.duration;
  looked_after_ = start;
  std::this_thread::sleep_until(start);
  next_arrival();
  while (!stop) {
    const auto now = Clock::now();
    if (now - looked_after_ >= kBetweenLooks) look_after(now);
    send_what_is_due(now);
    const bool all_sent = arrivals_ ? !due_ : now >= end_;
    const bool all_ended = idle_.size() + resting_.size() == seats_.size();
    if (all_sent && all_ended && now >= end_) break;
    auto until = looked_after_ + kBetweenLooks;
    if (due_ && !idle_.empty()) until = std::min(until, *due_);
    wait(until);
  }
  if (stop) give_up(Clock::now());
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

void Driver::send_what_is_due(Clock::time_point now) {
  if (!arrivals_) {
    while (!idle_.empty() && now < end_) {
      Seat& seat = *idle_.back();
      idle_.pop_back();
      send(seat, now, now);
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
      Seat& seat = *idle_.back();
      idle_.pop_back();
      send(seat, *due_, now);
    }
    next_arrival();
  }
}

void Driver::send(Seat& seat, Clock::time_point due, Clock::time_point now) {
  const Client::Outcome outcome = seat.client.send(next_request(), due, now);
  watch(seat);
  if (outcome != Client::Outcome::pending) take(seat, outcome);
}

// What came of a client's errand.
void Driver::take(Seat& seat, Client::Outcome outcome) {
  const auto now = Clock::now();
  begin_window(now);
  if (outcome == Client::Outcome::answered) {
    count_answer(seat.client, now);
    idle_.push_back(&seat);
  } else {
    fail(&Tally::broken, "the connection ended without an answer");
    resting_.push_back({&seat, now + kRest});
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
  latency_.add(now - client.errand().due);
  service_.add(now - client.errand().sent);
}

void Driver::count_timeout() {
  latency_.add(plan_.timeout);
  fail(&Tally::timeouts, "no answer within the timeout");
}

void Driver::fail(std::uint64_t Tally::*how, const std::string& words) {
  const bool first = tally_.failed() == 0;
  ++(tally_.*how);
  if (first) log_.say_first_failure(words);  // of each window: the log keeps the first of all
}

// What no socket tells: time that has passed.
void Driver::look_after(Clock::time_point now) {
  looked_after_ = now;
  begin_window(now);
  for (Seat& seat : seats_) {
    if (!seat.client.busy() || now - seat.client.errand().due <= plan_.timeout) continue;
    seat.client.abandon();
    count_timeout();
    idle_.push_back(&seat);
  }
  std::erase_if(resting_, [&](const Resting& resting) {
    if (now < resting.until) return false;
    idle_.push_back(resting.seat);
    return true;
  });
}

void Driver::give_up(Clock::time_point now) {
  for (; due_ && *due_ <= now; next_arrival()) ++tally_.unanswered;
  for (const Seat& seat : seats_) {
    if (seat.client.busy()) ++tally_.unanswered;
  }
}

// Hands over the window that is full, where `now` lies in another.
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

void Driver::watch(Seat& seat) {
  const int fd = seat.client.fd();
  if (fd < 0) return;
  const std::uint32_t events =
      EPOLLIN | EPOLLRDHUP | (seat.client.wants_to_write() ? EPOLLOUT : 0U);
  const bool fresh = seat.connection != seat.client.connections();
  if (!fresh && seat.events == events) return;
  epoll_event wanted{.events = events, .data = {.ptr = &seat}};
  // Of a socket that was just opened nothing but the memory for it can be missing.
  if (::epoll_ctl(epoll_.get(), fresh ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &wanted) != 0) {
    broken_invariant(fmt::format("epoll_ctl: {}", std::strerror(errno)));
  }
  seat.connection = seat.client.connections();
  seat.events = events;
}

void Driver::wait(Clock::time_point until) {
  std::array<epoll_event, 256> events;  // NOLINT: filled below
  const timespec span = span_of(std::max(Nanoseconds(0), Nanoseconds(until - Clock::now())));
  const int ready = ::epoll_pwait2(epoll_.get(), events.data(), events.size(), &span, nullptr);
  for (int i = 0; i < ready; ++i) {
    Seat& seat = *static_cast<Seat*>(events[static_cast<std::size_t>(i)].data.ptr);
    const bool busy = seat.client.busy();
    const Client::Outcome outcome = seat.client.progress();
    watch(seat);
    if (busy && outcome != Client::Outcome::pending) take(seat, outcome);
  }
}

const std::string& Driver::next_request() {
  if (zipf_) return plan_.requests[zipf_->choose(random_)];
  const std::string& request = plan_.requests[in_order_ % plan_.requests.size()];
  in_order_ += static_cast<std::size_t>(lane_.of);
  return request;
}

}  // namespace tacho::load
