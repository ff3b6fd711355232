#include "comm/hub_line.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "comm/handshake.h"
#include "comm/roll_watch.h"
#include "comm/tcp.h"

namespace tacho {
namespace {

using Clock = ControlLine::Clock;

// Rank 0 answers at once, unless its process is still starting: then the connection waits for it,
// and the next one does so just as well.
constexpr auto kShortestAttempt = std::chrono::seconds(2);
constexpr auto kFirstPause = std::chrono::milliseconds(50);
constexpr auto kLongestPause = std::chrono::milliseconds(500);
constexpr auto kLookForStop = std::chrono::milliseconds(100);

class Attempt {
 public:
  Attempt(const Rollcall::Options& options, Clock::time_point until, UniqueFd socket)
      : options_(options), until_(until), line_(std::move(socket)) {}

  Result<ControlLine> carry_out() && {
    RankHandshake handshake(options_.place.secret);
    TACHO_TRY(challenge, next_message());
    const auto proof = handshake.answer(challenge);
    if (!proof) return no_tacho();
    line_.queue(*proof);
    line_.flush();
    proved_ = true;
    TACHO_TRY(answer, next_message());
    auto keys = handshake.judge(answer);
    if (!keys) return failed("does not know this job's secret; is the port another job's?");
    line_.seal(*std::move(keys));
    return std::move(line_);
  }

 private:
  [[nodiscard]] bool given_up() const { return options_.stop != nullptr && *options_.stop; }

  Result<Json> next_message() {
    while (line_.open() && Clock::now() < until_ && !given_up()) {
      const auto left = std::min<Clock::duration>(until_ - Clock::now(), kLookForStop);
      pollfd readable{line_.socket().get(), POLLIN, 0};
      ::poll(&readable, 1,
             static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count()));
      auto messages = line_.receive();
      if (messages.size() == 1) return std::move(messages.front());
      if (messages.size() > 1) return no_tacho();
    }
    if (line_.state() == ControlLine::State::foreign) return no_tacho();
    if (line_.open()) {
      return failed(fmt::format("has not answered within {}; is it started?",
                                plain_seconds(options_.timeout)));
    }
    if (!proved_) return failed("closed the connection before it said anything; is it started?");
    return failed("closed the connection; is the job secret the same on its machine?");
  }

  [[nodiscard]] Error failed(std::string_view what) const {
    return {
        ErrorCode::failed,
        fmt::format("rank 0 at {} {}", endpoint(options_.place.host, options_.place.port), what)};
  }
  [[nodiscard]] Error no_tacho() const {
    return failed("does not answer as Tacho does; is the port another program's?");
  }

  const Rollcall::Options& options_;
  const Clock::time_point until_;
  ControlLine line_;
  bool proved_ = false;
};

}  // namespace

Result<ControlLine> reach_hub(const Rollcall::Options& options, Clock::time_point deadline) {
  const Place& place = options.place;
  auto pause = kFirstPause;
  // The last attempt, which the deadline cuts short, says less than the one before it.
  std::optional<Error> turned_down;
  while (true) {
    auto socket = connect_to(place.host, place.port, deadline, options.stop);
    if (!socket.ok() && turned_down) return *turned_down;
    if (!socket.ok()) {
      return Error{ErrorCode::failed,
                   fmt::format("rank 0 cannot be reached at {} within {}: {}; is it started, and "
                               "does this machine reach it?",
                               endpoint(place.host, place.port), plain_seconds(options.timeout),
                               socket.error().message)};
    }
    const auto longest = std::max<Clock::duration>(kShortestAttempt, options.timeout / 4);
    const auto until = std::min(deadline, Clock::now() + longest);
    auto line = Attempt(options, until, *std::move(socket)).carry_out();
    const bool given_up = options.stop != nullptr && *options.stop;
    if (line.ok() || given_up) return line;
    if (Clock::now() + pause >= deadline) return turned_down.value_or(line.error());
    turned_down = line.error();
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLongestPause);
  }
}

}  // namespace tacho
