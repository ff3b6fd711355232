#include "tracing/listen/line_figures.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string>

#include "base/json_object.h"
#include "tracing/listen/step_number.h"

namespace tacho {
namespace {

constexpr std::size_t kMostFigures = 64;
constexpr std::size_t kLongestName = 64;
constexpr std::size_t kLongestUnit = 4;
constexpr std::string_view kMllog = ":::MLLOG ";

// Non-ASCII letters consist of bytes from 0x80 on.
bool is_letter(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalpha(byte) != 0;
}
bool is_name(char c) {
  return is_letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("_-./@").find(c) != std::string_view::npos;
}

bool numbers_the_line(std::string_view name) {
  return name == "step" || name == "global_step" || name == "iteration" || name == "iter";
}

void add(FiguresSeen& figures, std::string_view name, double value) {
  if (!std::isfinite(value) || name.empty() || name.size() > kLongestName) return;
  constexpr double kMostSteps = 1e15;
  if (numbers_the_line(name) && value >= 0 && value < kMostSteps) {
    figures.step = static_cast<std::int64_t>(value);
  } else if (figures.values.size() < kMostFigures) {
    figures.values.insert_or_assign(std::string(name), value);
  }
}

void add_object(FiguresSeen& figures, const Json& object) {
  for (const auto& [name, value] : object.items()) {
    if (value.is_number()) add(figures, name, value.get<double>());
  }
}

FiguresSeen figures_of_mllog(const Json& object) {
  FiguresSeen figures;
  const auto key = object.find("key");
  const auto value = object.find("value");
  if (key == object.end() || !key->is_string() || value == object.end()) return figures;
  if (value->is_number()) add(figures, key->get<std::string>(), value->get<double>());
  if (value->is_object()) add_object(figures, *value);
  const auto metadata = object.find("metadata");
  if (metadata == object.end() || !metadata->is_object()) return figures;
  for (const char* name : {"epoch_num", "step_num"}) {
    const auto number = metadata->find(name);
    if (number != metadata->end() && number->is_number())
      add(figures, "step", number->get<double>());
  }
  return figures;
}

// A number and its end in the text. from_chars does not accept '+'.
struct Number {
  double value;
  std::size_t end;
};
std::optional<Number> number_at(std::string_view text, std::size_t at) {
  if (at < text.size() && text[at] == '+') ++at;
  if (at >= text.size() || is_letter(text[at])) return std::nullopt;  // nan, inf
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data() + at, text.data() + text.size(), value);
  if (problem != std::errc()) return std::nullopt;
  return Number{value, static_cast<std::size_t>(end - text.data())};
}

// Returns the letters directly after a number, if nothing else follows them.
std::optional<std::string_view> unit_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_letter(text[end])) ++end;
  const bool ends = end == text.size() ||
                    std::string_view(" \t,;)]}|%/").find(text[end]) != std::string_view::npos;
  if (!ends || end - at > kLongestUnit) return std::nullopt;
  return text.substr(at, end - at);
}

// Finds name=number and name: number anywhere in the line.
FiguresSeen figures_among_words(std::string_view line) {
  FiguresSeen figures;
  for (std::size_t at = 1; at < line.size(); ++at) {
    if (line[at] != '=' && line[at] != ':') continue;
    std::size_t first = at;
    std::size_t last = at;
    // 'loss': 0.4, as in Python.
    if (line[at - 1] == '\'' || line[at - 1] == '"') first = last = at - 1;
    while (first > 0 && is_name(line[first - 1])) --first;
    const std::string_view name = line.substr(first, last - first);
    if (name.empty() || !is_letter(name.front())) continue;
    std::size_t begin = at + 1;
    while (begin < line.size() && line[begin] == ' ') ++begin;
    // 12:30 is a time.
    if (line[at] == ':' && begin == at + 1) continue;
    const auto number = number_at(line, begin);
    if (!number) continue;
    const auto unit = unit_at(line, number->end);
    if (!unit) continue;
    add(figures, unit->empty() ? std::string(name) : std::string(name) + "_" + std::string(*unit),
        number->value);
    at = number->end - 1;
  }
  return figures;
}

// Accepts UTF-8 without control characters other than for colours: a program may also print binary
// data.
bool is_text(std::string_view line) {
  int follow = 0;  // remaining bytes of a character
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    const bool continues = (byte & 0xC0U) == 0x80U;
    if (continues != (follow > 0)) return false;
    if (continues) {
      --follow;
    } else if (byte >= 0xC2) {
      follow = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : 1;
    } else if (byte >= 0x7F || (byte < 0x20 && byte != '\t' && byte != '\b' && byte != 0x1B)) {
      return false;
    }
  }
  return follow == 0;
}

// Removes terminal colours: ESC [ … letter.
std::string without_colour(std::string_view line) {
  std::string plain;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] != 0x1B) {
      plain += line[at];
      continue;
    }
    while (at + 1 < line.size() && (line[at] == 0x1B || !is_letter(line[at]))) ++at;
  }
  return plain;
}

std::optional<FiguresSeen> unless_empty(FiguresSeen figures) {
  if (figures.values.empty()) return std::nullopt;
  figures.from = "output";
  return figures;
}

}  // namespace

std::optional<std::string> plain_text(std::string_view line) {
  if (!is_text(line)) return std::nullopt;
  return without_colour(line);
}

std::optional<FiguresSeen> figures_of_line(std::string_view given) {
  const auto plain = plain_text(given);
  if (!plain) return std::nullopt;
  const std::string_view line = *plain;
  if (const auto mark = line.find(kMllog); mark != std::string_view::npos) {
    const auto json = parse_json(line.substr(mark + kMllog.size()));
    if (json.ok() && json->is_object()) return unless_empty(figures_of_mllog(*json));
  }
  const auto begin = line.find_first_not_of(" \t");
  if (begin != std::string_view::npos && line[begin] == '{') {
    if (const auto json = parse_json(line.substr(begin)); json.ok() && json->is_object()) {
      FiguresSeen figures;
      add_object(figures, *json);
      return unless_empty(std::move(figures));
    }
  }
  FiguresSeen figures = figures_among_words(line);
  if (const auto number = step_number_of(line); number && number->of_training && !figures.step) {
    figures.step = number->step;
  }
  return unless_empty(std::move(figures));
}

}  // namespace tacho
