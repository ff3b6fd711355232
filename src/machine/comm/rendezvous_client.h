#pragma once

#include <string>

#include "machine/comm/greeting.h"
#include "machine/comm/rendezvous_peer.h"

namespace tacho {

// Implements the rendezvous for every rank but 0, with one connection to rank 0.
class RendezvousClient final : public RendezvousPeer {
 public:
  // `connection` leads to rank 0 and is authenticated.
  RendezvousClient(RendezvousState& state, const Place& place, std::chrono::milliseconds timeout,
                   const Greeting& own, ControlConnection connection);

  void run_once() override;
  [[nodiscard]] bool finished() const override { return finished_; }
  void close() override { connection_.close(); }

 private:
  [[nodiscard]] bool met() const { return !members_.empty(); }
  [[nodiscard]] Clock::time_point next_event() const;
  void handle(Json message);
  void report_loss(const std::string& why);
  void leave_if_requested();
  [[nodiscard]] std::string rank_0_name() const;

  const Place place_;
  ControlConnection connection_;
  bool finished_ = false;
  std::optional<Clock::time_point> leave_deadline_;
};

}  // namespace tacho
