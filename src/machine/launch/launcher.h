#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/subprocess.h"
#include "base/units.h"

namespace tacho {

// The resources of one task. Whole cores are exclusive, with their hyperthreads; tasks that need
// less than one core share it.
struct Resources {
  double cores = 1;
  std::optional<std::int64_t> memory_bytes = {};
  int gpus = 0;
  bool operator==(const Resources&) const = default;
};

struct Task {
  std::string key;       // of the run; unique in the batch
  Command command;       // only argv, environment and folder are used
  Resources needs = {};  // a scheduler gives each task of a batch the largest needs of all
  std::optional<Seconds> time_limit = {};  // SIGTERM then, and SIGKILL a little later
  std::filesystem::path log = {};          // standard output and error are appended
};

enum class TaskState {
  waiting,
  running,
  ended,
  lost,  // its machine or the process that started it is gone: it may be submitted again
};

enum class EndedBy { itself, time_limit, out_of_memory, cancel };

struct TaskUpdate {
  std::string key;
  TaskState state = TaskState::waiting;
  std::optional<ExitStatus> status = {};  // of an ended task, if known
  EndedBy ended_by = EndedBy::itself;
  std::string where = {};   // host name
  std::string reason = {};  // for display: why it waits, how it ended or was lost
  // A waiting task that may never start: its reason is for the user.
  bool is_hindered = false;
};

// Starts, watches and cancels tasks. The results of a task are in its run's folder.
//
// Tasks come in batches. The caller names a batch and stores the name before submit(), which does
// nothing for an existing batch: a tacho process that is killed within submit() loses no task and
// starts none twice. All calls come from one thread, which must not end before the tasks: those on
// this machine end with it.
class Launcher {
 public:
  virtual ~Launcher() = default;

  // Checks whether it can be used here. The error is one sentence with the fix.
  [[nodiscard]] virtual Result<void> check() const = 0;

  // Returns how many tasks with these needs one submit() may contain now; 0: none until others have
  // ended. Returns an error if they would never fit.
  [[nodiscard]] virtual Result<std::size_t> room(const Resources& needs) = 0;

  // Returns true if tasks wait in a queue with those of other users. Then all should be submitted
  // at once, because each submission may wait for hours.
  [[nodiscard]] virtual bool has_shared_queue() const = 0;

  // Submits all tasks or none. The name consists of at most 40 lower-case letters, digits and '-'.
  virtual Result<void> submit(const std::string& batch, std::span<const Task> tasks) = 0;

  // Returns all tasks of the batch in the order of submit(); works from any process. not_found: the
  // batch is unknown, so that tasks that have not ended are lost. After any other error, such as a
  // scheduler that does not answer, call it again.
  virtual Result<std::vector<TaskUpdate>> poll(const std::string& batch) = 0;

  // Requests tasks to end; poll() reports when they have. Does not change tasks that have ended.
  virtual Result<void> cancel(const std::string& batch, std::span<const std::string> keys) = 0;
  virtual Result<void> cancel_all(const std::string& batch) = 0;

  // Removes a batch whose tasks have ended or are lost, also from the scheduler.
  virtual Result<void> forget(const std::string& batch) = 0;

  // Waits until there may be updates, at most for `time`. Time limits work only if poll() or wait()
  // is called continuously.
  virtual void wait(std::chrono::milliseconds time) = 0;
};

}  // namespace tacho
