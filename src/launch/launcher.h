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

// What one task is given. Whole cores are its own, with their hyperthreads; tasks that ask for
// less than one share it.
struct Resources {
  double cores = 1;
  std::optional<std::int64_t> memory_bytes = {};
  int gpus = 0;
  bool operator==(const Resources&) const = default;
};

struct Task {
  std::string key;       // the run's; no other task of the batch has it
  Command command;       // argv, environment and folder; nothing else travels
  Resources needs = {};  // a scheduler gives each of a batch what the largest needs
  std::optional<Seconds> time_limit = {};  // SIGTERM then, and SIGKILL a little later
  std::filesystem::path log = {};          // its standard output and error, appended
};

enum class TaskState {
  waiting,
  running,
  ended,
  lost,  // its machine is gone, or who started it: nobody works on it, it may be submitted again
};

enum class EndedBy { itself, time_limit, out_of_memory, cancel };

struct TaskNews {
  std::string key;
  TaskState state = TaskState::waiting;
  std::optional<ExitStatus> status = {};  // of one that ended, where it is known
  EndedBy ended_by = EndedBy::itself;
  std::string where = {};   // the machine
  std::string reason = {};  // for people: why it waits, how it ended, how it was lost
};

// Starts, watches and cancels; what a task did comes back through its run's folder.
//
// Tasks come in batches. A batch is known by the name that its caller gave it, and had written down
// before: a tacho that is killed within submit() loses none and starts none twice, as submit() of
// a batch that is there does nothing. All calls come from one thread, which stays: tasks started
// on this machine end with it.
class Launcher {
 public:
  virtual ~Launcher() = default;

  // Whether it could be used here. One sentence with the fix.
  [[nodiscard]] virtual Result<void> check() const = 0;

  // How many tasks of such needs one submit() may hold now; 0: none before others have ended. An
  // error says that they would never fit.
  [[nodiscard]] virtual Result<std::size_t> room(const Resources& needs) = 0;

  // Whether tasks wait in a queue with those of other users. Then all are best submitted at once:
  // each turn in the queue may take hours.
  [[nodiscard]] virtual bool has_shared_queue() const = 0;

  // All of them or none. The name is of small letters, digits and '-', 40 at the most.
  virtual Result<void> submit(const std::string& batch, std::span<const Task> tasks) = 0;

  // Every task of the batch, in the order of submit(), from whichever process. not_found: nothing
  // is known of it, so that what has not ended is lost. Any other error is no news: the scheduler
  // does not answer, ask again.
  virtual Result<std::vector<TaskNews>> poll(const std::string& batch) = 0;

  // Asks tasks to end; poll() tells when they have. Those that had ended stay as they are.
  virtual Result<void> cancel(const std::string& batch, std::span<const std::string> keys) = 0;
  virtual Result<void> cancel_all(const std::string& batch) = 0;

  // Removes all traces of a batch, from the scheduler too. Its tasks have ended or are lost.
  virtual Result<void> forget(const std::string& batch) = 0;

  // Until there may be news, at the longest for `time`. Time limits count on poll() or this to be
  // called all the while.
  virtual void wait(std::chrono::milliseconds time) = 0;
};

}  // namespace tacho
