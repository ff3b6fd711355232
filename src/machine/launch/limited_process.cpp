#include "machine/launch/limited_process.h"

#include <csignal>

namespace tacho {
namespace {

constexpr auto kNever = LimitedProcess::Clock::time_point::max();
// Longer limits would overflow the nanoseconds of the clock.
constexpr Seconds kLongestLimit{86400.0 * 365 * 50};

LimitedProcess::Clock::time_point deadline(const Task& task) {
  if (!task.time_limit || *task.time_limit > kLongestLimit) return kNever;
  return LimitedProcess::Clock::now() +
         std::chrono::duration_cast<LimitedProcess::Clock::duration>(*task.time_limit);
}

}  // namespace

Result<LimitedProcess> LimitedProcess::start(const Task& task, std::vector<int> cpus,
                                             const std::map<std::string, std::string>& extra,
                                             std::chrono::milliseconds grace) {
  Command command = task.command;
  command.output_file = task.log.empty() ? "/dev/null" : task.log;
  command.own_group = true;
  command.dies_with_parent = true;
  command.borrows_memory = true;  // the peak memory of the process is not used here
  command.cpus = std::move(cpus);
  command.environment.insert(extra.begin(), extra.end());
  TACHO_TRY(process, Process::start(command));
  return LimitedProcess(std::move(process), deadline(task), grace);
}

void LimitedProcess::request_end(EndedBy reason, Clock::time_point now) {
  if (asked_) return;
  asked_ = true;
  ended_by_ = reason;
  due_ = now + grace_;
  process_.signal(SIGTERM);
}

std::optional<ExitStatus> LimitedProcess::look(Clock::time_point now) {
  if (process_.ends_within(std::chrono::milliseconds(0))) {
    // Kills what it left running, which would disturb the next task; its status is already fixed.
    process_.signal(SIGKILL);
    return process_.wait();
  }
  if (now < due_) return std::nullopt;
  if (asked_) {
    process_.signal(SIGKILL);
    due_ = kNever;
  } else {
    request_end(EndedBy::time_limit, now);
  }
  return std::nullopt;
}

}  // namespace tacho
