#include "machine/comm/rank_0_connection.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "machine/comm/handshake.h"
#include "machine/comm/rendezvous_peer.h"
#include "machine/comm/tcp.h"

namespace tacho {
namespace {

using Clock = ControlConnection::Clock;

// Rank 0 answers immediately unless its process is still starting.
constexpr auto kShortestAttempt = std::chrono::seconds(2);
constexpr auto kFirstPause = std::chrono::milliseconds(50);
constexpr auto kLongestPause = std::chrono::milliseconds(500);
constexpr auto kStopCheckInterval = std::chrono::milliseconds(100);

class Attempt {
 public:
  Attempt(const Rendezvous::Options& options, Clock::time_point until, UniqueFd socket)
      : options_(options), until_(until), connection_(std::move(socket)) {}

  Result<ControlConnection> run() && {
    ClientHandshake handshake(options_.place.secret);
    TACHO_TRY(challenge, next_message());
    const auto proof = handshake.answer(challenge);
    if (!proof) return not_tacho();
    connection_.queue(*proof);
    connection_.flush();
    proved_ = true;
    TACHO_TRY(answer, next_message());
    auto keys = handshake.verify(answer);
    if (!keys) return failed("does not know this job's secret; does another job use the port?");
    connection_.seal(*std::move(keys));
    return std::move(connection_);
  }

 private:
  [[nodiscard]] bool stopped() const { return options_.stop != nullptr && *options_.stop; }

  Result<Json> next_message() {
    while (connection_.open() && Clock::now() < until_ && !stopped()) {
      const auto left = std::min<Clock::duration>(until_ - Clock::now(), kStopCheckInterval);
      pollfd readable{connection_.socket().get(), POLLIN, 0};
      ::poll(&readable, 1,
             static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count()));
      auto messages = connection_.receive();
      if (messages.size() == 1) return std::move(messages.front());
      if (messages.size() > 1) return not_tacho();
    }
    if (connection_.state() == ControlConnection::State::invalid) return not_tacho();
    if (connection_.open()) {
      return failed(
          fmt::format("did not answer within {}; is it running?", plain_seconds(options_.timeout)));
    }
    if (!proved_) return failed("closed the connection without an answer; is it running?");
    return failed("closed the connection; is the job secret the same on its machine?");
  }

  [[nodiscard]] Error failed(std::string_view what) const {
    return {
        ErrorCode::failed,
        fmt::format("rank 0 at {} {}", endpoint(options_.place.host, options_.place.port), what)};
  }
  [[nodiscard]] Error not_tacho() const {
    return failed("did not answer like Tacho; does another program use the port?");
  }

  const Rendezvous::Options& options_;
  const Clock::time_point until_;
  ControlConnection connection_;
  bool proved_ = false;
};

}  // namespace

Result<ControlConnection> connect_to_rank_0(const Rendezvous::Options& options,
                                            Clock::time_point deadline) {
  const Place& place = options.place;
  auto pause = kFirstPause;
  // The deadline cuts the last attempt short, so its error says less than the one before.
  std::optional<Error> previous;
  while (true) {
    auto socket = connect_to(place.host, place.port, deadline, options.stop);
    if (!socket.ok() && previous) return *previous;
    if (!socket.ok()) {
      return Error{ErrorCode::failed,
                   fmt::format("cannot connect to rank 0 at {} within {}: {}; is it running, and "
                               "can this machine reach it?",
                               endpoint(place.host, place.port), plain_seconds(options.timeout),
                               socket.error().message)};
    }
    const auto longest = std::max<Clock::duration>(kShortestAttempt, options.timeout / 4);
    const auto until = std::min(deadline, Clock::now() + longest);
    auto connection = Attempt(options, until, *std::move(socket)).run();
    const bool stopped = options.stop != nullptr && *options.stop;
    if (connection.ok() || stopped) return connection;
    if (Clock::now() + pause >= deadline) return previous.value_or(connection.error());
    previous = connection.error();
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLongestPause);
  }
}

}  // namespace tacho
