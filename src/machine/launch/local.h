#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "machine/launch/launcher.h"
#include "machine/launch/limited_process.h"
#include "machine/launch/local_slots.h"

namespace tacho {

// Runs tasks on this machine, each pinned to its own cores and with its own GPUs. Tasks without a
// slot wait, first come, first served. Tasks end with the process that started them; another
// process does not know their batch and may submit it again.
//
// Very short tasks are accepted before a slot is free, as many as run in 0.1 s: otherwise slots
// would be idle while the caller stores the next tasks.
class LocalLauncher final : public Launcher {
 public:
  LocalLauncher(LocalMachine machine, std::optional<int> at_once,
                std::chrono::milliseconds grace = LimitedProcess::kGrace);

  [[nodiscard]] Result<void> check() const override { return {}; }
  [[nodiscard]] Result<std::size_t> room(const Resources& needs) override;
  [[nodiscard]] bool has_shared_queue() const override { return false; }
  Result<void> submit(const std::string& batch, std::span<const Task> tasks) override;
  Result<std::vector<TaskUpdate>> poll(const std::string& batch) override;
  Result<void> cancel(const std::string& batch, std::span<const std::string> keys) override;
  Result<void> cancel_all(const std::string& batch) override;
  Result<void> forget(const std::string& batch) override;
  void wait(std::chrono::milliseconds time) override;

 private:
  struct Running {
    std::string batch;
    std::size_t index;
    Slot slot;
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
  [[nodiscard]] std::size_t free_slots(const Resources& needs) const;
  [[nodiscard]] std::size_t ahead() const;
  void look();
  void start_waiting();
  void start(Waiting waiting, const Slot& slot);
  void end(TaskUpdate& update, std::optional<ExitStatus> status, EndedBy ended_by);
  template <class Matches>
  Result<void> cancel_where(const std::string& batch, const Matches& matches);

  LocalSlots slots_;
  std::optional<int> at_once_;
  std::chrono::milliseconds grace_;
  std::string host_;
  std::map<std::string, std::vector<TaskUpdate>> batches_;
  std::deque<Waiting> waiting_;
  std::vector<Running> running_;
  // Moving average over the last tasks; absent after a failure, because the next tasks may depend
  // on it.
  std::optional<Seconds> usual_time_;
};

}  // namespace tacho
