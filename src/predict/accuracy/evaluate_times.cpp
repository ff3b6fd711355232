#include "predict/accuracy/evaluate_times.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "core/record/statistics.h"
#include "predict/accuracy/job_rate.h"

namespace tacho {
namespace {

constexpr std::size_t kFewestRecords = 20;

// Systems that differ only in spelling or in the round of a submission are the same.
std::string plain(const std::string& system) {
  std::string text;
  for (const char c : system) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) text += c;
    if (c >= 'A' && c <= 'Z') text += static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

TimeScore score_split(const std::string& task, const std::string& split,
                      const std::vector<TimeRecord>& records,
                      std::string (*group_of)(const TimeRecord&)) {
  TimeScore score{.task = task, .split = split};
  std::set<std::string> groups;
  for (const TimeRecord& record : records) groups.insert(group_of(record));
  std::vector<double> errors;
  std::vector<double> epoch_errors;
  double held = 0;
  for (const std::string& group : groups) {
    std::vector<TimeRecord> others;
    for (const TimeRecord& record : records) {
      if (group_of(record) != group) others.push_back(record);
    }
    if (others.empty()) {
      score.refused += records.size();
      continue;
    }
    const TimeModel model = TimeModel::fit(others);
    for (const TimeRecord& record : records) {
      if (group_of(record) != group) continue;
      const auto predicted =
          model.at({record.gpu, record.gpus, record.nodes, *record.batch, record.recipe});
      if (!predicted.ok()) {
        score.refused += 1;
        continue;
      }
      errors.push_back(std::abs(predicted->hours.value / record.hours - 1));
      epoch_errors.push_back(std::abs(predicted->epochs.value / record.epochs - 1));
      held += record.hours >= predicted->hours.low && record.hours <= predicted->hours.high ? 1 : 0;
    }
  }
  score.records = errors.size();
  if (errors.empty()) return score;
  score.median_error = median(errors);
  score.mean_error = mean(errors);
  score.epochs_median_error = median(epoch_errors);
  score.coverage = held / static_cast<double>(errors.size());
  return score;
}

}  // namespace

std::vector<TimeScore> evaluate_times(std::span<const TimeRecord> records) {
  std::map<std::string, std::vector<TimeRecord>> tasks;
  for (const TimeRecord& record : records) {
    if (record.batch) tasks[record.model + " on " + record.data].push_back(record);
  }
  std::vector<TimeScore> scores;
  for (const auto& [task, of_task] : tasks) {
    if (of_task.size() < kFewestRecords) continue;
    scores.push_back(score_split(task, "unseen system", of_task,
                                 [](const TimeRecord& r) { return plain(r.system); }));
    scores.push_back(score_split(task, "unseen batch size", of_task,
                                 [](const TimeRecord& r) { return fmt::format("{}", *r.batch); }));
  }
  return scores;
}

Json to_json(const std::vector<TimeScore>& scores) {
  Json list = Json::array();
  for (const TimeScore& score : scores) {
    list.push_back({{"task", score.task},
                    {"split", score.split},
                    {"records", score.records},
                    {"refused", score.refused},
                    {"median_error", score.median_error},
                    {"mean_error", score.mean_error},
                    {"epochs_median_error", score.epochs_median_error},
                    {"coverage", score.coverage}});
  }
  return list;
}

}  // namespace tacho
