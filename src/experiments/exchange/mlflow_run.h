#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/names.h"
#include "experiments/exchange/portable_run.h"

namespace tacho {

// The states of a run by their names in databases; files have their numbers, in this order from 1.
enum class MlflowStatus { running, scheduled, finished, failed, killed };
inline constexpr Names<MlflowStatus, 5> kMlflowStatuses{"status of MLflow",
                                                        {{{MlflowStatus::running, "RUNNING"},
                                                          {MlflowStatus::scheduled, "SCHEDULED"},
                                                          {MlflowStatus::finished, "FINISHED"},
                                                          {MlflowStatus::failed, "FAILED"},
                                                          {MlflowStatus::killed, "KILLED"}}}};

// What MLflow stores of a run, in files or in a database.
struct MlflowRun {
  std::string id;
  std::string name;
  std::string experiment;
  MlflowStatus status = MlflowStatus::running;
  std::int64_t start_ms = 0;  // Unix time
  std::optional<std::int64_t> end_ms;
  std::map<std::string, std::string> params;
  std::map<std::string, std::string> tags;
  std::vector<HistoryPoint> points;  // one per value, in any order
};

HistoryPoint mlflow_point(std::string name, std::int64_t ms, double value, std::int64_t step);

PortableRun portable_run(MlflowRun run);
MlflowRun mlflow_run(const PortableRun& run);

}  // namespace tacho
