#include "launch/take_task.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdlib>

#include "launch/batch_folder.h"
#include "launch/memory_kills.h"

namespace tacho {
namespace {

using Clock = LimitedProcess::Clock;

constexpr std::chrono::milliseconds kBetweenLooks{1000};

// Keeps SIGTERM and SIGINT from ending this process, and tells of them.
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
    while (came()) {  // or they would end this process now
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  [[nodiscard]] int handle() const { return fd_.get(); }
  [[nodiscard]] bool came() const {
    signalfd_siginfo told{};
    return ::read(fd_.get(), &told, sizeof told) == sizeof told;
  }

 private:
  UniqueFd fd_;
  sigset_t before_{};
};

void wait_for_either(int process, int signals, Clock::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
  const auto time = std::clamp(left, std::chrono::milliseconds(0), kBetweenLooks);
  std::array<pollfd, 2> events{pollfd{process, POLLIN, 0}, pollfd{signals, POLLIN, 0}};
  ::poll(events.data(), events.size(), static_cast<int>(time.count()));
}

int code_of(const TaskStatus& status) {
  if (!status.status) return 128 + SIGTERM;
  return status.status->signal == 0 ? status.status->code : 128 + status.status->signal;
}

// Whoever holds the lock either ends the task or dies: in both cases it comes free.
Result<std::optional<FileLock>> lock_of(const BatchFolder& batch, std::size_t index,
                                        const Signals& signals) {
  while (true) {
    auto lock = batch.lock(index);
    if (lock.ok()) return std::optional<FileLock>(*std::move(lock));
    if (lock.error().code != ErrorCode::unavailable) return lock.error();
    wait_for_either(-1, signals.handle(), Clock::time_point::max());
    if (signals.came()) return std::optional<FileLock>();
  }
}

struct Course {
  TaskStatus status;
  bool interrupted = false;  // by someone who had not cancelled it here
};

Course run(const BatchFolder& batch, std::size_t index, const Task& task, const Signals& signals,
           std::chrono::milliseconds grace) {
  Course course{.status = {.where = host_name()}};
  const std::int64_t killed_before = memory_kills();
  auto process = LimitedProcess::start(task, {}, {}, grace);
  if (!process.ok()) {
    course.status.status = ExitStatus{kCannotStart, 0};
    course.status.reason = process.error().message;
    return course;
  }
  bool told_to_end = false;
  while (!course.status.status) {
    wait_for_either(process->handle(), signals.handle(), process->due());
    if (signals.came()) {
      told_to_end = true;
      process->ask_to_end(EndedBy::cancel);
    }
    course.status.status = process->look();
  }
  // Slurm signals both at once, and the program may be the first to hear it.
  if (!told_to_end && course.status.status->signal == SIGTERM) {
    wait_for_either(-1, signals.handle(), Clock::now() + kBetweenLooks);
  }
  told_to_end = told_to_end || signals.came();
  const bool is_cancelled = batch.is_cancelled(index);
  course.interrupted = told_to_end && !is_cancelled;
  course.status.ended_by = process->ended_by();
  if (course.status.ended_by == EndedBy::itself && !course.status.status->success() &&
      (told_to_end || is_cancelled)) {
    course.status.ended_by = EndedBy::cancel;
  }
  if (course.status.status->signal == SIGKILL && course.status.ended_by == EndedBy::itself &&
      memory_kills() > killed_before) {
    course.status.ended_by = EndedBy::out_of_memory;
  }
  course.status.reason = explain(course.status.status, course.status.ended_by);
  return course;
}

std::optional<std::size_t> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::string_view digits(text);
  std::size_t number = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (problem != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

}  // namespace

Result<Taken> take_task(const std::filesystem::path& folder, std::size_t index,
                        std::chrono::milliseconds grace) {
  const BatchFolder batch(folder);
  const Signals signals;
  TACHO_TRY(task, batch.task(index));
  TACHO_TRY(lock, lock_of(batch, index, signals));
  if (!lock) return Taken{.code = 128 + SIGTERM};

  TACHO_TRY(before, batch.status(index));
  if (before) return Taken{code_of(*before), true};
  if (batch.is_cancelled(index)) {
    const TaskStatus never{.ended_by = EndedBy::cancel,
                           .where = host_name(),
                           .reason = "was cancelled before it began"};
    TACHO_CHECK(batch.set_status(index, never));
    return Taken{code_of(never), true};
  }
  const Course course = run(batch, index, task, signals, grace);
  const bool is_settled = !course.interrupted || course.status.status->success();
  if (is_settled) TACHO_CHECK(batch.set_status(index, course.status));
  return Taken{code_of(course.status), is_settled};
}

Result<TaskNumber> task_number_from_environment() {
  if (const auto index = number_in("SLURM_ARRAY_TASK_ID")) return TaskNumber{*index, false};
  if (const auto index = number_in("JOB_COMPLETION_INDEX")) return TaskNumber{*index, true};
  return Error{ErrorCode::usage,
               "neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX says which task to take; this "
               "is for a scheduler to call"};
}

}  // namespace tacho
