#include "predict/rent/published_steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "predict/accuracy/abstain.h"

namespace tacho {
namespace {

// Fewer trainings are not enough for a regression over GPUs, counts and batches.
constexpr std::size_t kFewestTrainings = 20;

// V100 is the only published GPU whose tensor cores lack bf16.
bool has_bf16(const std::string& gpu) { return !gpu.starts_with("V100"); }

std::string commonest_recipe(const std::vector<TimeRecord>& records) {
  std::map<std::string, int> uses;
  for (const TimeRecord& record : records) uses[record.recipe] += 1;
  return std::ranges::max_element(uses, {}, [](const auto& use) { return use.second; })->first;
}

}  // namespace

void PublishedSteps::Span::widen(double value) {
  least = least == 0 ? value : std::min(least, value);
  most = std::max(most, value);
}

PublishedSteps::PublishedSteps(const std::vector<TimeRecord>& records) {
  std::map<std::pair<std::string, std::string>, std::vector<TimeRecord>> by_task;
  for (const TimeRecord& record : records) {
    if (record.batch) by_task[{record.model, record.data}].push_back(record);
  }
  for (const auto& [key, trainings] : by_task) {
    if (trainings.size() < kFewestTrainings) continue;
    Task task{.rate = JobRate::fit(trainings),
              .epoch_samples = trainings.front().epoch_samples,
              .recipe = commonest_recipe(trainings)};
    for (const TimeRecord& one : trainings) {
      task.ranks.widen(one.gpus);
      task.batch_per_gpu[one.gpu].widen(*one.batch / one.gpus);
    }
    tasks_.emplace(key, std::move(task));
  }
}

Result<StepPrediction> PublishedSteps::step(const Job& job, const Plan& plan) const {
  const auto found = tasks_.find({job.model, job.data});
  if (found == tasks_.end()) {
    return abstain(fmt::format("no published trainings of {} on {}", job.model, job.data));
  }
  const Task& task = found->second;
  const std::string& gpu = plan.instance.gpu;
  const auto batches = task.batch_per_gpu.find(gpu);
  if (batches == task.batch_per_gpu.end()) {
    return abstain(fmt::format("no published trainings of {} on {}", job.model,
                               gpu.empty() ? "a machine without a GPU" : gpu));
  }
  const bool mixed =
      plan.precision == Precision::fp16 || (plan.precision == Precision::bf16 && has_bf16(gpu));
  if (!mixed) return abstain("published trainings use mixed precision");
  const auto batch = static_cast<double>(plan.batch_per_gpu);
  const Span& seen = batches->second;
  if (batch < seen.least / 2 || batch > seen.most) {
    return abstain(
        fmt::format("published trainings on {} have batches per GPU from {:.0f} to {:.0f}", gpu,
                    seen.least / 2, seen.most));
  }
  const auto ranks = static_cast<double>(plan.ranks());
  if (ranks > task.ranks.most) {
    return abstain(fmt::format("published trainings have at most {} GPUs", task.ranks.most));
  }
  TACHO_TRY(rate, task.rate.epochs_per_hour({gpu, ranks, static_cast<double>(plan.nodes),
                                             static_cast<double>(plan.batch()), task.recipe}));
  // Published hours include evaluation and start-up, and so does the step.
  const double samples = task.epoch_samples / 3600;
  const auto batch_in_all = static_cast<double>(plan.batch());
  StepPrediction step;
  step.software = "tuned software of published MLPerf trainings";
  step.seconds = {batch_in_all / (rate.value * samples), batch_in_all / (rate.high * samples),
                  batch_in_all / (rate.low * samples)};
  return step;
}

}  // namespace tacho
