#include "predict/speed/learning_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/random.h"
#include "core/record/statistics.h"

namespace tacho {
namespace {

std::string identity(const MeasuredJob& measured, const JobPoint& point) {
  std::string key = measured.source;
  for (const std::string& label : point.labels) key += '\x1f' + label;
  for (const float value : point.measures) key += fmt::format("\x1f{:.4f}", value);
  return key;
}

}  // namespace

std::vector<TrainingExample> make_examples(const std::vector<MeasuredJob>& jobs,
                                           const PointMaker& points) {
  std::vector<TrainingExample> examples;
  std::vector<std::vector<double>> errors;
  std::map<std::string, std::size_t> places;
  for (const MeasuredJob& measured : jobs) {
    JobPoint point = points.of(measured.job);
    const double step = point.batch * point.gpus / measured.samples_per_s;
    const double error = std::log(step) - point.log_modelled_step;
    const auto [at, fresh] = places.try_emplace(identity(measured, point), examples.size());
    if (fresh) {
      examples.push_back({std::move(point), 0, measured.job.num_nodes, measured.source});
      errors.emplace_back();
    }
    errors[at->second].push_back(error);
  }
  for (std::size_t i = 0; i < examples.size(); ++i) examples[i].error = median(errors[i]);
  return examples;
}

std::vector<TrainingExample> balanced(std::vector<TrainingExample> examples, std::size_t limit,
                                      std::size_t total) {
  // Selected in rounds: each round takes one example per source, model and GPU, on one node and on
  // several.
  Random random(20, 26);
  std::vector<std::size_t> order(examples.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  random.shuffle(order);
  std::map<std::string, std::size_t> of_group;
  std::vector<std::pair<std::size_t, std::size_t>> rounds;
  for (const std::size_t i : order) {
    const TrainingExample& example = examples[i];
    const auto& labels = example.point.labels;
    const std::string group = example.source + '\x1f' + labels[Label::model] + '\x1f' +
                              labels[Label::gpu] + (example.nodes > 1 ? "+" : "");
    rounds.emplace_back(of_group[group]++, i);
  }
  std::ranges::stable_sort(rounds, {}, &std::pair<std::size_t, std::size_t>::first);
  std::map<std::string, std::size_t> of_source;
  std::vector<std::size_t> chosen;
  for (const auto& [round, i] : rounds) {
    if (chosen.size() == total) break;
    if (of_source[examples[i].source]++ < limit) chosen.push_back(i);
  }
  std::ranges::sort(chosen);
  std::vector<TrainingExample> out;
  out.reserve(chosen.size());
  for (const std::size_t i : chosen) out.push_back(std::move(examples[i]));
  return out;
}

}  // namespace tacho
