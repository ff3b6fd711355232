#include "predict/accuracy/evaluate_transfer.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/record/statistics.h"

namespace tacho {
namespace {

struct TransferTally {
  std::vector<double> typical;  // median absolute error of each model
  double covered = 0;

  void add(const HeldOutModel& model, double half) {
    std::vector<double> off;
    for (const double error : model.errors) off.push_back(std::abs(error));
    typical.push_back(median(off));
    const auto within = std::ranges::count_if(off, [&](double one) { return one <= half; });
    covered += static_cast<double>(within) / static_cast<double>(off.size());
  }
};

}  // namespace

std::vector<TransferScore> evaluate_transfer(std::span<const Curve> curves) {
  const EpochTransfer transfer(curves);
  const std::vector<HeldOutModel>& models = transfer.held_out();
  std::map<std::string, TransferTally> tallies;
  for (std::size_t i = 0; i < models.size(); ++i) {
    std::vector<HeldOutModel> others = models;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const double half = half_width_of(others);
    tallies[models[i].data].add(models[i], half);
    tallies["all"].add(models[i], half);
  }
  std::vector<TransferScore> scores;
  for (const auto& [data, tally] : tallies) {
    const auto count = static_cast<double>(tally.typical.size());
    scores.push_back(
        {data, tally.typical.size(), std::exp(median(tally.typical)), tally.covered / count});
  }
  std::stable_partition(scores.begin(), scores.end(),
                        [](const TransferScore& one) { return one.data != "all"; });
  return scores;
}

Json to_json(const std::vector<TransferScore>& scores) {
  Json list = Json::array();
  for (const TransferScore& one : scores) {
    list.push_back({{"data", one.data},
                    {"models", one.models},
                    {"median_factor", one.median_factor},
                    {"coverage", one.coverage}});
  }
  return list;
}

}  // namespace tacho
