#include "experiments/runner/sweep_plan.h"

#include "base/file.h"
#include "base/parse_number.h"
#include "core/record/environment_spec.h"
#include "experiments/runner/sweep_cost.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

Result<std::int64_t> batch_of(const std::string& text) {
  if (const auto batch = parse_number<std::int64_t>(text)) return *batch;
  return Error{ErrorCode::usage, "batch: '" + text + "' is not a whole number"};
}

Result<RunOrder> program_of(const std::vector<std::string>& argv,
                            const Configuration& configuration) {
  RunOrder order;
  CommandSpec& command = order.command.emplace();
  command.argv = argv;
  const auto absolute = [](const std::string& path) {
    std::error_code no_working_folder;
    return fs::absolute(path, no_working_folder).lexically_normal().string();
  };
  const std::string* folder = configuration.find("folder");
  command.folder = absolute(folder == nullptr ? "." : *folder);
  if (command.folder.size() > 1 && command.folder.ends_with('/')) command.folder.pop_back();
  if (const std::string* place = configuration.find("tensorboard")) {
    command.tensorboard = absolute(*place);
  }
  if (const std::string* text = configuration.find("batch")) {
    TACHO_TRY(batch, batch_of(*text));
    command.batch = batch;
  }
  if (const std::string* words = configuration.find("env")) {
    TACHO_TRY(environment, parse_environment(*words));
    order.environment = std::move(environment);
  }
  TACHO_CHECK(check(command));
  return order;
}

}  // namespace

Result<SweepPlan> read_sweep_plan(const fs::path& file) {
  auto text = read_file(file, Bytes{4 << 20});
  if (!text.ok() && text.error().code == ErrorCode::not_found) {
    return Error{ErrorCode::not_found,
                 file.string() +
                     ": no such file; give a grid or a subcommand (see 'tacho sweep "
                     "--help')"};
  }
  if (!text.ok()) return text.error();
  const std::vector<std::string> options = run_option_names();
  TACHO_TRY(grid, read_grid(*text, file.string(), options));
  TACHO_TRY(runs, planned_runs(grid, file.string()));
  return SweepPlan{*std::move(text), std::move(grid), std::move(runs)};
}

Result<std::vector<PlannedRun>> planned_runs(const Grid& grid, std::string_view place) {
  SweepCost cost;
  const PlanReaders readers{program_of, [&cost](const RunOrder& order) { return cost.of(order); }};
  return plan_runs(grid, readers).in(place);
}

}  // namespace tacho
