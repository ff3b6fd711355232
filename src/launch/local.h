#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "launch/launcher.h"
#include "launch/limited_process.h"
#include "launch/local_seats.h"

namespace tacho {

// On this machine: each task on cores of its own, which it keeps to, and with GPUs of its own. What
// has no seat waits, first come first served. Tasks end with the process that started them; another
// knows nothing of their batch, and may submit it again.
//
// Tasks that are over in a moment are taken ahead of a free seat, as many as a moment holds: else
// seats would stand empty while whoever submits writes down the next.
class LocalLauncher final : public Launcher {
 public:
  LocalLauncher(LocalMachine machine, std::optional<int> at_once,
                std::chrono::milliseconds grace = LimitedProcess::kGrace);

  [[nodiscard]] Result<void> check() const override { return {}; }
  [[nodiscard]] Result<std::size_t> room(const Resources& needs) override;
  [[nodiscard]] bool has_shared_queue() const override { return false; }
  Result<void> submit(const std::string& batch, std::span<const Task> tasks) override;
  Result<std::vector<TaskNews>> poll(const std::string& batch) override;
  Result<void> cancel(const std::string& batch, std::span<const std::string> keys) override;
  Result<void> cancel_all(const std::string& batch) override;
  Result<void> forget(const std::string& batch) override;
  void wait(std::chrono::milliseconds time) override;

 private:
  struct Running {
    std::string batch;
    std::size_t index;
    Seat seat;
    LimitedProcess::Clock::time_point began;
    LimitedProcess process;
  };
  struct Waiting {
    std::string batch;
    std::size_t index;
    Task task;
  };
  [[nodiscard]] bool is_full() const {
    return at_once_ && running_.size() >= static_cast<std::size_t>(*at_once_);
  }
  [[nodiscard]] std::size_t free_seats(const Resources& needs) const;
  [[nodiscard]] std::size_t ahead() const;
  void look();
  void start_waiting();
  void start(Waiting waiting, const Seat& seat);
  void end(TaskNews& news, std::optional<ExitStatus> status, EndedBy ended_by);
  template <class Matches>
  Result<void> cancel_where(const std::string& batch, const Matches& matches);

  LocalSeats seats_;
  std::optional<int> at_once_;
  std::chrono::milliseconds grace_;
  std::string host_;
  std::map<std::string, std::vector<TaskNews>> batches_;
  std::deque<Waiting> waiting_;
  std::vector<Running> running_;
  // Of the last tasks, drawn towards the newest; none once one has not succeeded: what follows may
  // then depend on it.
  std::optional<Seconds> usual_time_;
};

}  // namespace tacho
