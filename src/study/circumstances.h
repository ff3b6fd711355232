#pragma once

#include <map>
#include <set>
#include <string>

#include "record/run_record.h"
#include "study/document.h"

namespace tacho {

// What all runs of a report were made on and with: what differs is told side by side.
class Circumstances {
 public:
  void add(const RunRecord& record);
  // Runs that left TensorBoard files.
  [[nodiscard]] std::size_t boards() const { return boards_; }
  [[nodiscard]] FactList facts() const;

 private:
  std::map<std::string, Host> machines_;  // by processor and GPU
  std::set<std::string> systems_;
  std::set<std::string> programs_;
  std::size_t runs_ = 0;
  std::size_t boards_ = 0;
  std::size_t disturbed_ = 0;
  double seconds_ = 0;
};

}  // namespace tacho
