#include "experiments/runner/run_state.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <system_error>

#include "base/confined_file.h"
#include "core/emit/json_lines_sink.h"
#include "core/record/event_log.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

// Reads the resource usage. A damaged file counts as empty, so that the run is not lost.
UsageLog usage_of(const RunFolder& folder) {
  const auto text = read_confined(folder.path(), folder.usage());
  if (!text.ok()) return {};
  auto log = usage_from_text(*text);
  return log.ok() ? *std::move(log) : UsageLog{};
}

bool is_start(const Event& event) { return std::holds_alternative<RunStarted>(event.body); }
bool is_entry(const Event& event) { return std::holds_alternative<EnvironmentFacts>(event.body); }
bool is_end(const Event& event) { return std::holds_alternative<RunEnded>(event.body); }

// Returns true if the last attempt has an end. An EnvironmentExited event may follow it.
bool has_end(const std::vector<Event>& events) {
  const auto last = std::find_if(events.rbegin(), events.rend(), [](const Event& event) {
    return is_end(event) || is_start(event) || is_entry(event);
  });
  return last != events.rend() && is_end(*last);
}

// Makes an end at the time of the last event; the wall time follows from that.
Event end_of(const std::vector<Event>& events, const RunOrder& order, Outcome outcome,
             const std::string& reason) {
  const auto start = std::find_if(events.rbegin(), events.rend(), [](const Event& event) {
    return is_start(event) || is_entry(event);
  });
  const double last = events.empty() ? order.created_at : events.back().unix_seconds;
  RunEnded ended;
  ended.outcome = outcome;
  ended.reason = reason;
  ended.wall_seconds = start == events.rend() ? 0 : last - start->unix_seconds;
  return {last, ended};
}

fs::path owner_file(const RunFolder& folder) { return folder.path() / "owner"; }

std::optional<int> number_at_start(std::string_view text) {
  int number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc() ? std::optional(number) : std::nullopt;
}

// True if the process has `file` open and took the shared lock on it itself. A process that only
// reads or inherited the file does not count, nor does a lock on the same file under another name.
bool holds_lock(int pid, const fs::path& file) {
  const fs::path process = fmt::format("/proc/{}", pid);
  std::error_code hidden;  // a process of another user
  for (fs::directory_iterator fd(process / "fd", hidden), none; !hidden && fd != none;
       fd.increment(hidden)) {
    std::error_code closed;
    if (fs::read_symlink(fd->path(), closed) != file || closed) continue;
    // "lock:	1: FLOCK  ADVISORY  READ 4711 00:2e:123 0 EOF"
    constexpr std::string_view kReadLock = "READ ";
    const auto facts = read_file(process / "fdinfo" / fd->path().filename(), Bytes{1 << 16});
    const std::size_t at = facts.ok() ? facts->find(kReadLock) : std::string::npos;
    if (at == std::string::npos) continue;
    if (number_at_start(std::string_view(*facts).substr(at + kReadLock.size())) == pid) return true;
  }
  return false;
}

}  // namespace

Result<FileLock> own_run(const RunFolder& folder) {
  TACHO_TRY(lock, FileLock::take(folder.lock(), FileLock::Kind::shared));
  TACHO_CHECK(
      write_file_atomically(owner_file(folder), fmt::format("{}\n", ::getpid()), Outlives::kill));
  return std::move(lock);
}

std::optional<int> owner_of(const RunFolder& folder) {
  const auto text = read_confined(folder.path(), owner_file(folder), Bytes{64});
  const auto pid = text.ok() ? number_at_start(*text) : std::nullopt;
  std::error_code failure;
  const fs::path lock = fs::canonical(folder.path(), failure) / folder.lock().filename();
  if (!pid || *pid <= 1 || failure || !open_confined(folder.path(), folder.lock()).ok()) return {};
  return holds_lock(*pid, lock) ? pid : std::nullopt;
}

bool ask_owner_to_stop(const RunFolder& folder) {
  const auto owner = owner_of(folder);
  if (!owner) return false;
  // Opens the pidfd before the second check, so that a process that reused the number is not
  // signalled.
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, *owner, 0)));
  if (!process || owner_of(folder) != owner) return false;
  return ::syscall(SYS_pidfd_send_signal, process.get(), SIGINT, nullptr, 0) == 0;
}

bool is_being_worked_on(const RunFolder& folder) {
  std::error_code unreadable;
  if (!std::filesystem::exists(folder.lock(), unreadable)) return false;
  const auto lock = FileLock::take(folder.lock(), FileLock::Kind::exclusive);
  return !lock.ok() && lock.error().code == ErrorCode::unavailable;
}

Result<RunRecord> close_run(const RunFolder& folder, Outcome outcome, const std::string& reason) {
  TACHO_TRY(order, folder.read_order());
  TACHO_TRY(events, read_events(folder.events()));
  if (!has_end(events)) {
    events.push_back(end_of(events, order, outcome, reason));
    if (auto sink = JsonLinesSink::open(folder.events()); sink.ok()) {
      (void)(*sink)->write(events.back()).ok();
    }
  }
  return fold(std::move(order), events, usage_of(folder));
}

Result<RunRecord> read_run(const RunFolder& folder) {
  // Locked until the "end" is written, so that only one of several readers writes it.
  const auto lock = FileLock::take(folder.lock(), FileLock::Kind::exclusive);
  if (lock.ok() || lock.error().code != ErrorCode::unavailable) {
    return close_run(folder, Outcome::failed, "killed, or the machine went down");
  }
  return inspect_run(folder);
}

Result<RunRecord> inspect_run(const RunFolder& folder) {
  TACHO_TRY(order, folder.read_order());
  TACHO_TRY(events, read_events(folder.events()));
  return fold(std::move(order), events, usage_of(folder));
}

}  // namespace tacho
