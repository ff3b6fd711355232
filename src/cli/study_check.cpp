#include "cli/study_check.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/subprocess.h"
#include "cli/train_options.h"
#include "experiments/runner/compared_values.h"
#include "experiments/runner/sweep_plan.h"
#include "machine/probe/host_probe.h"
#include "serving/infer/options.h"
#include "serving/load/served_model.h"

namespace tacho {
namespace {

struct StepCheck {
  const Study& study;

  Result<void> operator()(const ComparisonStep& work) const {
    TACHO_TRY(options, compare_options_of(work));
    TACHO_TRY(plan, plan_of(options, read_train_words));
    (void)plan;
    return {};
  }
  Result<void> operator()(const GridStep& work) const {
    TACHO_TRY(grid, read_grid(work.grid, study.file, run_option_names()));
    TACHO_TRY(runs, planned_runs(grid, "sweep"));
    (void)runs;
    return {};
  }
  Result<void> operator()(const TrainingStep& work) const {
    TACHO_TRY(settings, read_train_words(work.words));
    TACHO_TRY(asked, train_request(settings));
    (void)asked;
    return {};
  }
  Result<void> operator()(const ServingStep& work) const {
    auto infer = work.infer;
    for (std::string& word : infer) word = with_redis(word, "redis://127.0.0.1:6379");
    TACHO_TRY(served, infer::parse_infer_options(infer));
    (void)served;
    TACHO_TRY(asked, load_options_of(work, "http://127.0.0.1:8500"));
    (void)asked;
    return {};
  }
  Result<void> operator()(const PredictionStep& /*work*/) const { return {}; }
  Result<void> operator()(const SurveyStep& /*work*/) const { return {}; }
  Result<void> operator()(const MissingStep& /*work*/) const { return {}; }
  Result<void> operator()(const SavingsStep& /*work*/) const { return {}; }
  Result<void> operator()(const CostStep& /*work*/) const { return {}; }
};

// Counts GPUs as the driver reports them, even if this build cannot use them.
std::int64_t gpu_count() {
  std::error_code missing;
  std::int64_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", missing)) {
    (void)entry;
    ++count;
  }
  return count;
}

}  // namespace

Result<CompareRequest> compare_options_of(const ComparisonStep& work) {
  TACHO_TRY(options, read_compare_words(work.words));
  for (const std::string& metric : options.metrics) {
    TACHO_CHECK(check_compared_metric(metric).in("--metric"));
  }
  return std::move(options);
}

Result<LoadOptions> load_options_of(const ServingStep& work, const std::string& url) {
  std::vector<std::string> words = work.load;
  words.insert(words.begin(), url);
  return read_load_words(words);
}

Result<void> check_steps(const Study& study) {
  for (const StudyStep& step : study.steps) {
    const auto checked = std::visit(StepCheck{study}, step.work);
    if (checked.ok()) continue;
    // Errors of a grid already contain the position.
    const bool placed = checked.error().message.starts_with(study.file);
    return placed ? checked.error()
                  : checked.error().in(fmt::format("{}: {}", step.place, step.name));
  }
  return {};
}

Result<void> check_needs(const StudyStep& step) {
  for (const StudyNeed need : step.needs) {
    if (need == StudyNeed::gpu && read_host().gpu.empty()) {
      return Error{ErrorCode::unavailable,
                   "this machine has no NVIDIA GPU, or its driver does not answer ('tacho doctor' "
                   "shows which)"};
    }
    if (need == StudyNeed::two_gpus && gpu_count() < 2) {
      return Error{ErrorCode::unavailable,
                   fmt::format("this step needs two NVIDIA GPUs; this machine has {}",
                               gpu_count() == 0 ? "none" : "one")};
    }
    if (need == StudyNeed::redis && !find_program("redis-server").ok()) {
      return Error{ErrorCode::unavailable,
                   "redis-server is not installed: apt-get install redis-server"};
    }
  }
  return {};
}

}  // namespace tacho
