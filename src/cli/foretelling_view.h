#pragma once

#include "cli/foreteller.h"
#include "lab/lab.h"
#include "lab/sweep_view.h"

namespace tacho {

// Views that, before a run starts, have written down what can be foretold of it.
class ForetellingView final : public RunView {
 public:
  ForetellingView(RunView& inner, Foreteller& foreteller)
      : inner_(inner), foreteller_(foreteller) {}

  void started(std::int64_t id, const RunOrder& order) override {
    foreteller_.write_down(order);
    inner_.started(id, order);
  }
  void event(const Event& event) override { inner_.event(event); }
  void tick() override { inner_.tick(); }

 private:
  RunView& inner_;
  Foreteller& foreteller_;
};

class ForetellingSweepView final : public SweepView {
 public:
  ForetellingSweepView(SweepView& inner, Foreteller& foreteller)
      : inner_(inner), foreteller_(foreteller) {}

  void began(const SweepRow& sweep, const SweepCounts& counts) override {
    inner_.began(sweep, counts);
  }
  void submitted(const SweepTask& task) override;
  void finished(const SweepTask& task, const RunRecord& record) override {
    foreteller_.learn_of_another();
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
  Foreteller& foreteller_;
};

}  // namespace tacho
