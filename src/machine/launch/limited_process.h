#pragma once

#include <chrono>
#include <optional>

#include "base/result.h"
#include "base/subprocess.h"
#include "machine/launch/launcher.h"

namespace tacho {

// The process of a task on this machine: gets SIGTERM at its time limit, and is killed with its
// children if it does not end.
class LimitedProcess {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kGrace{10};  // between SIGTERM and SIGKILL

  // `cpus` and the variables of `extra` are added to those of the task.
  static Result<LimitedProcess> start(const Task& task, std::vector<int> cpus = {},
                                      const std::map<std::string, std::string>& extra = {},
                                      std::chrono::milliseconds grace = kGrace);

  // Sends signals that are due; returns the exit status once it has ended.
  std::optional<ExitStatus> look(Clock::time_point now = Clock::now());
  // Sends SIGTERM. The first reason counts.
  void request_end(EndedBy reason, Clock::time_point now = Clock::now());
  [[nodiscard]] EndedBy ended_by() const { return ended_by_; }
  [[nodiscard]] int handle() const { return process_.handle(); }
  // The time at which look() has to send a signal; time_point::max() if never.
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
