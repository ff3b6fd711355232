#include "experiments/exchange/history_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/csv.h"
#include "base/csv_records.h"
#include "base/parse_number.h"
#include "base/split.h"

namespace tacho {
namespace {

constexpr std::string_view kStep = "_step";
constexpr std::string_view kTimestamp = "_timestamp";
constexpr std::string_view kRuntime = "_runtime";

// True for _step, __step, …
bool is_reserved(std::string_view name) {
  const std::size_t begin = name.find_first_not_of('_');
  if (begin == 0 || begin == std::string_view::npos) return false;
  name.remove_prefix(begin - 1);
  return name == kStep || name == kTimestamp || name == kRuntime;
}

// The reverse of column_of().
std::map<std::string, double> figures_of(std::map<std::string, double> columns) {
  std::map<std::string, double> figures;
  for (auto& [name, value] : columns) {
    figures.insert_or_assign(is_reserved(name) ? name.substr(1) : name, value);
  }
  return figures;
}

Error at_line(std::size_t line, std::string_view what) {
  return {ErrorCode::invalid, fmt::format("line {}: {}", line, what)};
}

// Collects points that have their time among their values.
class History {
 public:
  explicit History(double file_time) : file_time_(file_time) {}

  Result<void> add(HistoryPoint point, std::size_t line) {
    if (run_.points.size() >= kMostPoints) {
      return at_line(line, fmt::format("more than {} points; keep every tenth line", kMostPoints));
    }
    const auto time = take(point, kTimestamp);
    const auto runtime = take(point, kRuntime);
    point.values.erase(std::string(kStep));  // another column is the step
    point.values = figures_of(std::move(point.values));
    if (run_.points.empty()) timed_ = time.has_value();
    if (time.has_value() != timed_) {
      return at_line(line, "either all lines need a _timestamp, or none");
    }
    if (time && !is_time(*time)) {
      return at_line(line, fmt::format("_timestamp {} is not in seconds since 1970", *time));
    }
    if (runtime && !is_time(*runtime)) {
      return at_line(line, fmt::format("_runtime {} is not a number of seconds", *runtime));
    }
    if (run_.points.empty() && time) {
      run_.began = std::max(*time - runtime.value_or(0), 0.0);
    }
    if (!time && runtime) longest_ = std::max(longest_, *runtime);
    point.unix_seconds = time ? *time : runtime.value_or(longest_);
    run_.points.push_back(std::move(point));
    return {};
  }

  Result<PortableRun> done() {
    if (!timed_) {
      run_.began = std::max(file_time_ - longest_, 0.0);
      for (HistoryPoint& point : run_.points) point.unix_seconds += run_.began;
    }
    std::erase_if(run_.points, [](const HistoryPoint& point) { return point.values.empty(); });
    if (run_.points.empty()) {
      return Error{ErrorCode::invalid, "no figures: there are no numbers beside the step"};
    }
    cover_points(run_);
    return std::move(run_);
  }

 private:
  static std::optional<double> take(HistoryPoint& point, std::string_view name) {
    const auto entry = point.values.extract(std::string(name));
    return entry.empty() ? std::nullopt : std::optional(entry.mapped());
  }

