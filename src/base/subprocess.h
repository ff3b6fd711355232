#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "base/units.h"

namespace tacho {

// A program and its arguments, handed to the system as they are: no shell reads them.
struct Command {
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment = {};    // added to this process's own
  std::optional<std::filesystem::path> output_file = {};  // standard output and error appended
  // Descriptors that become standard input, output and error; instead of a file, if they are there.
  std::optional<int> in = {};
  std::optional<int> out = {};
  std::optional<int> err = {};
  std::optional<std::filesystem::path> folder = {};  // to start in
  // Away from the terminal's process group, so that Ctrl-C reaches the parent alone, which then
  // decides how to stop the child.
  bool own_group = false;
  // SIGTERM when the starting thread ends, also by kill -9. Start from a thread that stays.
  bool dies_with_parent = false;
  // Descriptors the program keeps, under the same numbers, though they are to close on exec.
  std::vector<int> inherited = {};
  // The cgroup.procs of groups the program starts in.
  std::vector<std::filesystem::path> cgroups = {};
  // Started at once, however much memory this process holds; what is then told of the program's
  // peak memory is at least this process's own.
  bool borrows_memory = false;
  // The processors it is kept to, of those this process may use; empty: all of them.
  std::vector<int> cpus = {};
};

// The file that starting `name` would run: itself if it names a folder, else the first of $PATH.
Result<std::filesystem::path> find_program(const std::string& name);

struct ExitStatus {
  int code = 0;    // valid if signal is 0
  int signal = 0;  // the signal that ended the process
  [[nodiscard]] bool success() const { return code == 0 && signal == 0; }
};
std::string describe(ExitStatus status);  // "exit code 3", "killed by signal 9 (Killed)"

// What a child has used, and the children it waited for. The peak is that of the largest of them,
// and of this process if that was larger when it forked: the system counts on through exec.
struct ChildUsage {
  Seconds user{};
  Seconds system{};
  Bytes peak_memory;
  std::int64_t minor_faults = 0;
  std::int64_t major_faults = 0;
  std::int64_t voluntary_switches = 0;
  std::int64_t involuntary_switches = 0;
  Bytes storage_read;  // to the disk's block
  Bytes storage_written;
};

// A child process. Destroying it while it runs kills it and its group, and waits.
class Process {
 public:
  static Result<Process> start(const Command& command);
  Process(Process&& other) noexcept;
  Process& operator=(Process&&) = delete;
  ~Process();

  [[nodiscard]] pid_t pid() const { return pid_; }
  // For poll() on several: readable once the process has ended.
  [[nodiscard]] int handle() const { return handle_.get(); }
  // To the whole group if it has its own.
  void signal(int number) const;
  ExitStatus wait();
  // Nothing if it still runs after `time`.
  std::optional<ExitStatus> wait_for(std::chrono::milliseconds time);
  // Whether it ends within `time`. It is left to be waited for, so that until then its entry in
  // /proc still has its counters.
  [[nodiscard]] bool ends_within(std::chrono::milliseconds time) const;
  // Both once it was waited for.
  [[nodiscard]] const std::optional<ExitStatus>& status() const { return status_; }
  [[nodiscard]] const std::optional<ChildUsage>& usage() const { return usage_; }

 private:
  Process(pid_t pid, UniqueFd handle, bool own_group)
      : pid_(pid), handle_(std::move(handle)), own_group_(own_group) {}
  void reap(int options);

  pid_t pid_ = -1;
  UniqueFd handle_;  // a pidfd
  bool own_group_ = false;
  std::optional<ExitStatus> status_;
  std::optional<ChildUsage> usage_;
};

struct Captured {
  ExitStatus status;
  std::string out;
  std::string err;
};
// Runs to the end, or until this process ends, and returns what was printed. Past `limit` the
// program is killed and ErrorCode::failed says so; output beyond `most` of either stream is
// dropped.
Result<Captured> capture(const Command& command, std::chrono::milliseconds limit,
                         Bytes most = Bytes{16 << 20});

}  // namespace tacho
