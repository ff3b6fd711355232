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

// A program and its arguments, executed without a shell.
struct Command {
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment = {};    // added to that of this process
  std::optional<std::filesystem::path> output_file = {};  // standard output and error appended
  // Descriptors that become standard input, output and error; they take precedence over
  // output_file.
  std::optional<int> in = {};
  std::optional<int> out = {};
  std::optional<int> err = {};
  std::optional<std::filesystem::path> folder = {};  // to start in
  // Starts a new process group, so that Ctrl-C reaches only the parent, which then decides how to
  // stop the child.
  bool own_group = false;
  // Sends SIGTERM to the child when the starting thread ends, also by kill -9. Start it from a
  // thread that outlives it.
  bool dies_with_parent = false;
  // Descriptors that the program inherits, with the same numbers, despite close-on-exec.
  std::vector<int> inherited = {};
  // The cgroup.procs files of the groups in which the program starts.
  std::vector<std::filesystem::path> cgroups = {};
  // Starts with vfork: fast however much memory this process uses, but the peak memory reported for
  // the program is then at least that of this process.
  bool borrows_memory = false;
  // The processors it may use; empty: all that this process may use.
  std::vector<int> cpus = {};
};

// Returns the file that starting `name` would execute: `name` if it contains a slash, else the
// first match in $PATH.
Result<std::filesystem::path> find_program(const std::string& name);

struct ExitStatus {
  int code = 0;    // valid if signal is 0
  int signal = 0;  // the signal that ended the process
  [[nodiscard]] bool success() const { return code == 0 && signal == 0; }
};
std::string describe(ExitStatus status);  // "exit code 3", "killed by signal 9 (Killed)"

// Resources used by a child and the children it waited for. The peak is that of the largest of
// them, or of this process if it was larger at the fork: exec does not reset the counter.
struct ChildUsage {
  Seconds user{};
  Seconds system{};
  Bytes peak_memory;
  std::int64_t minor_faults = 0;
  std::int64_t major_faults = 0;
  std::int64_t voluntary_switches = 0;
  std::int64_t involuntary_switches = 0;
  Bytes storage_read;  // in whole blocks of 512 bytes
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
  // Returns a descriptor for poll() that is readable once the process has ended.
  [[nodiscard]] int handle() const { return handle_.get(); }
  // Signals the whole process group if the child has its own.
  void signal(int number) const;
  ExitStatus wait();
  // Returns nothing if it still runs after `time`.
  std::optional<ExitStatus> wait_for(std::chrono::milliseconds time);
  // Returns true if it ends within `time`. Does not reap it, so that its entry in /proc keeps its
  // counters.
  [[nodiscard]] bool ends_within(std::chrono::milliseconds time) const;
  // Both are set once it was waited for.
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
// Runs a program to its end and returns its output. Kills it after `limit` and returns
// ErrorCode::failed; output beyond `most` of either stream is dropped.
Result<Captured> capture(const Command& command, std::chrono::milliseconds limit,
                         Bytes most = Bytes{16 << 20});

}  // namespace tacho
