#include "machine/env/build_watch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <vector>

#include "base/terminal.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kBetweenTicks{100};
constexpr std::chrono::seconds kToCleanUp{30};
constexpr off_t kTail = 64 << 10;

// Returns the end of a file that may still grow.
std::string tail_of(const fs::path& file) {
  const UniqueFd in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat entry {};
  if (!in || ::fstat(in.get(), &entry) != 0) return "";
  std::string text(static_cast<std::size_t>(std::min(entry.st_size, kTail)), '\0');
  const ssize_t got =
      ::pread(in.get(), text.data(), text.size(), std::max<off_t>(0, entry.st_size - kTail));
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  return text;
}

// Returns the non-empty lines; '\r', which progress bars use, also ends a line.
std::vector<std::string> lines_in(std::string_view output) {
  std::vector<std::string> lines;
  while (!output.empty()) {
    const auto end = std::min(output.find_first_of("\r\n"), output.size());
    std::string_view line = output.substr(0, end);
    while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
    if (!line.empty()) lines.push_back(printable(line));
    output.remove_prefix(std::min(end + 1, output.size()));
  }
  return lines;
}

bool mentions_an_error(const std::string& line) {
  return line.starts_with("E: ") || line.find("rror") != std::string::npos ||
         line.find("FATAL") != std::string::npos;
}

}  // namespace

Error stopped_by_user() { return {ErrorCode::failed, "stopped; nothing was left behind"}; }

std::string complaint_in(std::string_view output) {
  const auto lines = lines_in(output);
  if (lines.empty()) return "it printed nothing";
  const auto found = std::find_if(lines.rbegin(), lines.rend(), mentions_an_error);
  return found == lines.rend() ? lines.back() : *found;
}

Result<void> run_step(std::string_view step, Command command, const fs::path& log,
                      const BuildWatch& watch) {
  if (watch.stopped()) return stopped_by_user();
  watch.begin(step);
  const UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!command.in) command.in = nothing.get();
  command.output_file = log;
  command.own_group = true;  // otherwise Ctrl-C would reach it directly
  command.dies_with_parent = true;
  std::error_code absent;
  fs::remove(log, absent);
  TACHO_TRY(process, Process::start(command));
  std::optional<ExitStatus> status;
  while (!(status = process.wait_for(kBetweenTicks))) {
    const auto lines = lines_in(tail_of(log));
    watch.tick(lines.empty() ? "" : lines.back());
    if (!watch.stopped()) continue;
    process.signal(SIGTERM);
    process.wait_for(kToCleanUp);
    return stopped_by_user();
  }
  if (status->success()) return {};
  return Error{ErrorCode::failed,
               fmt::format("{}: {}: {}", step, command.argv.front(), complaint_in(tail_of(log)))};
}

}  // namespace tacho
