#pragma once

#include <chrono>
#include <optional>

#include "base/result.h"
#include "base/subprocess.h"
#include "launch/launcher.h"

namespace tacho {

// A task's process on this machine: asked to end when its time is over, killed when it does not
// listen, with whatever it has started.
class LimitedProcess {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kGrace{10};  // between SIGTERM and SIGKILL

  // `cpus` and the variables of `extra` are added to the task's own.
  static Result<LimitedProcess> start(const Task& task, std::vector<int> cpus = {},
                                      const std::map<std::string, std::string>& extra = {},
                                      std::chrono::milliseconds grace = kGrace);

  // Sends what is due, and returns how it ended once it has.
  std::optional<ExitStatus> look(Clock::time_point now = Clock::now());
  // The first reason counts.
  void ask_to_end(EndedBy reason, Clock::time_point now = Clock::now());
  [[nodiscard]] EndedBy ended_by() const { return ended_by_; }
  [[nodiscard]] int handle() const { return process_.handle(); }
  // When look() will have something to send; never: the clock's last moment.
  [[nodiscard]] Clock::time_point due() const { return due_; }

 private:
  LimitedProcess(Process process, Clock::time_point due, std::chrono::milliseconds grace)
      : process_(std::move(process)), due_(due), grace_(grace) {}

  Process process_;
  Clock::time_point due_;
  std::chrono::milliseconds grace_;
  bool asked_ = false;
  EndedBy ended_by_ = EndedBy::itself;
};

}  // namespace tacho
