#include "machine/env/entry_log.h"

#include <unistd.h>

#include <cmath>
#include <map>
#include <string>

#include "base/confined_file.h"
#include "base/home.h"
#include "base/parse_number.h"

namespace tacho {
namespace {

std::optional<double> number_in(std::string_view word) {
  const auto number = parse_number<double>(word);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::string_view next_word(std::string_view& line) {
  const auto end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

// Parses "name number name number …"; returns nothing for any other text.
std::map<std::string_view, double> figures_in(std::string_view line) {
  std::map<std::string_view, double> figures;
  while (!line.empty()) {
    const std::string_view name = next_word(line);
    const auto number = number_in(next_word(line));
    if (!number || std::abs(*number) > 1e15) return {};
    figures[name] = *number;
  }
  return figures;
}

std::optional<EntryLog::End> end_in(std::string_view line) {
  const auto figures = figures_in(line);
  const auto of = [&figures](std::string_view name) {
    const auto found = figures.find(name);
    return found == figures.end() ? 0 : found->second;
  };
  const auto whole = [&of](std::string_view name) { return static_cast<std::int64_t>(of(name)); };
  if (!figures.contains("ended") || !figures.contains("oom_kills")) return {};
  EntryLog::End end;
  end.at = of("ended");
  end.status = {static_cast<int>(whole("code") & 0xFF), static_cast<int>(whole("signal") & 0x7F)};
  end.usage = {.user = Seconds(of("user")),
               .system = Seconds(of("system")),
               .peak_memory = Bytes{whole("peak_kib") * 1024},
               .minor_faults = whole("minor"),
               .major_faults = whole("major"),
               .voluntary_switches = whole("voluntary"),
               .involuntary_switches = whole("involuntary"),
               .storage_read = Bytes{whole("read") * 512},
               .storage_written = Bytes{whole("written") * 512}};
  end.out_of_memory_kills = whole("oom_kills");
  return end;
}

}  // namespace

EntryLog parse_entry_log(std::string_view text) {
  EntryLog log;
  while (true) {
    const auto newline = text.find('\n');
    if (newline == std::string_view::npos) return log;  // ignores a partial line
    const std::string_view line = text.substr(0, newline);
    text.remove_prefix(newline + 1);
    const auto figures = figures_in(line);
    if (figures.size() == 1 && figures.contains("began")) log.began = figures.at("began");
    if (figures.size() == 1 && figures.contains("failed")) {
      log.not_started = static_cast<int>(figures.at("failed"));
    }
    if (auto end = end_in(line)) log.end = end;
  }
}

EntryLog read_entry_log(const std::filesystem::path& file) {
  const auto text = read_confined(file.parent_path(), file.filename(), Bytes{1 << 16});
  return text.ok() ? parse_entry_log(*text) : EntryLog{};
}

Result<std::filesystem::path> find_enter_program() {
  const std::filesystem::path program = program_folder() / "tacho-enter";
  if (::access(program.c_str(), X_OK) == 0) return program;
  return Error{ErrorCode::unavailable,
               program.string() +
                   " is missing and is needed to enter an environment; build it with script/build"};
}

}  // namespace tacho
