#pragma once

#include <list>
#include <string>
#include <vector>

#include "comm/greeting.h"
#include "comm/handshake.h"
#include "comm/roll_watch.h"

namespace tacho {

// Rank 0's side: receives the others, compares what they say, relays what concerns all.
class RollHub final : public RollWatch {
 public:
  RollHub(RollBoard& board, const Place& place, std::chrono::milliseconds timeout, Greeting own,
          UniqueFd listener);

  void turn() override;
  [[nodiscard]] bool finished() const override;
  void close() override;

 private:
  // A connection that has no seat: nobody knows yet whose it is, or it came too late.
  struct Guest {
    ControlLine line;
    HubHandshake handshake;
    Clock::time_point came;
    bool proven = false;  // it knows the job's secret
  };
  struct Seat {
    Greeting greeting;
    ControlLine line;
    bool said_goodbye = false;
  };

  [[nodiscard]] bool met() const { return !members_.empty(); }
  [[nodiscard]] Clock::time_point next_event() const;
  void wait();

  void receive_guests();
  void let_in();
  void hear_guest(Guest& guest);
  void challenge_met(Guest& guest, const std::vector<Json>& messages);
  void hear_greeting(Guest& guest, const Json& message);
  void give_seat(Guest& guest, Greeting greeting);
  void turn_away(Guest& guest, const Greeting& greeting);
  [[nodiscard]] std::string problem_with(const Greeting& greeting) const;
  void decide_on_the_meeting();
  void welcome();
  [[nodiscard]] std::string who_is_missing() const;
  [[nodiscard]] std::string others_came() const;

  void hear_seats();
  void hear(Seat& seat, Json message);
  void lose(Seat& seat, const std::string& why);
  void look_for_silence();
  void consider_leaving();
  void broadcast(const Json& message);
  // Tells everyone the last word; from then on only their leaving is awaited.
  void part(const Json& last_word);

  const Place place_;
  const Greeting own_;
  const Clock::time_point deadline_;  // of the meeting
  UniqueFd listener_;
  std::list<Guest> guests_;
  std::list<Seat> seats_;
  std::string problem_;  // what will make the meeting fail
  int wrong_proofs_ = 0;
  std::string last_wrong_;  // where the last of them came from
  std::optional<Clock::time_point> leave_by_;
  std::optional<Clock::time_point> parted_by_;
};

}  // namespace tacho
