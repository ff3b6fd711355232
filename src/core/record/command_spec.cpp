#include "core/record/command_spec.h"

#include <algorithm>
#include <filesystem>

#include "base/json_fields.h"
#include "base/secrets.h"
#include "base/shell_words.h"
#include "base/terminal.h"

namespace tacho {
namespace {

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

bool is_interpreter(const std::string& program) {
  const std::string name = file_name(program);
  return name.starts_with("python") || name == "sh" || name == "bash" || name == "torchrun" ||
         name == "tacho";
}

}  // namespace

Result<void> check(const CommandSpec& spec) {
  if (spec.argv.empty() || spec.argv.front().empty()) {
    return Error{ErrorCode::usage, "no program named: tacho run -- PROGRAM ARGUMENTS"};
  }
  if (spec.batch && *spec.batch < 1) {
    return Error{ErrorCode::usage, "--batch must be at least 1"};
  }
  return {};
}

void describe(auto&& f, Is<CommandSpec> auto& s) {
  f("argv", s.argv);
  f("folder", s.folder);
  f("batch", OrNull{s.batch});
  f("tensorboard", Added{s.tensorboard});
  f("trace", Added{s.trace});
}

Json to_json(const CommandSpec& spec) { return json_of(spec); }

Result<CommandSpec> command_spec_from_json(const Json& json) {
  TACHO_TRY(spec, read_json<CommandSpec>(json, "command"));
  TACHO_CHECK(check(spec));
  return std::move(spec);
}

std::string command_line(const CommandSpec& spec) {
  return shell_quoted(without_secrets(spec.argv));
}

std::string headline(const CommandSpec& spec, std::size_t longest) {
  std::string line = command_line(spec);
  std::replace(line.begin(), line.end(), '\n', ' ');
  line = printable(line);
  if (display_width(line) <= longest) return line;
  // Cut between characters, not within one.
  std::size_t end = 0;
  for (std::size_t width = 0; width < longest; ++end) {
    const bool begins = (static_cast<unsigned char>(line[end]) & 0xC0U) != 0x80U;
    if (begins && ++width == longest) break;
  }
  return line.substr(0, end) + "…";
}

std::string short_name(const CommandSpec& spec) {
  if (spec.argv.empty()) return "";
  if (is_interpreter(spec.argv.front())) {
    const auto script =
        std::find_if(spec.argv.begin() + 1, spec.argv.end(),
                     [](const std::string& word) { return !word.starts_with('-'); });
    // The argument of -c is not a file.
    const bool named = script != spec.argv.end() && !(script - 1)->starts_with("-c");
    if (named) return file_name(*script);
  }
  return file_name(spec.argv.front());
}

}  // namespace tacho
