#include "predict/accuracy/evaluate_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/random.h"
#include "base/table.h"
#include "core/record/statistics.h"
#include "predict/accuracy/epoch_time.h"
#include "predict/accuracy/similar_curves.h"

namespace tacho {
namespace {

class RunTally {
 public:
  void add(double measured, const Estimate& predicted) {
    const double error = std::abs(measured - predicted.value);
    errors_.push_back(error);
    shares_.push_back(error / measured);
    squares_.push_back(error * error);
    held_ += measured >= predicted.low && measured <= predicted.high ? 1 : 0;
  }
  void refuse(std::size_t epochs) { refused_ += epochs; }

  [[nodiscard]] TrainingRunScore score(std::string what, std::string held_out) const {
    TrainingRunScore score{std::move(what), std::move(held_out), errors_.size(), refused_};
    if (errors_.empty()) return score;
    score.mean_error = mean(errors_);
    score.root_mean_square = std::sqrt(mean(squares_));
    score.median_share = median(shares_);
    score.coverage = held_ / static_cast<double>(errors_.size());
    return score;
  }

 private:
  std::vector<double> errors_;
  std::vector<double> shares_;
  std::vector<double> squares_;
  double held_ = 0;
  std::size_t refused_ = 0;
};

void score_times(const EpochTimeModel& model, const TrainingRun& run, RunTally& tally) {
  const auto predicted = model.epoch_seconds(run.setup);
  if (!predicted.ok()) return tally.refuse(run.epoch_seconds.size());
  for (const double seconds : run.epoch_seconds) tally.add(seconds, *predicted);
}

void score_accuracy(const SimilarCurves& curves, const TrainingRun& run, RunTally& tally) {
  std::vector<double> epochs(run.top1.size());
  for (std::size_t i = 0; i < epochs.size(); ++i) epochs[i] = static_cast<double>(i + 1);
  const auto predicted = curves.predict(run.setup, epochs);
  if (!predicted.ok()) return tally.refuse(epochs.size());
  for (std::size_t i = 0; i < epochs.size(); ++i) tally.add(run.top1[i], (*predicted)[i].accuracy);
}

// Returns the part of each configuration.
std::map<TrainingSetup, std::size_t> parts_of(std::span<const TrainingRun> runs, std::size_t folds,
                                              std::uint64_t seed) {
  std::map<TrainingSetup, std::size_t> parts;
  for (const TrainingRun& run : runs) parts.try_emplace(run.setup, 0);
  std::vector<std::size_t> order(parts.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i % folds;
  Random::scattered(seed).shuffle(order);
  std::size_t place = 0;
  for (auto& [setup, part] : parts) part = order[place++];
  return parts;
}

TrainingRunScore score_random_epochs(std::span<const TrainingRun> runs, std::size_t folds,
                                     std::uint64_t seed) {
  Random random = Random::scattered(seed);
  std::vector<std::vector<std::size_t>> part(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (std::size_t k = 0; k < runs[i].epoch_seconds.size(); ++k) {
      part[i].push_back(static_cast<std::size_t>(random.below(static_cast<std::int64_t>(folds))));
    }
  }
  RunTally tally;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<TrainingRun> known(runs.begin(), runs.end());
    std::vector<TrainingRun> hidden = known;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      std::size_t place = 0;
      std::erase_if(known[i].epoch_seconds, [&](double) { return part[i][place++] == fold; });
      place = 0;
      std::erase_if(hidden[i].epoch_seconds, [&](double) { return part[i][place++] != fold; });
    }
    std::erase_if(known, [](const TrainingRun& run) { return run.epoch_seconds.empty(); });
    const EpochTimeModel model(known);
    for (const TrainingRun& run : hidden) score_times(model, run, tally);
  }
  return tally.score("epoch time", "random epochs");
}

}  // namespace

std::vector<TrainingRunScore> evaluate_training_runs(std::span<const TrainingRun> runs,
                                                     std::size_t folds, std::uint64_t seed) {
  const auto parts = parts_of(runs, folds, seed);
  RunTally times;
  RunTally accuracy;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<TrainingRun> known;
    std::vector<const TrainingRun*> hidden;
    for (const TrainingRun& run : runs) {
      if (parts.at(run.setup) == fold) {
        hidden.push_back(&run);
      } else {
        known.push_back(run);
      }
    }
    if (known.empty()) continue;
    const EpochTimeModel model(known);
    const SimilarCurves curves(known);
    for (const TrainingRun* run : hidden) {
      score_times(model, *run, times);
      score_accuracy(curves, *run, accuracy);
    }
  }
  return {times.score("epoch time", "configurations"), score_random_epochs(runs, folds, seed),
          scatter_of_epochs(runs), accuracy.score("accuracy", "configurations")};
}

TrainingRunScore scatter_of_epochs(std::span<const TrainingRun> runs) {
  RunTally tally;
  const EpochTimeModel model(runs);
  for (const TrainingRun& run : runs) score_times(model, run, tally);
  return tally.score("epoch time", "nothing");
}

std::string training_runs_table(const std::vector<TrainingRunScore>& scores,
                                const Terminal& terminal) {
  Table table({{"trainings on CIFAR-10", Align::left},
               {"held out", Align::left},
               {"epochs"},
               {"abstained"},
               {"mean error"},
               {"rms error"},
               {"median"},
               {"coverage"}});
  for (const TrainingRunScore& score : scores) {
    const auto error = [&](double value) {
      return score.what == "accuracy" ? fmt::format("{:.4f}", value)
                                      : fmt::format("{:.2f} s", value);
    };
    table.add({score.what, score.held_out, std::to_string(score.epochs),
               std::to_string(score.refused), error(score.mean_error),
               error(score.root_mean_square), fmt::format("{:.1f} %", 100 * score.median_share),
               fmt::format("{:.1f} %", 100 * score.coverage)});
  }
  return table.text(terminal);
}

Json to_json(const std::vector<TrainingRunScore>& scores) {
  Json list = Json::array();
  for (const TrainingRunScore& score : scores) {
    list.push_back({{"what", score.what},
                    {"held_out", score.held_out},
                    {"epochs", score.epochs},
                    {"abstained", score.refused},
                    {"mean_error", score.mean_error},
                    {"root_mean_square_error", score.root_mean_square},
                    {"median_relative_error", score.median_share},
                    {"coverage", score.coverage}});
  }
  return list;
}

}  // namespace tacho
