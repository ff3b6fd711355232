#include "advise/published_steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "learn/cannot_know.h"

namespace tacho {
namespace {

// With fewer, a regression over GPUs, counts and batches says nothing.
constexpr std::size_t kFewestTrainings = 20;

// Volta's tensor units are the only ones among the published GPUs without it.
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

Result<StepForecast> PublishedSteps::step(const Job& job, const Plan& plan) const {
  const auto found = tasks_.find({job.model, job.data});
  if (found == tasks_.end()) {
    return cannot_know(fmt::format("the speed of {} on {} was not published", job.model, job.data));
  }
  const Task& task = found->second;
  const std::string& gpu = plan.instance.gpu;
  const auto batches = task.batch_per_gpu.find(gpu);
  if (batches == task.batch_per_gpu.end()) {
    return cannot_know(fmt::format("no published training of {} is on {}", job.model,
                                   gpu.empty() ? "a machine without a GPU" : gpu));
  }
  const bool mixed =
      plan.precision == Precision::fp16 || (plan.precision == Precision::bf16 && has_bf16(gpu));
  if (!mixed) return cannot_know("published trainings are of mixed precision");
  const auto batch = static_cast<double>(plan.batch_per_gpu);
  const Span& seen = batches->second;
  if (batch < seen.least / 2 || batch > seen.most) {
    return cannot_know(fmt::format("published batches per {} lie between {:.0f} and {:.0f}", gpu,
                                   seen.least / 2, seen.most));
  }
  const auto ranks = static_cast<double>(plan.ranks());
  if (ranks > task.ranks.most) {
    return cannot_know(fmt::format("no published training had more than {} GPUs", task.ranks.most));
  }
  TACHO_TRY(rate, task.rate.epochs_per_hour({gpu, ranks, static_cast<double>(plan.nodes),
                                             static_cast<double>(plan.batch()), task.recipe}));
  // Evaluation and start-up are in the published hours, and so in the step.
  const double samples = task.epoch_samples / 3600;
  const auto batch_in_all = static_cast<double>(plan.batch());
  StepForecast step;
  step.seconds = {batch_in_all / (rate.value * samples), batch_in_all / (rate.high * samples),
                  batch_in_all / (rate.low * samples)};
  return step;
}

}  // namespace tacho
