#include "cli/help_formatter.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <vector>

#include "base/split.h"
#include "base/wrapped_text.h"

namespace tacho {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kGap = 2;
constexpr std::size_t kContinued = 6;       // indent of what did not fit
constexpr std::size_t kWidestHead = 32;     // of options and commands
constexpr std::size_t kNarrowestText = 20;  // next to an example

struct HelpEntry {
  std::string head;
  std::string text;
};
using HelpEntries = std::vector<HelpEntry>;

std::string blanks(std::size_t count) { return std::string(count, ' '); }

std::vector<std::string> words_of_command(std::string_view text) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char c : text) {
    if (c == '\'') quoted = !quoted;
    if (c == ' ' && !quoted) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

// Lines that end with a backslash where the command continues; no newline at the end.
std::string command_lines(const std::string& command, std::size_t columns) {
  if (kIndent + display_width(command) <= columns) return blanks(kIndent) + command;
  constexpr std::string_view kBackslash = " \\";
  std::string out;
  std::string line;
  for (const std::string& word : words_of_command(command)) {
    const std::size_t used = display_width(line) + 1 + display_width(word) + kBackslash.size();
    if (line.empty()) {
      line = blanks(kIndent) + word;
    } else if (used <= columns) {
      line += " " + word;
    } else {
      out += line + std::string(kBackslash) + "\n";
      line = blanks(kContinued) + word;
    }
  }
  return out + line;
}

// Returns the column of the texts: after the widest head that is at most `widest`.
std::size_t text_column(const HelpEntries& entries, std::size_t widest) {
  std::size_t column = 0;
  for (const HelpEntry& entry : entries) {
    const std::size_t needed = kIndent + display_width(entry.head) + kGap;
    if (!entry.text.empty() && needed <= widest) column = std::max(column, needed);
  }
  return column == 0 ? std::min(widest, kContinued) : column;
}

std::string entry_text(const HelpEntry& entry, std::size_t column, std::size_t columns) {
  std::string out = command_lines(entry.head, columns);
  if (entry.text.empty()) return out + "\n";
  const bool fits = kIndent + display_width(entry.head) + kGap <= column;
  out += fits ? blanks(column - kIndent - display_width(entry.head)) : "\n" + blanks(column);
  return out + hanging(entry.text, column, columns);
}

// A line of a footer, without its indent.
HelpEntry example_of(std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = line.find("  ", begin);
  if (gap == std::string_view::npos) return {std::string(line), ""};
  const std::size_t text = std::min(line.find_first_not_of(' ', gap), line.size());
  return {std::string(line.substr(0, gap)), std::string(line.substr(text))};
}

std::string examples_text(const HelpEntries& examples, std::size_t columns) {
  const std::size_t column = text_column(examples, columns - kNarrowestText);
  std::string out;
  for (const HelpEntry& example : examples) {
    const bool fits = kIndent + display_width(example.head) + kGap <= column;
    out += entry_text(example, fits ? column : kContinued, columns);
  }
  return out;
}

// "N" for numbers; a validator's range is left out.
std::string value_name(const CLI::Option& option) {
  if (option.get_type_size() == 0) return "";  // a flag
  std::string name = option.get_type_name();
  name.resize(std::min(name.find(':'), name.size()));
  const bool number = name == "INT" || name == "UINT" || name == "FLOAT";
  const bool several = option.get_expected_max() >= CLI::detail::expected_max_vector_size;
  return fmt::format(" {}{}", number ? "N" : name, several ? "..." : "");
}

// "-b, --batch N"
std::string option_head(const CLI::Option& option) {
  std::string head;
  for (const std::string& name : option.get_snames()) head += fmt::format("-{}, ", name);
  for (const std::string& name : option.get_lnames()) head += fmt::format("--{}, ", name);
  head.resize(head.size() - 2);
  return head + value_name(option);
}

std::string option_description(const CLI::Option& option) {
  std::string text = option.get_description();
  if (!option.get_default_str().empty() && option.get_type_size() != 0) {
    text += fmt::format(" (default: {})", option.get_default_str());
  }
  if (!option.get_envname().empty()) text += fmt::format(" (or set {})", option.get_envname());
  if (option.get_required() && !option.get_positional()) text += " (required)";
  return text;
}

struct HelpSection {
  std::string title;
  HelpEntries entries;
};

HelpEntries& section(std::vector<HelpSection>& sections, const std::string& title) {
  const auto found = std::ranges::find(sections, title, &HelpSection::title);
  if (found != sections.end()) return found->entries;
  return sections.emplace_back(HelpSection{title, {}}).entries;
}

bool only_has_commands(const CLI::App& command) { return command.get_require_subcommand_min() > 0; }

std::vector<HelpSection> sections_of(const CLI::App& command) {
  std::vector<HelpSection> sections;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty() || only_has_commands(command)) continue;
    if (option->get_positional()) {
      section(sections, "Arguments")
          .push_back({shown_name(option->get_name(true)), option_description(*option)});
    }
  }
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty() || only_has_commands(command)) continue;
    if (option->nonpositional()) {
      section(sections, option->get_group())
          .push_back({option_head(*option), option_description(*option)});
    }
  }
  for (const CLI::App* sub : command.get_subcommands({})) {
    if (sub->get_group().empty()) continue;
    const bool grouped = sub->get_group() != "Subcommands";  // CLI11's default
    section(sections, grouped ? sub->get_group() : "Commands")
        .push_back({sub->get_name(), sub->get_description()});
  }
  return sections;
}

