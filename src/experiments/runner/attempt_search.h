#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "base/result.h"
#include "experiments/runner/launch.h"

namespace tacho {

// Plans the launches of a machine other than 0, one per attempt of the job. With a rendezvous file
// it finds the attempts that machine 0 begins.
class AttemptSearch {
 public:
  using Say = std::function<void(const std::string&)>;
  // `interrupts` counts Ctrl-C, as for Runner. `say` gets what it waits for.
  AttemptSearch(const DistSpec& dist, const Standing& standing, const std::atomic<int>& interrupts,
                Say say);

  // Waits for machine 0's file as long as ranks wait for each other.
  Result<Launch> next();
  // Returns true once machine 0 has begun another attempt than the one of the last launch.
  [[nodiscard]] bool superseded() const;
  // The attempt of the last launch cannot be joined again: next() waits for another.
  void end_attempt() { ended_ = joined_; }

 private:
  [[nodiscard]] Result<MeetingPoint> wait_for_attempt() const;
  [[nodiscard]] Result<std::string> secret_for(const MeetingPoint& point) const;

  const DistSpec dist_;
  const Standing standing_;
  const std::atomic<int>& interrupts_;
  const Say say_;
  std::string joined_;  // the attempt of the last launch
  std::string ended_;   // no attempt: ""
};

}  // namespace tacho