  double file_time_;
  PortableRun run_;
  bool timed_ = false;
  double longest_ = 0;  // runtime, without timestamps
};

std::optional<std::int64_t> whole(double number) {
  constexpr double kExact = 9007199254740992;  // doubles above it skip numbers
  const bool fits = std::abs(number) <= kExact && std::floor(number) == number;
  return fits ? std::optional(static_cast<std::int64_t>(number)) : std::nullopt;
}

// pandas writes whole numbers with a fraction if a cell of the column is empty.
std::optional<std::int64_t> step_of(std::string_view cell) {
  if (const auto step = parse_number<std::int64_t>(cell)) return step;
  const auto number = parse_number<double>(cell);
  return number ? whole(*number) : std::nullopt;
}

Result<std::size_t> find_step(const std::vector<std::string>& headings, const std::string& wanted) {
  const auto find = [&](std::string_view name) { return std::ranges::find(headings, name); };
  auto at = wanted.empty() ? find(kStep) : find(wanted);
  if (!wanted.empty() && at == headings.end()) {
    return Error{ErrorCode::usage, fmt::format("no column '{}'; the columns are {}", wanted,
                                               fmt::join(headings, ", "))};
  }
  if (at == headings.end()) at = find("step");
  return at == headings.end() ? 0 : static_cast<std::size_t>(at - headings.begin());
}

// The columns of numbers: their first cell with a content is one.
std::vector<bool> columns_of_numbers(const CsvRecords& csv) {
  std::vector<bool> numbers(csv.headings.size(), false);
  for (std::size_t column = 0; column < numbers.size(); ++column) {
    const auto filled = std::ranges::find_if(
        csv.rows, [&](const CsvRecord& row) { return !row.cells[column].empty(); });
    numbers[column] =
        filled != csv.rows.end() && parse_number<double>(filled->cells[column]).has_value();
  }
  return numbers;
}

std::string number_text(double value) { return std::isnan(value) ? "nan" : csv_number(value); }

}  // namespace

Result<PortableRun> read_csv_history(std::string_view text, const HistorySource& source) {
  TACHO_TRY(csv, read_csv(text));
  TACHO_TRY(step_column, find_step(csv.headings, source.step));
  const std::vector<bool> numbers = columns_of_numbers(csv);
  History history(source.file_time);
  for (const CsvRecord& row : csv.rows) {
    HistoryPoint point;
    for (std::size_t column = 0; column < row.cells.size(); ++column) {
      const std::string& cell = row.cells[column];
      const std::string& name = csv.headings[column];
      if (column == step_column) {
        point.step = step_of(cell);
        if (!point.step) {
          return at_line(row.line, fmt::format("'{}' in column '{}' is not a step; name the column "
                                               "of steps with --step",
                                               cell, name));
        }
      } else if (numbers[column] && !cell.empty()) {
        const auto value = parse_number<double>(cell);
        if (!value) return at_line(row.line, fmt::format("{} is '{}', not a number", name, cell));
        point.values.emplace(name, std::isfinite(*value) ? *value : std::nan(""));
      }
    }
    TACHO_CHECK(history.add(std::move(point), row.line));
  }
  return history.done();
}

Result<PortableRun> read_json_history(std::string_view text, const HistorySource& source) {
  History history(source.file_time);
  std::size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    line = trimmed(line);
    if (line.empty()) continue;
    auto json = parse_json(line);
    if (!json.ok()) return at_line(number, json.error().message);
    if (!json->is_object()) return at_line(number, "not a JSON object");
    HistoryPoint point;
    for (const auto& [name, value] : json->items()) add_numbers(name, value, point.values);
    std::string key = source.step;
    if (key.empty()) key = point.values.contains(std::string(kStep)) ? kStep : "step";
    if (const auto entry = point.values.extract(key); !entry.empty()) {
      const auto exact = json->find(key);  // absent if the step is within another object
      const bool integer = exact != json->end() && exact->is_number_integer();
      point.step = integer ? step_in(*exact) : whole(entry.mapped());
      if (!point.step) return at_line(number, fmt::format("{} is not a whole number", key));
    } else if (!source.step.empty()) {
      return at_line(number, fmt::format("no '{}'; leave out --step or name another", key));
    }
    if (!point.step) point.step = static_cast<std::int64_t>(number) - 1;
    TACHO_CHECK(history.add(std::move(point), number));
  }
  return history.done();
}

std::vector<std::string> figure_names(const PortableRun& run) {
  std::set<std::string> names;
  for (const HistoryPoint& point : run.points) {
    for (const auto& [name, value] : point.values) names.insert(name);
  }
  return {names.begin(), names.end()};
}

std::string column_of(const std::string& figure) {
  return is_reserved(figure) ? "_" + figure : figure;
}

std::string csv_history(const PortableRun& run) {
  const auto names = figure_names(run);
  std::vector<std::string> cells = {std::string(kStep), std::string(kTimestamp),
                                    std::string(kRuntime)};
  for (const std::string& name : names) cells.push_back(column_of(name));
  std::string out = csv_line(cells);
  for (const HistoryPoint& point : run.points) {
    cells = {std::to_string(point.step.value_or(0)), csv_number(point.unix_seconds),
             csv_number(point.unix_seconds - run.began)};
    for (const std::string& name : names) {
      const auto value = point.values.find(name);
      cells.push_back(value == point.values.end() ? "" : number_text(value->second));
    }
    out += csv_line(cells);
  }
  return out;
}

std::string json_history(const PortableRun& run) {
  std::string out;
  for (const HistoryPoint& point : run.points) {
    Json line = {{kStep, point.step.value_or(0)},
                 {kTimestamp, point.unix_seconds},
                 {kRuntime, point.unix_seconds - run.began}};
    for (const auto& [name, value] : point.values) line[column_of(name)] = value;
    out += json_text(line) + "\n";
  }
  return out;
}

}  // namespace tacho
