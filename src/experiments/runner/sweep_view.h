#pragma once

#include <cstdint>
#include <string>

#include "core/record/run_record.h"
#include "core/store/sweep_store.h"

namespace tacho {

// The progress of a running sweep.
struct SweepProgress {
  SweepCounts counts;
  std::int64_t running = 0;  // submitted tasks that have started
  double seconds_left = -1;  // estimated from finished tasks; negative if there are none
  bool stopping = false;
};

// Receives the progress of a sweep.
class SweepView {
 public:
  virtual ~SweepView() = default;
  virtual void began(const SweepRow& sweep, const SweepCounts& counts) = 0;
  virtual void submitted(const SweepTask& task) = 0;
  virtual void finished(const SweepTask& task, const RunRecord& record) = 0;
  virtual void skipped(const SweepTask& task, const std::string& reason) = 0;
  // An attempt gave no result; the task will be submitted again.
  virtual void put_back(const SweepTask& task, const std::string& reason) = 0;
  virtual void note(const std::string& sentence) = 0;
  virtual void tick(const SweepProgress& progress) = 0;  // about every 100 ms
};

}  // namespace tacho
