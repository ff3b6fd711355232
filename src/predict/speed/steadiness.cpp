#include "predict/speed/steadiness.h"

#include <cmath>
#include <iterator>
#include <map>
#include <vector>

namespace tacho {
namespace {

// Deviation from the line between the next smaller and the next larger batch, in logarithms. Most
// published programs with a dozen batches have less than 0.1.
constexpr double kJump = 0.15;
constexpr std::size_t kEnough = 6;  // batches between others

std::string program_of(const JobPoint& point) {
  return point.labels[Label::stack] + ", " + point.labels[Label::model] + ", " +
         point.labels[Label::gpu];
}

// Identifies jobs that differ only in the batch.
std::string series_of(const JobPoint& point) {
  std::string out = std::to_string(point.gpus);
  for (const Label label :
       {Label::release, Label::precision, Label::layout, Label::data_kind, Label::input_shape}) {
    out += '\x1f' + point.labels[label];
  }
  return out;
}

using Series = std::map<double, double>;  // error of the cost model by logarithm of the batch

void add_jumps(const Series& series, std::vector<double>& to) {
  if (series.size() < 3) return;
  auto before = series.begin();
  auto at = std::next(before);
  for (auto after = std::next(at); after != series.end(); ++before, ++at, ++after) {
    const double share = (at->first - before->first) / (after->first - before->first);
    to.push_back(at->second - std::lerp(before->second, after->second, share));
  }
}

}  // namespace

Steadiness Steadiness::learn(std::span<const TrainingExample> examples) {
  std::map<std::string, std::map<std::string, Series>> programs;
  std::set<std::string> on_several_nodes;
  for (const TrainingExample& example : examples) {
    const std::string program = program_of(example.point);
    if (example.nodes > 1) {
      on_several_nodes.insert(program);
    } else if (example.point.batch_known) {
      programs[program][series_of(example.point)][std::log(example.point.batch)] = example.error;
    }
  }
  Steadiness out;
  for (const auto& [program, all_series] : programs) {
    if (on_several_nodes.contains(program)) continue;
    std::vector<double> jumps;
    for (const auto& [key, series] : all_series) add_jumps(series, jumps);
    double squares = 0;
    for (const double jump : jumps) squares += jump * jump;
    const auto count = static_cast<double>(jumps.size());
    if (jumps.size() >= kEnough && squares > kJump * kJump * count) out.jumpy_.insert(program);
  }
  return out;
}

Steadiness Steadiness::known(std::set<std::string> jumpy) {
  Steadiness out;
  out.jumpy_ = std::move(jumpy);
  return out;
}

bool Steadiness::jumps(const JobPoint& point) const { return jumpy_.contains(program_of(point)); }

}  // namespace tacho
