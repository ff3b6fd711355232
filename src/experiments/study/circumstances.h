#pragma once

#include <map>
#include <set>
#include <string>

#include "core/record/run_record.h"
#include "experiments/study/document.h"

namespace tacho {

// Collects the machines, systems and programs of all runs of a report.
class Circumstances {
 public:
  void add(const RunRecord& record);
  // Counts the runs with TensorBoard files.
  [[nodiscard]] std::size_t tensorboard_runs() const { return tensorboard_runs_; }
  [[nodiscard]] FactList facts() const;

 private:
  std::map<std::string, Host> machines_;  // by processor and GPU
  std::set<std::string> systems_;
  std::set<std::string> programs_;
  std::size_t runs_ = 0;
  std::size_t tensorboard_runs_ = 0;
  std::size_t disturbed_ = 0;
  double seconds_ = 0;
};

}  // namespace tacho
