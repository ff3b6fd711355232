#include "machine/launch/take_task.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>

#include "base/parse_number.h"
#include "machine/launch/batch_folder.h"
#include "machine/launch/memory_kills.h"

namespace tacho {
namespace {

using Clock = LimitedProcess::Clock;

constexpr std::chrono::milliseconds kLongestWait{1000};

// Blocks SIGTERM and SIGINT and reports them instead.
class Signals {
 public:
  Signals() {
    sigset_t asked;
    sigemptyset(&asked);
    sigaddset(&asked, SIGTERM);
    sigaddset(&asked, SIGINT);
    ::pthread_sigmask(SIG_BLOCK, &asked, &before_);
    fd_ = UniqueFd(::signalfd(-1, &asked, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  ~Signals() {
    while (received()) {  // otherwise they would end this process now
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  [[nodiscard]] int handle() const { return fd_.get(); }
  [[nodiscard]] bool received() const {
    signalfd_siginfo info{};
    return ::read(fd_.get(), &info, sizeof info) == sizeof info;
  }

 private:
  UniqueFd fd_;
  sigset_t before_{};
};

void wait_for_either(int process, int signals, Clock::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
  const auto time = std::clamp(left, std::chrono::milliseconds(0), kLongestWait);
  std::array<pollfd, 2> events{pollfd{process, POLLIN, 0}, pollfd{signals, POLLIN, 0}};
  ::poll(events.data(), events.size(), static_cast<int>(time.count()));
}

int code_of(const TaskStatus& status) {
  if (!status.status) return 128 + SIGTERM;
  return status.status->signal == 0 ? status.status->code : 128 + status.status->signal;
}

// Waits for the lock; its holder finishes the task or dies, and both release it.
Result<std::optional<FileLock>> lock_of(const BatchFolder& batch, std::size_t index,
                                        const Signals& signals) {
  while (true) {
    auto lock = batch.lock(index);
    if (lock.ok()) return std::optional<FileLock>(*std::move(lock));
    if (lock.error().code != ErrorCode::unavailable) return lock.error();
    wait_for_either(-1, signals.handle(), Clock::time_point::max());
    if (signals.received()) return std::optional<FileLock>();
  }
}

struct TaskRun {
  TaskStatus status;
  bool interrupted = false;  // by the scheduler, not cancelled in the folder
};

TaskRun run(const BatchFolder& batch, std::size_t index, const Task& task, const Signals& signals,
            std::chrono::milliseconds grace) {
  TaskRun result{.status = {.where = host_name()}};
  const std::int64_t killed_before = memory_kills();
  auto process = LimitedProcess::start(task, {}, {}, grace);
  if (!process.ok()) {
    result.status.status = ExitStatus{kCannotStart, 0};
    result.status.reason = process.error().message;
    return result;
  }
  bool end_requested = false;
  while (!result.status.status) {
    wait_for_either(process->handle(), signals.handle(), process->due());
    if (signals.received()) {
      end_requested = true;
      process->request_end(EndedBy::cancel);
    }
    result.status.status = process->look();
  }
  // Slurm signals both at once, and the program may get it first.
  if (!end_requested && result.status.status->signal == SIGTERM) {
    wait_for_either(-1, signals.handle(), Clock::now() + kLongestWait);
  }
  end_requested = end_requested || signals.received();
  const bool is_cancelled = batch.is_cancelled(index);
  result.interrupted = end_requested && !is_cancelled;
  result.status.ended_by = process->ended_by();
  if (result.status.ended_by == EndedBy::itself && !result.status.status->success() &&
      (end_requested || is_cancelled)) {
    result.status.ended_by = EndedBy::cancel;
  }
  // The killed process may be a child of the task's program, which then fails.
  if (!result.status.status->success() && result.status.ended_by == EndedBy::itself &&
      memory_kills() > killed_before) {
    result.status.ended_by = EndedBy::out_of_memory;
  }
  result.status.reason = explain(result.status.status, result.status.ended_by);
  return result;
}

// Runs a task whose lock is taken. Returns how it ended before, if it did.
Result<Taken> carry_out(const BatchFolder& batch, std::size_t index, const Signals& signals,
                        std::chrono::milliseconds grace) {
  TACHO_TRY(before, batch.status(index));
  if (before) return Taken{code_of(*before), true};
  if (batch.is_cancelled(index)) {
    const TaskStatus never{.ended_by = EndedBy::cancel,
                           .where = host_name(),
                           .reason = "was cancelled before it started"};
    TACHO_CHECK(batch.set_status(index, never));
    return Taken{code_of(never), true};
  }
  TACHO_TRY(task, batch.task(index));
  const TaskRun result = run(batch, index, task, signals, grace);
  const bool is_settled = !result.interrupted || result.status.status->success();
  if (is_settled) TACHO_CHECK(batch.set_status(index, result.status));
  return Taken{code_of(result.status), is_settled};
}

std::optional<std::size_t> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? std::nullopt : parse_number<std::size_t>(text);
}

}  // namespace

Result<Taken> take_task(const std::filesystem::path& folder, std::size_t index,
                        std::chrono::milliseconds grace) {
  const BatchFolder batch(folder);
  const Signals signals;
  TACHO_CHECK(batch.task(index));
  TACHO_TRY(lock, lock_of(batch, index, signals));
  if (!lock) return Taken{.code = 128 + SIGTERM};
  return carry_out(batch, index, signals, grace);
}

Result<Taken> take_any_task(const std::filesystem::path& folder, std::chrono::milliseconds grace) {
  const BatchFolder batch(folder);
  const Signals signals;
  TACHO_TRY(keys, batch.keys());
  while (true) {
    bool all_ended = true;
    for (std::size_t index = 0; index < keys.size(); ++index) {
      TACHO_TRY(ended, batch.status(index));
      if (ended) continue;
      all_ended = false;
      auto lock = batch.lock(index);
      if (!lock.ok() && lock.error().code == ErrorCode::unavailable) continue;
      if (!lock.ok()) return lock.error();
      TACHO_TRY(ended_meanwhile, batch.status(index));
      if (ended_meanwhile) continue;
      TACHO_CHECK(batch.set_taker(index, host_name()));
      return carry_out(batch, index, signals, grace);
    }
    if (all_ended) return Taken{.code = 0, .is_settled = true};
    wait_for_either(-1, signals.handle(), Clock::time_point::max());
    if (signals.received()) return Taken{.code = 128 + SIGTERM};
  }
}

Result<TaskNumber> task_number_from_environment() {
  if (const auto index = number_in("SLURM_ARRAY_TASK_ID")) return TaskNumber{*index, false};
  if (const auto index = number_in("JOB_COMPLETION_INDEX")) return TaskNumber{*index, true};
  return Error{ErrorCode::usage,
               "neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set; this command is "
               "started by a scheduler"};
}

}  // namespace tacho
