#pragma once

#include <list>
#include <string>
#include <vector>

#include "machine/comm/greeting.h"
#include "machine/comm/handshake.h"
#include "machine/comm/rendezvous_peer.h"

namespace tacho {

// Implements the rendezvous for rank 0: accepts and authenticates the other ranks, compares their
// terms, and relays messages that are for all.
class RendezvousServer final : public RendezvousPeer {
 public:
  RendezvousServer(RendezvousState& state, const Place& place, std::chrono::milliseconds timeout,
                   Greeting own, UniqueFd listener);

  void run_once() override;
  [[nodiscard]] bool finished() const override;
  void close() override;

 private:
  // A connection that does not belong to a peer yet, or never will because it came too late.
  struct PendingConnection {
    ControlConnection connection;
    ServerHandshake handshake;
    Clock::time_point accepted_at;
    bool authenticated = false;
  };
  struct Peer {
    Greeting greeting;
    ControlConnection connection;
    bool said_goodbye = false;
  };

  [[nodiscard]] bool met() const { return !members_.empty(); }
  [[nodiscard]] Clock::time_point next_event() const;
  void wait();

  void receive_pending();
  void accept_connections();
  void receive_pending_message(PendingConnection& pending);
  void handle_proof(PendingConnection& pending, const std::vector<Json>& messages);
  void handle_greeting(PendingConnection& pending, const Json& message);
  void admit(PendingConnection& pending, Greeting greeting);
  void refuse(PendingConnection& pending, const Greeting& greeting);
  [[nodiscard]] std::string problem_with(const Greeting& greeting) const;
  void finish_meeting_if_ready();
  void finish_meeting();
  [[nodiscard]] std::string missing_ranks_message() const;
  [[nodiscard]] std::string wrong_proofs_message() const;

  void receive_from_peers();
  void handle(Peer& peer, Json message);
  void report_loss(Peer& peer, const std::string& why);
  void check_for_silence();
  void leave_if_requested();
  void broadcast(const Json& message);
  // Broadcasts the last message and waits only for the peers to disconnect.
  void close_with(const Json& last_message);

  const Place place_;
  const Greeting own_;
  const Clock::time_point deadline_;  // for all ranks to connect
  UniqueFd listener_;
  std::list<PendingConnection> pending_;
  std::list<Peer> peers_;
  std::string problem_;  // will be the refusal; "" if none
  int wrong_proofs_ = 0;
  std::string last_wrong_address_;
  std::optional<Clock::time_point> leave_deadline_;
  std::optional<Clock::time_point> close_deadline_;
};

}  // namespace tacho
