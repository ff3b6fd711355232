#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json_object.h"
#include "base/terminal.h"
#include "core/record/metric.h"
#include "experiments/runner/sweep_view.h"

namespace tacho {

// The best run so far, by one metric.
class BestRun {
 public:
  // Uses `wanted`; by default the accuracy if there is one, otherwise the speed, otherwise the
  // time.
  explicit BestRun(const Metric* wanted) : wanted_(wanted) {}

  // `name`: the configuration.
  void add(const std::string& name, const RunRecord& record);
  // "best top-1 85.3 % (batch=64)"; "" if there is none.
  [[nodiscard]] std::string text() const;

 private:
  struct Found {
    const Metric* metric;
    double value;
    std::string name;
  };
  const Metric* wanted_;
  std::optional<Found> best_;
};

// "12 of 40 done, 2 running, 1 failed, 3 skipped, 3:12 left"
std::string progress_text(const SweepProgress& progress);

// Shows a running sweep on standard error: an updating line on a terminal, and one line per run.
class SweepLines final : public SweepView {
 public:
  // `options`: those that differ between its runs.
  SweepLines(const Terminal& terminal, const Metric* best, std::vector<std::string> options)
      : terminal_(terminal), best_(best), options_(std::move(options)) {}
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
  [[nodiscard]] std::string name_of(const SweepTask& task) const;
  void clear();

  const Terminal& terminal_;
  BestRun best_;
  std::vector<std::string> options_;
  std::int64_t all_ = 0;
  std::int64_t over_ = 0;
  bool stopping_shown_ = false;
  bool shown_ = false;
};

// Prints the same for programs: one JSON object per line on standard output.
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
