#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>

#include "base/table.h"
#include "cli/commands.h"
#include "core/record/history.h"
#include "serving/dashboard/run_detail.h"
#include "serving/dashboard/series.h"

namespace tacho {
namespace {

constexpr std::size_t kAllPoints = std::numeric_limits<std::size_t>::max() / 2;

// The values of one name.
struct Series {
  std::vector<std::int64_t> step;
  std::vector<double> unix_seconds;
  std::vector<double> value;
};

// Values without a step are numbered from 1.
std::map<std::string, Series> series_of(const std::vector<HistoryPoint>& history) {
  std::map<std::string, Series> all;
  for (const HistoryPoint& point : history) {
    for (const auto& [name, value] : point.values) {
      Series& series = all[name];
      const auto count = static_cast<std::int64_t>(series.value.size());
      series.step.push_back(point.step.value_or(count + 1));
      series.unix_seconds.push_back(point.unix_seconds);
      series.value.push_back(value);
    }
  }
  return all;
}

std::string table_of(const std::map<std::string, Series>& all, const Context& context) {
  if (all.empty()) return "the run has recorded no values\n";
  Table table(
      {{"name", Align::left}, {"values"}, {"last step"}, {"first"}, {"last"}, {"min"}, {"max"}});
  const auto number = [](double value) { return fmt::format("{:.4g}", value); };
  for (const auto& [name, series] : all) {
    double low = std::nan("");
    double high = low;
    for (const double value : series.value) {  // NaN is left out
      low = std::fmin(low, value);
      high = std::fmax(high, value);
    }
    table.add({printable(name), std::to_string(series.value.size()),
               std::to_string(series.step.back()), number(series.value.front()),
               number(series.value.back()), number(low), number(high)});
  }
  return table.text(context.out);
}

Json history_json(const std::map<std::string, Series>& all) {
  Json json = Json::object();
  for (const auto& [name, series] : all) {
    json[name] = {{"step", series.step},
                  {"time", serve::numbers_json(series.unix_seconds)},
                  {"value", serve::numbers_json(series.value)}};
  }
  return json;
}

Result<int> show_history(const std::string& handle, bool json, const Context& context) {
  TACHO_TRY(store, context.open_store());
  TACHO_TRY(run, store.find(handle));
  const RunFolder folder(run.row.folder);
  TACHO_TRY(history, read_history(folder).in(fmt::format("run {}", run.row.id)));
  const auto all = series_of(history);
  if (json) {
    context.print(json_text({{"id", run.row.id},
                             {"history", history_json(all)},
                             {"usage", serve::usage_json(folder, kAllPoints)}}) +
                  "\n");
  } else {
    context.print(table_of(all, context));
  }
  return kSuccess;
}

}  // namespace

void add_history_command(CLI::App& runs, Context& context) {
  CLI::App* history = runs.add_subcommand("history", "show what a run recorded at each step");
  auto run = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  history->add_option("run", *run, "id or key of a run, or 'last'")->required();
  history->add_flag("--json", *json, "print JSON");
  history->callback(
      [=, &context] { context.run([&] { return show_history(*run, *json, context); }); });
}

}  // namespace tacho
