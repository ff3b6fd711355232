#include "experiments/predictions/traced_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/split.h"
#include "base/table.h"
#include "base/units.h"
#include "core/record/statistics.h"
#include "experiments/predictions/traced_job.h"
#include "experiments/predictions/traced_programs_csv.h"
#include "predict/speed/csv_columns.h"
#include "predict/speed/shipped.h"
#include "predict/speed/training_job.h"

namespace tacho {
namespace {

constexpr std::array<std::string_view, 11> kColumns = {
    "program",  "gpu",         "batch", "models",  "precisions", "layout",
    "software", "input_shape", "part",  "threads", "seconds"};
constexpr double kLikeBatch = 4;  // a published batch is at most this factor away
// Their kernels differ too much from those of GPUs with tensor cores.
constexpr std::array<std::string_view, 3> kOldArchitectures = {"Kepler", "Maxwell", "Pascal"};

struct TracedProgram {
  std::string gpu;
  double batch = 0;
  std::string models;  // of the published jobs; lists with '|'
  std::string precisions;
  std::string layout;
  std::string software;     // beginnings of names
  std::string input_shape;  // of the published jobs; empty: any
  MeasuredStep step;
};

Result<void> add_part(const CsvColumns& row, MeasuredStep& step) {
  static const std::map<std::string, KernelBound> bounds = {
      {"tensor_cores", KernelBound::tensor_cores},
      {"arithmetic", KernelBound::arithmetic},
      {"memory", KernelBound::memory}};
  TACHO_TRY(seconds, row.number("seconds"));
  TACHO_TRY(threads, row.number("threads"));
  const std::string& part = row.text("part");
  if (part == "waiting" || part == "host_work") {
    (part == "waiting" ? step.waiting : step.host_work) = seconds.value_or(0);
    return {};
  }
  const auto bound = bounds.find(part);
  if (bound == bounds.end()) return Error{ErrorCode::invalid, "unknown part '" + part + "'"};
  step.kernels.push_back({.bound = bound->second,
                          .seconds = seconds.value_or(0),
                          .threads = threads.value_or(kFillsAnyGpu)});
  return {};
}

Result<std::map<std::string, TracedProgram>> read_programs() {
  TACHO_TRY(records, read_csv(kTracedProgramsCsv));
  TACHO_TRY(places, column_places(records, kColumns));
  std::map<std::string, TracedProgram> programs;
  for (const CsvRecord& record : records.rows) {
    const CsvColumns row(record, kColumns, places);
    TracedProgram& program = programs[row.text("program")];
    TACHO_TRY(batch, row.number("batch"));
    program.gpu = row.text("gpu");
    program.batch = batch.value_or(0);
    program.models = row.text("models");
    program.precisions = row.text("precisions");
    program.layout = row.text("layout");
    program.software = row.text("software");
    program.input_shape = row.text("input_shape");
    TACHO_CHECK(add_part(row, program.step).in(fmt::format("line {}", record.line)));
  }
  return programs;
}

bool lists(std::string_view list, std::string_view word) {
  return std::ranges::count(split(list, '|'), word) > 0;
}

bool is_published_form(const TrainingJob& job, const TracedProgram& program) {
  const auto begins = [&](std::string_view prefix) { return job.framework.starts_with(prefix); };
  return job.num_gpus == 1 && lists(program.models, job.model) &&
         lists(program.precisions, job.precision) &&
         (job.layout.empty() || job.layout == program.layout) &&
         (program.input_shape.empty() || job.input_shape == program.input_shape) &&
         std::ranges::any_of(split(program.software, '|'), begins) && job.batch_per_gpu &&
         std::abs(std::log(*job.batch_per_gpu / program.batch)) <= std::log(kLikeBatch);
}

struct Match {
  double error = 0;  // without sign
  bool covered = false;
};

TracedScore score_of(std::string program, const std::vector<Match>& outcomes) {
  std::vector<double> errors;
  for (const Match& one : outcomes) errors.push_back(one.error);
  const auto covered = std::ranges::count(outcomes, true, &Match::covered);
  return {.program = std::move(program),
          .gpus = outcomes.size(),
          .median_error = median(errors),
          .worst_error = *std::ranges::max_element(errors),
          .coverage = static_cast<double>(covered) / static_cast<double>(outcomes.size())};
}

Result<std::vector<Match>> outcomes_of(const TracedProgram& program,
                                       const std::vector<MeasuredJob>& published,
                                       const GpuCatalog& gpus) {
  std::map<std::string, std::vector<double>> speeds;
  for (const MeasuredJob& measured : published) {
    if (!is_published_form(measured.job, program)) continue;
    speeds[measured.job.gpu].push_back(measured.samples_per_s);
  }
  TACHO_TRY(from, gpus.find(program.gpu));
  std::vector<Match> outcomes;
  for (const auto& [name, values] : speeds) {
    TACHO_TRY(to, gpus.find(name));
    if (to == from || std::ranges::count(kOldArchitectures, to->architecture) > 0) continue;
    // As for any program: its precision is not known.
    const Estimate step = step_on_another(program.step, rates_of(*from, Precision::fp16),
                                          rates_of(*to, Precision::fp16));
    const double measured = program.batch / median(values);
    outcomes.push_back({.error = std::abs(measured / step.value - 1),
                        .covered = step.low <= measured && measured <= step.high});
  }
  return outcomes;
}

}  // namespace

Result<std::vector<TracedScore>> evaluate_traced_programs() {
  TACHO_TRY(programs, read_programs().in("traced_programs.csv"));
  TACHO_TRY(published, read_measured_jobs(shipped_throughput_csv()).in("throughput.csv"));
  TACHO_TRY(gpus, GpuCatalog::parse(shipped_gpus_csv()).in("gpus.csv"));
  std::vector<TracedScore> scores;
  std::vector<Match> all;
  for (const auto& [name, program] : programs) {
    TACHO_TRY(outcomes, outcomes_of(program, published, gpus));
    if (outcomes.empty()) continue;
    scores.push_back(score_of(name, outcomes));
    all.insert(all.end(), outcomes.begin(), outcomes.end());
  }
  if (!all.empty()) scores.push_back(score_of("all", all));
  return scores;
}

std::string traced_scores_table(const std::vector<TracedScore>& scores, const Terminal& terminal) {
  Table table({{"traced program, published speeds on other GPUs", Align::left},
               {"GPUs"},
               {"median"},
               {"worst"},
               {"covered"}});
  for (const TracedScore& score : scores) {
    table.add({score.program, fmt::format("{}", score.gpus), human_share(score.median_error),
               human_share(score.worst_error), human_share(score.coverage)});
  }
  return table.text(terminal);
}

Json traced_scores_json(const std::vector<TracedScore>& scores) {
  Json list = Json::array();
  for (const TracedScore& score : scores) {
    list.push_back(Json{{"program", score.program},
                        {"gpus", score.gpus},
                        {"median_error", score.median_error},
                        {"worst_error", score.worst_error},
                        {"coverage_of_90_percent_intervals", score.coverage}});
  }
  return list;
}

}  // namespace tacho