std::string argument_usage(const CLI::Option& option) {
  if (!option.get_option_text().empty()) return option.get_option_text();
  const bool several = option.get_expected_max() >= CLI::detail::expected_max_vector_size;
  const std::string name = shown_name(option.get_name(true)) + (several ? "..." : "");
  return option.get_required() ? name : "[" + name + "]";
}

std::string usage_text(const CLI::App& command, const std::string& name, std::size_t columns) {
  constexpr std::string_view kUsage = "Usage: ";
  const bool is_root = command.get_parent() == nullptr;
  std::vector<std::string> lines;
  if (!only_has_commands(command)) {
    lines.push_back(name + " [OPTIONS]");
    for (const CLI::Option* option : command.get_options()) {
      if (option->get_positional()) lines.back() += " " + argument_usage(*option);
    }
  }
  if (!command.get_subcommands({}).empty()) {
    lines.push_back(name + (is_root ? " [--help | --version]" : "") + " COMMAND [OPTIONS]");
  }
  std::string out;
  for (const std::string& line : lines) {
    out += out.empty() ? std::string(kUsage) : blanks(kUsage.size());
    out += hanging(line, kUsage.size(), columns);
  }
  return out;
}

}  // namespace

std::size_t help_columns(const Terminal& terminal) {
  return static_cast<std::size_t>(std::clamp(terminal.columns(), 60, 100));
}

std::string shown_name(std::string_view option_name) {
  std::string name(option_name);
  if (name.starts_with('-')) return name;
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return name;
}

std::string help_footer(std::string_view footer, std::size_t columns) {
  std::string out;
  std::string paragraph;
  HelpEntries examples;
  const auto flush = [&] {
    if (!paragraph.empty()) out += wrapped(paragraph, columns);
    if (!examples.empty()) out += examples_text(examples, columns);
    paragraph.clear();
    examples.clear();
  };
  for (const std::string_view line : lines_of(footer)) {
    const bool is_example = line.starts_with(blanks(kIndent));
    if (is_example ? !paragraph.empty() : !examples.empty()) flush();
    if (line.empty()) {
      flush();
      out += "\n";
    } else if (is_example) {
      examples.push_back(example_of(line.substr(kIndent)));
    } else {
      paragraph += std::string(line) + " ";
    }
  }
  flush();
  return out;
}

std::string help_text(const CLI::App& command, const std::string& name, std::size_t columns) {
  std::string out = wrapped(command.get_description(), columns);
  out += usage_text(command, name, columns);
  const std::vector<HelpSection> sections = sections_of(command);
  HelpEntries all;
  for (const HelpSection& part : sections) {
    all.insert(all.end(), part.entries.begin(), part.entries.end());
  }
  const std::size_t column = text_column(all, std::min(kWidestHead, columns * 2 / 5));
  for (const HelpSection& part : sections) {
    out += fmt::format("\n{}:\n", part.title);
    for (const HelpEntry& entry : part.entries) out += entry_text(entry, column, columns);
  }
  const CLI::App* parent = command.get_parent();
  const std::string footer = command.get_footer();
  if (!footer.empty() && (parent == nullptr || parent->get_footer() != footer)) {
    out += "\n" + help_footer(footer, columns);
  } else if (only_has_commands(command)) {
    out += "\n" + wrapped(fmt::format("'{} COMMAND --help' lists the options of a command.", name),
                          columns);
  }
  return out;
}

}  // namespace tacho
