#pragma once

#include "base/clock.h"
#include "experiments/predictions/prediction_recorder.h"
#include "experiments/runner/sweep_view.h"

namespace tacho {

// Writes predictions of the runs of a sweep into the ledger: other processes execute them.
class LedgerSweepView final : public SweepView {
 public:
  LedgerSweepView(SweepView& inner, PredictionRecorder& predictions)
      : inner_(inner), predictions_(predictions) {}

  void began(const SweepRow& sweep, const SweepCounts& counts) override {
    inner_.began(sweep, counts);
  }
  void submitted(const SweepTask& task) override {
    RunOrder order = task.asked;
    order.key = task.run_key.value_or("");
    order.created_at = unix_seconds_now();
    predictions_.record(order);
    inner_.submitted(task);
  }
  void finished(const SweepTask& task, const RunRecord& record) override {
    predictions_.run_ended();
    inner_.finished(task, record);
  }
  void skipped(const SweepTask& task, const std::string& reason) override {
    inner_.skipped(task, reason);
  }
  void put_back(const SweepTask& task, const std::string& reason) override {
    inner_.put_back(task, reason);
  }
  void note(const std::string& sentence) override { inner_.note(sentence); }
  void tick(const SweepProgress& progress) override { inner_.tick(progress); }

 private:
  SweepView& inner_;
  PredictionRecorder& predictions_;
};

}  // namespace tacho
