#pragma once

#include <cstdint>
#include <string>

#include "record/run_record.h"
#include "store/sweep_store.h"

namespace tacho {

// How far a sweep is, while a tacho is at it.
struct SweepProgress {
  SweepCounts counts;
  std::int64_t running = 0;  // of the submitted, those that have begun
  double seconds_left = -1;  // a guess by what is done; below 0: nothing is done yet
  bool stopping = false;
};

// Told what a sweep does while it runs.
class SweepView {
 public:
  virtual ~SweepView() = default;
  virtual void began(const SweepRow& sweep, const SweepCounts& counts) = 0;
  virtual void submitted(const SweepTask& task) = 0;
  virtual void finished(const SweepTask& task, const RunRecord& record) = 0;
  virtual void skipped(const SweepTask& task, const std::string& reason) = 0;
  // An attempt came to nothing; the task will be submitted again.
  virtual void put_back(const SweepTask& task, const std::string& reason) = 0;
  virtual void note(const std::string& sentence) = 0;
  virtual void tick(const SweepProgress& progress) = 0;  // several times a second
};

}  // namespace tacho
