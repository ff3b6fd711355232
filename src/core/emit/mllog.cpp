#include "core/emit/mllog.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json_object.h"

namespace tacho {
namespace {

// Uses the spacing of Python's JSON, for readers that compare text.
std::string line(const char* type, double unix_seconds, const char* key, const Json& value,
                 const std::string& metadata) {
  return fmt::format(R"(:::MLLOG {{"namespace": "", "time_ms": {}, "event_type": "{}", )"
                     R"("key": "{}", "value": {}, "metadata": {}}})",
                     std::llround(unix_seconds * 1000), type, key, json_text(value), metadata);
}

std::string point(double unix_seconds, const char* key, const Json& value,
                  const std::string& metadata = "{}") {
  return line("POINT_IN_TIME", unix_seconds, key, value, metadata);
}
std::string start(double unix_seconds, const char* key, const std::string& metadata = "{}") {
  return line("INTERVAL_START", unix_seconds, key, nullptr, metadata);
}
std::string stop(double unix_seconds, const char* key, const std::string& metadata = "{}") {
  return line("INTERVAL_END", unix_seconds, key, nullptr, metadata);
}

std::vector<std::string> start_lines(double now, const RunSpec& spec) {
  return {start(now, "init_start"), point(now, "seed", spec.seed),
          point(now, "global_batch_size", spec.batch * spec.dist.ranks()),
          point(now, "opt_name", kOptimizers.of(spec.optimizer.kind)),
          point(now, "opt_base_learning_rate", spec.optimizer.learning_rate)};
}

// The event is written after training and evaluation.
std::vector<std::string> epoch_lines(double now, const EpochDone& epoch) {
  const double trained = now - epoch.eval_seconds;
  const std::string number = fmt::format(R"({{"epoch_num": {}}})", epoch.epoch);
  return {start(trained - epoch.train_seconds, "epoch_start", number),
          stop(trained, "epoch_stop", number), start(trained, "eval_start", number),
          point(now, "eval_accuracy", epoch.top1, number), stop(now, "eval_stop", number)};
}

}  // namespace

std::vector<std::string> MllogWriter::lines(const Event& event) {
  const double now = event.unix_seconds;
  if (std::holds_alternative<RunStarted>(event.body)) return start_lines(now, order_.spec);
  if (const auto* input = std::get_if<InputReady>(&event.body)) {
    return {point(now, "train_samples", input->train_samples),
            point(now, "eval_samples", input->eval_samples)};
  }
  if (std::holds_alternative<ModelReady>(event.body)) {
    running_ = true;
    return {stop(now, "init_stop"), start(now, "run_start")};
  }
  if (const auto* epoch = std::get_if<EpochDone>(&event.body)) {
    best_top1_ = std::max(best_top1_, epoch->top1);
    return epoch_lines(now, *epoch);
  }
  if (const auto* end = std::get_if<RunEnded>(&event.body); end != nullptr && running_) {
    running_ = false;
    const bool success = end->outcome == Outcome::ok && reached_target();
    return {stop(now, "run_stop",
                 fmt::format(R"({{"status": "{}"}})", success ? "success" : "aborted"))};
  }
  return {};
}

// In MLPerf, a run that misses its target counts as aborted.
bool MllogWriter::reached_target() const {
  return !order_.spec.target_top1 || best_top1_ >= *order_.spec.target_top1;
}

}  // namespace tacho
