#include "record/command_spec.h"

#include <algorithm>
#include <filesystem>

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

Result<std::vector<std::string>> words_of(const Json& json) {
  const Error wrong{ErrorCode::invalid, "command: 'argv' is not a list of strings"};
  if (!json.is_array()) return wrong;
  std::vector<std::string> words;
  for (const Json& word : json) {
    if (!word.is_string()) return wrong;
    words.push_back(word.get<std::string>());
  }
  return words;
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

Json to_json(const CommandSpec& spec) {
  return {{"argv", spec.argv},
          {"folder", spec.folder},
          {"batch", spec.batch ? Json(*spec.batch) : Json(nullptr)},
          {"tensorboard", spec.tensorboard},
          {"trace", spec.trace}};
}

Result<CommandSpec> command_spec_from_json(const Json& json) {
  CommandSpec spec;
  JsonObject object(json, "command");
  const Json* argv = object.part("argv");
  object.read("folder", spec.folder);
  object.read_optional("batch", spec.batch);
  object.read_optional("tensorboard", spec.tensorboard);
  object.read_optional("trace", spec.trace);
  TACHO_CHECK(object.finish());
  TACHO_TRY(words, words_of(*argv));
  spec.argv = std::move(words);
  TACHO_CHECK(check(spec));
  return spec;
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
