#include "cli/usage_message.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "base/nearest.h"
#include "cli/help_formatter.h"

namespace tacho {
namespace {

// "--bacth" and "-x"; neither "-1" nor "--" alone.
bool looks_like_option(std::string_view word) {
  if (!word.starts_with('-') || word.size() < 2) return false;
  return word[1] == '-' ? word.size() > 2 : std::isalpha(static_cast<unsigned char>(word[1])) != 0;
}

std::vector<std::string_view> views(const std::vector<std::string>& words) {
  return {words.begin(), words.end()};
}

std::string unknown_option(const CLI::App& command, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& long_name : option->get_lnames()) known.push_back("--" + long_name);
  }
  std::string text = fmt::format("unknown option '{:.200}'", name);
  if (const auto meant = nearest(name, views(known)); !meant.empty()) {
    text += fmt::format("; did you mean '{}'?", meant);
  }
  if (command.get_option_no_throw("program") != nullptr) {
    text += "; a program and its options follow --, as in 'tacho run -- python3 train.py'";
  }
  return text;
}

// "'x' is not a valid number", from CLI11's "Could not convert: --batch = x".
std::string wrong_number(const CLI::App& command, std::string_view text) {
  constexpr std::string_view kPrefix = "Could not convert: ";
  const std::size_t equals = text.find(" = ");
  if (!text.starts_with(kPrefix) || equals == std::string_view::npos) return std::string(text);
  const std::string name(text.substr(kPrefix.size(), equals - kPrefix.size()));
  const CLI::Option* option = command.get_option_no_throw(name);
  const std::string type = option == nullptr ? "" : option->get_type_name();
  const bool whole = type.starts_with("INT") || type.starts_with("UINT");
  return fmt::format("{}: '{:.200}' is not a valid {}number", shown_name(name),
                     text.substr(equals + 3), whole ? "whole " : "");
}

std::string in_our_words(const CLI::App& command, const CLI::ParseError& problem) {
  std::string text = problem.what();
  const std::string name = text.substr(0, text.find_first_of(": "));
  if (dynamic_cast<const CLI::ConversionError*>(&problem) != nullptr) {
    return wrong_number(command, text);
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&problem) != nullptr) {
    const bool too_many = text.find("At Most") != std::string::npos;
    return shown_name(name) + (too_many ? " is given more than once" : " needs a value");
  }
  if (dynamic_cast<const CLI::RequiredError*>(&problem) != nullptr) {
    return shown_name(name) + " is missing";
  }
  if (dynamic_cast<const CLI::ExcludesError*>(&problem) != nullptr) {
    const std::string other = text.substr(text.rfind(' ') + 1);
    return fmt::format("{} and {} exclude each other", shown_name(name), shown_name(other));
  }
  return text;
}

}  // namespace

std::string usage_message(const CLI::App& app, const CLI::ParseError& problem) {
  std::string path = app.get_name() == "tacho" ? "tacho" : "tacho " + app.get_name();
  const CLI::App* reached = &app;
  while (!reached->get_subcommands().empty()) {
    reached = reached->get_subcommands().front();
    path += " " + reached->get_name();
  }
  const std::string hint = fmt::format(" (see '{} --help')", path);
  const auto unread = app.remaining(true);
  const auto option = std::ranges::find_if(unread, looks_like_option);
  if (option != unread.end()) return unknown_option(*reached, *option) + hint;

  std::vector<std::string> commands;
  for (const CLI::App* command : reached->get_subcommands({})) {
    if (!command->get_group().empty()) commands.push_back(command->get_name());
  }
  if (!commands.empty() && !unread.empty()) {
    return unknown_name("command", unread.front(), views(commands));
  }
  if (!commands.empty() && reached->get_require_subcommand_min() > 0) {
    return fmt::format("name a command: {}{}", fmt::join(commands, ", "), hint);
  }
  if (!unread.empty()) return fmt::format("unexpected argument '{:.200}'{}", unread.front(), hint);
  return in_our_words(*reached, problem) + hint;
}

}  // namespace tacho
