#include "advise/input_limit.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "advise/published_loaders_csv.h"
#include "base/csv_table.h"
#include "record/statistics.h"

namespace tacho {
namespace {

// What decoding no further than the crop needs brings (bench/compare_images): one core makes so
// many times the samples of the published loader.
constexpr double kOwnDecoder = 3.4;
// Processors of clouds differ by age and by whether two of them share a core.
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

// Of a plain loader with as many workers as are best, for each processor.
Result<double> published_rate(std::string_view csv) {
  TACHO_TRY(table, CsvTable::parse(csv, kLoaderColumns));
  std::map<double, double> best;  // processors to pictures a second
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

// Samples a second of the best of the plans for the same machines, were all batches ready. With a
// small batch GPUs wait less, only because they are slow with it.
std::map<Machines, double> fastest_rates(const std::vector<Plan>& plans,
                                         const std::vector<Result<StepForecast>>& steps) {
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
    if (!read.ok()) broken_invariant("the built-in loaders: " + read.error().message);
    return *read * kOwnDecoder;
  }();
  return rate;
}

std::vector<Result<StepForecast>> InputLimited::steps(const Job& job,
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
    StepForecast& step = *answers[i];
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
