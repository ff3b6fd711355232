#include "predict/rent/input_limit.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "base/csv_table.h"
#include "core/record/statistics.h"
#include "predict/rent/published_loaders_csv.h"

namespace tacho {
namespace {

// Ratio of samples per second and core to those of the published loader, from decoding only what
// the crop needs (bench/compare_images).
constexpr double kOwnDecoder = 3.4;
// Processors of clouds differ in age and in whether two of them share a core.
constexpr double kRateFactor = 2;

constexpr std::array<std::string_view, 12> kLoaderColumns = {"cpus",
                                                             "workers",
                                                             "backend",
                                                             "data_in_ram",
                                                             "batch",
                                                             "sec_per_batch_epoch1",
                                                             "sec_per_batch_epoch2",
                                                             "images_per_s_epoch1",
                                                             "images_per_s_epoch2",
                                                             "dataset",
                                                             "cpu",
                                                             "source"};

// Returns the rate per processor of a plain loader with the best number of workers.
Result<double> published_rate(std::string_view csv) {
  TACHO_TRY(table, CsvTable::parse(csv, kLoaderColumns));
  std::map<double, double> best;  // number of processors to images per second
  for (std::size_t i = 0; i < table.rows(); ++i) {
    CsvRow row(table, i);
    std::string backend;
    double processors = 0;
    double pictures = 0;
    row.read("backend", backend);
    row.read("cpus", processors);
    row.read("images_per_s_epoch2", pictures);
    TACHO_CHECK(row.finish());
    if (backend == "torch") best[processors] = std::max(best[processors], pictures);
  }
  std::vector<double> each;
  for (const auto& [processors, pictures] : best) each.push_back(pictures / processors);
  return median(each);
}

using Machines = std::tuple<std::string, std::string, std::string, std::int64_t, std::int64_t>;

Machines machines_of(const Plan& plan) {
  const Instance& instance = plan.instance;
  return {instance.cloud, instance.name, instance.gpu, instance.gpus, plan.nodes};
}

// Returns samples per second of the fastest plan on the same machines if all batches were ready.
// Compared with it, because a small batch waits less only by being slow.
std::map<Machines, double> fastest_rates(const std::vector<Plan>& plans,
                                         const std::vector<Result<StepPrediction>>& steps) {
  std::map<Machines, double> fastest;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (!steps[i].ok() || !steps[i]->fits) continue;
    double& best = fastest[machines_of(plans[i])];
    best = std::max(best, static_cast<double>(plans[i].batch()) / steps[i]->seconds.value);
  }
  return fastest;
}

}  // namespace

std::optional<double> input_rate(const std::string& data) {
  if (data != "imagenet" && data != "image-folder") return std::nullopt;
  static const double rate = [] {
    const auto read = published_rate(kPublishedLoadersCsv);
    if (!read.ok()) broken_invariant("built-in loader rates: " + read.error().message);
    return *read * kOwnDecoder;
  }();
  return rate;
}

std::vector<Result<StepPrediction>> InputLimited::steps(const Job& job,
                                                        const std::vector<Plan>& plans) const {
  auto answers = inner_->steps(job, plans);
  const auto rate = input_rate(job.data);
  if (!rate) return answers;
  auto fastest = fastest_rates(plans, answers);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (!answers[i].ok()) continue;
    const Plan& plan = plans[i];
    const double batches = static_cast<double>(plan.batch()) / static_cast<double>(plan.nodes);
    const double input = batches / (*rate * plan.instance.vcpus);
    StepPrediction& step = *answers[i];
    const double compute = step.seconds.value;
    step.seconds.high = std::max(step.seconds.high, input * kRateFactor);
    if (input <= compute) continue;
    step.seconds = {input, std::max(step.seconds.low, input / kRateFactor), step.seconds.high};
    const auto samples = static_cast<double>(plan.batch());
    const double possible = std::max(fastest[machines_of(plan)], samples / compute);
    step.input_share = 1 - samples / input / possible;
  }
  return answers;
}

}  // namespace tacho
