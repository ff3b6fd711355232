#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/json_object.h"
#include "base/terminal.h"
#include "lab/sweep_view.h"
#include "record/metric.h"

namespace tacho {

// The best run so far, by one metric.
class BestRun {
 public:
  // By `wanted`; without it by the accuracy where there is one, else by the speed, else the time.
  explicit BestRun(const Metric* wanted) : wanted_(wanted) {}

  void add(const Configuration& configuration, const RunRecord& record);
  // "best top-1 85.3 % (batch=64)"; "" while there is none.
  [[nodiscard]] std::string text() const;

 private:
  struct Found {
    const Metric* metric;
    double value;
    std::string configuration;
  };
  const Metric* wanted_;
  std::optional<Found> best_;
};

// "12 of 40 done, 2 running, 1 failed, 3 skipped, 3:12 left"
std::string progress_text(const SweepProgress& progress);

Json counts_json(const SweepCounts& counts);

// A sweep on standard error, while it runs: a line that renews itself on a terminal, and a line a
// run elsewhere.
class SweepLines final : public SweepView {
 public:
  SweepLines(const Terminal& terminal, const Metric* best) : terminal_(terminal), best_(best) {}
  ~SweepLines() override { clear(); }
  SweepLines(const SweepLines&) = delete;
  SweepLines& operator=(const SweepLines&) = delete;

  void began(const SweepRow& sweep, const SweepCounts& counts) override;
  void submitted(const SweepTask& task) override { (void)task; }
  void finished(const SweepTask& task, const RunRecord& record) override;
  void skipped(const SweepTask& task, const std::string& reason) override;
  void put_back(const SweepTask& task, const std::string& reason) override;
  void note(const std::string& sentence) override;
  void tick(const SweepProgress& progress) override;

 private:
  void say(const std::string& line);
  void clear();

  const Terminal& terminal_;
  BestRun best_;
  std::int64_t all_ = 0;
  std::int64_t over_ = 0;
  bool stopping_said_ = false;
  bool shown_ = false;
};

// The same for programs: one JSON object a line on standard output.
class SweepEvents final : public SweepView {
 public:
  void began(const SweepRow& sweep, const SweepCounts& counts) override;
  void submitted(const SweepTask& task) override;
  void finished(const SweepTask& task, const RunRecord& record) override;
  void skipped(const SweepTask& task, const std::string& reason) override;
  void put_back(const SweepTask& task, const std::string& reason) override;
  void note(const std::string& sentence) override;
  void tick(const SweepProgress& progress) override { (void)progress; }

  static void print(const Json& event);
};

}  // namespace tacho
