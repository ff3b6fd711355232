#pragma once

#include <string>

#include "comm/greeting.h"
#include "comm/roll_watch.h"

namespace tacho {

// The side of every rank but 0: one line, to rank 0.
class RollSpoke final : public RollWatch {
 public:
  // `line` leads to rank 0 and is sealed.
  RollSpoke(RollBoard& board, const Place& place, std::chrono::milliseconds timeout,
            const Greeting& own, ControlLine line);

  void turn() override;
  [[nodiscard]] bool finished() const override { return over_; }
  void close() override { line_.close(); }

 private:
  [[nodiscard]] bool met() const { return !members_.empty(); }
  [[nodiscard]] Clock::time_point next_event() const;
  void hear(Json message);
  void lose(const std::string& why);
  void consider_leaving();
  [[nodiscard]] std::string hub() const;

  const Place place_;
  ControlLine line_;
  bool over_ = false;
  std::optional<Clock::time_point> leave_by_;
};

}  // namespace tacho
