#include "serving/load/replay_file.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/file.h"
#include "base/parse_number.h"
#include "base/split.h"

namespace tacho::load {
namespace {

constexpr Bytes kLargestFile{256 << 20};
constexpr double kLongest = 7 * 24 * 3600.0;
constexpr double kHighestRate = 10e6;

struct Line {
  double second = 0;
  std::optional<double> rate;
};

std::optional<double> number_in(std::string_view text) {
  const auto value = parse_number<double>(trimmed(text));
  return value && std::isfinite(*value) && *value >= 0 ? value : std::nullopt;
}

std::optional<Line> line_of(std::string_view text) {
  const auto comma = text.find(',');
  Line line;
  const auto second = number_in(text.substr(0, comma));
  if (!second) return std::nullopt;
  line.second = *second;
  if (comma == std::string_view::npos) return line;
  line.rate = number_in(text.substr(comma + 1));
  return line.rate ? std::optional(line) : std::nullopt;
}

Result<std::vector<Line>> read_lines(std::string_view text) {
  std::vector<Line> lines;
  std::size_t number = 0;
  for (const std::string_view whole : lines_of(text)) {
    ++number;
    const std::string_view words = trimmed(whole);
    if (words.empty() || words.front() == '#') continue;
    const auto wrong = [number](std::string_view why) {
      return Error{ErrorCode::invalid, fmt::format("line {}: {}", number, why)};
    };
    const auto line = line_of(words);
    if (!line) return wrong("neither SECONDS nor SECONDS,REQUESTS_PER_S, both at least 0");
    if (line->rate.value_or(0) > kHighestRate) return wrong("more than 10 million requests/s");
    if (!lines.empty() && line->rate.has_value() != lines.front().rate.has_value()) {
      return wrong("mixes one and two columns; use either times or rates");
    }
    if (!lines.empty() && line->second < lines.back().second) {
      return wrong("earlier than the line before it; sort the file by time");
    }
    lines.push_back(*line);
  }
  return lines;
}

}  // namespace

Result<ArrivalPlan> parse_replay(std::string_view text) {
  TACHO_TRY(lines, read_lines(text));
  if (lines.empty()) return Error{ErrorCode::invalid, "contains no arrival"};
  const double start = lines.front().second;
  if (lines.back().second - start > kLongest) {
    return Error{ErrorCode::invalid, "lasts more than a week; times are in seconds"};
  }
  ArrivalPlan plan;
  if (!lines.front().rate) {
    auto times = std::make_shared<std::vector<double>>();
    for (const Line& line : lines) times->push_back(line.second - start);
    plan.recorded = std::move(times);
    return plan;
  }
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    const double seconds = lines[i + 1].second - lines[i].second;
    if (seconds > 0) plan.profile.add(*lines[i].rate, *lines[i].rate, seconds);
  }
  if (plan.profile.requests() < 1) {
    return Error{ErrorCode::invalid, "less than one request is due in total"};
  }
  return plan;
}

Result<ArrivalPlan> read_replay(const std::filesystem::path& file) {
  TACHO_TRY(text, read_file(file, kLargestFile));
  return parse_replay(text).in(file.string());
}

}  // namespace tacho::load
