#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "base/terminal.h"
#include "core/emit/mllog.h"
#include "experiments/runner/runner.h"

namespace tacho {

// The state of the progress line, computed from events only.
class LiveState {
 public:
  explicit LiveState(const RunSpec& spec) : spec_(spec) {}

  void add(const Event& event);
  // "epoch 2/3  412/938  loss 0.412  top-1 85.1 %  1,213 samples/s  0:42 left"
  [[nodiscard]] std::string line() const;

 private:
  [[nodiscard]] std::int64_t planned_steps() const;

  const RunSpec& spec_;
  std::string stage_ = "starting";
  std::int64_t steps_per_epoch_ = 0;
  std::int64_t train_samples_ = 0;
  std::int64_t ranks_ = 1;
  std::int64_t epoch_ = 0;
  std::int64_t step_ = 0;
  std::deque<double> recent_seconds_;
  std::deque<double> recent_loss_;
  std::optional<EpochDone> last_epoch_;
};

// Shows a run on standard error: an updating line on a terminal, otherwise one line per epoch;
// nothing if quiet. With mllog, MLPerf lines are written to standard output.
class LiveView final : public RunView {
 public:
  struct Options {
    bool quiet = false;
    bool mllog = false;
  };
  LiveView(const Terminal& terminal, Options options) : terminal_(terminal), options_(options) {}
  ~LiveView() override { clear(); }

  void started(std::int64_t id, const RunOrder& order) override;
  void event(const Event& event) override;
  void tick() override;

 private:
  void clear();

  const Terminal& terminal_;
  Options options_;
  std::optional<RunOrder> order_;
  std::optional<LiveState> state_;
  std::optional<MllogWriter> mllog_;
  bool shown_ = false;
};

}  // namespace tacho
