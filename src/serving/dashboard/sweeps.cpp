#include "serving/dashboard/sweeps.h"

#include <fmt/format.h>

#include <atomic>

#include "base/file.h"
#include "base/secrets.h"
#include "core/record/run_folder.h"
#include "core/record/run_options.h"
#include "experiments/runner/sweep_export.h"
#include "experiments/runner/sweep_lines.h"
#include "experiments/sweep/grid.h"
#include "serving/dashboard/detached_command.h"
#include "serving/http/problem.h"

namespace tacho::serve {
namespace {

namespace fs = std::filesystem;

const std::atomic<int> kUninterrupted = 0;

Json row_json(const SweepRunner& runner, const SweepRow& sweep, const SweepCounts& counts) {
  return {{"id", sweep.id},
          {"key", sweep.key},
          {"name", sweep.name},
          {"created_at", sweep.created_at},
          {"state", stage_of(runner, sweep)},
          {"counts", counts_json(counts)}};
}

// The options that differ between runs, in the order of the grid.
Json axes_of(const std::vector<SweepLine>& lines) {
  std::vector<const Configuration*> configurations;
  for (const SweepLine& line : lines) configurations.push_back(&line.task.configuration);
  return options_that_differ(configurations);
}

Result<std::string> results_csv(SweepStore& sweeps, RunStore& runs, const SweepRow& sweep) {
  std::vector<ExportedRun> exported;
  TACHO_TRY(tasks, sweeps.tasks(sweep.id, SweepTaskState::done));
  for (SweepTask& task : tasks) {
    TACHO_TRY(run, runs.find(task.result_key.value_or("")));
    exported.push_back({std::move(task), std::move(run.record)});
  }
  return sweep_csv(exported);
}

}  // namespace

Result<void> check_grid(const std::string& text) {
  TACHO_TRY(grid, read_grid(text, "grid", run_option_names(kLocal)));
  if (!grid.command.empty()) {
    return Error{ErrorCode::usage,
                 "grid: programs can be swept on the command line only: tacho sweep grid.yaml"};
  }
  if (!grid.launcher.options.empty()) {
    return Error{ErrorCode::usage, "grid: launcher options can be given on the command line only"};
  }
  return {};
}

Answer Sweeps::list(const http::Request& request) const {
  TACHO_CHECK(check_parameters(request, {}));
  TACHO_TRY(store, SweepStore::open(home_ / "tacho.db"));
  TACHO_TRY(sweeps, store.list());
  const SweepRunner runner(home_, store, kUninterrupted);
  Json list = Json::array();
  for (const SweepRow& sweep : sweeps) {
    TACHO_TRY(counts, store.counts(sweep.id));
    list.push_back(row_json(runner, sweep, counts));
  }
  return json_answer({{"sweeps", std::move(list)}});
}

Answer Sweeps::one(const http::Request& request) const {
  TACHO_CHECK(check_parameters(request, {"format"}));
  TACHO_TRY(format, word_parameter(request, "format", {"json", "csv"}));
  TACHO_TRY(store, SweepStore::open(home_ / "tacho.db"));
  TACHO_TRY(sweep, store.find(request.part("sweep")));
  if (format == "csv") {
    TACHO_TRY(runs, stores_.take());
    TACHO_TRY(text, results_csv(store, *runs, sweep));
    return file_answer(std::move(text), "text/csv; charset=utf-8",
                       fmt::format("sweep-{}.csv", sweep.id));
  }
  TACHO_TRY(counts, store.counts(sweep.id));
  TACHO_TRY(lines, sweep_lines(store, sweep));
  Json json = row_json({home_, store, kUninterrupted}, sweep, counts);
  json["grid"] = without_secrets(std::string_view(sweep.grid));
  json["axes"] = axes_of(lines);
  json["tasks"] = sweep_json(lines);
  return json_answer(json);
}

Answer Sweeps::drive(std::vector<std::string> words, int status) const {
  TACHO_TRY(slot, slots_.take());
  if (!slot) return slots_.refusal();
  TACHO_TRY(id, start_detached({program_, home_, std::move(words), {slot.get()}}, "sweep"));
  TACHO_TRY(store, SweepStore::open(home_ / "tacho.db"));
  TACHO_TRY(sweep, store.find(std::to_string(id)));
  TACHO_TRY(counts, store.counts(sweep.id));
  http::Response response =
      json_answer(row_json({home_, store, kUninterrupted}, sweep, counts), status);
  response.headers.emplace_back("Location", fmt::format("/api/v1/sweeps/{}", id));
  return response;
}

Answer Sweeps::start(const http::Request& request) const {
  TACHO_CHECK(check_parameters(request, {}));
  TACHO_TRY(json, body_of(request));
  JsonObject object(json, "the request");
  std::string grid;
  object.read("grid", grid);
  TACHO_CHECK(object.finish());
  TACHO_CHECK(check_grid(grid));
  // The file is read once, before the sweep is in the store, which keeps its text.
  const fs::path folder = home_ / "sweeps" / ("asked-" + new_run_key());
  TACHO_CHECK(make_folders(folder));
  const fs::path file = folder / "grid.yaml";
  const auto written = write_file_atomically(file, grid);
  Answer answer =
      written.ok() ? drive({"sweep", file.string(), "--json"}, 201) : Answer(written.error());
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  if (answer.ok()) return answer;
  // The client does not know the file's name.
  Error error = answer.error();
  if (const auto at = error.message.find(file.string()); at != std::string::npos) {
    error.message.replace(at, file.string().size(), "grid");
  }
  return error;
}

Answer Sweeps::cancel(const http::Request& request) const {
  TACHO_CHECK(check_parameters(request, {}));
  TACHO_TRY(store, SweepStore::open(home_ / "tacho.db"));
  TACHO_TRY(sweep, store.find(request.part("sweep")));
  if (sweep.state != SweepState::open) {
    return http::problem(
        409, fmt::format("sweep {} is already {}", sweep.id, kSweepStates.of(sweep.state)));
  }
  // The `tacho` that drives the sweep sees this and stops its runs; if there is none, one is
  // started to do so.
  TACHO_CHECK(store.set_state(sweep.id, SweepState::cancelled));
  const SweepRunner runner(home_, store, kUninterrupted);
  if (!runner.is_driven(sweep)) {
    TACHO_TRY(id, start_detached({program_, home_, {"sweep", "cancel", std::to_string(sweep.id)}},
                                 "sweep"));
    static_cast<void>(id);
  }
  return json_answer({{"id", sweep.id}, {"cancel_requested", true}}, 202);
}

Answer Sweeps::resume(const http::Request& request) const {
  TACHO_CHECK(check_parameters(request, {}));
  TACHO_TRY(store, SweepStore::open(home_ / "tacho.db"));
  TACHO_TRY(sweep, store.find(request.part("sweep")));
  const std::string stage = stage_of({home_, store, kUninterrupted}, sweep);
  if (stage != "stopped") {
    return http::problem(
        409, fmt::format("sweep {} is {}; only a stopped sweep can be resumed", sweep.id, stage));
  }
  return drive({"sweep", "resume", std::to_string(sweep.id), "--json"}, 202);
}

}  // namespace tacho::serve
