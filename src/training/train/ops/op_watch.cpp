#include "training/train/ops/op_watch.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/file.h"
#include "training/train/ops/copy_rate.h"

namespace tacho {
namespace {

// Up to step `steps`, one of `every` steps is observed.
struct Share {
  std::int64_t steps;
  std::int64_t one_of;
};
constexpr std::array<Share, 3> kShares = {{{10, 1}, {1000, 5}, {INT64_MAX, 50}}};

}  // namespace

OpWatch::OpWatch(std::filesystem::path file, const RunSpec& spec, const ComputePaths& paths)
    : file_(std::move(file)) {
  if (spec.device != Device::cpu) return;
  trace_.peak_flops = 1e9 * paths.product_gflops;
  trace_.peak_bytes_per_s = measure_copy_bytes_per_s();
}

bool OpWatch::is_turn_of(std::int64_t number) const {
  const std::int64_t n = number - first_;
  if (n < 0) return false;
  const auto* share = std::find_if(kShares.begin(), kShares.end(),
                                   [&](const Share& known) { return n < known.steps; });
  return n % share->one_of == 0;
}

OpWatch::Step::Step(OpWatch* watch, std::int64_t number)
    : watch_(watch != nullptr && watch->is_turn_of(number) ? watch : nullptr),
      number_(number),
      began_(Clock::now()) {
  if (watch_ != nullptr) watch_->observer_.begin_step();
}

OpWatch::Step::~Step() {
  if (watch_ != nullptr) watch_->observer_.drop_step();
}

void OpWatch::Step::done() {
  if (watch_ == nullptr) return;
  const std::chrono::duration<double> step = Clock::now() - began_;
  OpTrace& trace = watch_->trace_;
  if (trace.step_s.empty()) trace.first_step = number_;
  trace.operator_s.push_back(watch_->observer_.keep_step());
  trace.step_s.push_back(step.count());
  watch_ = nullptr;
}

Result<void> OpWatch::write() const {
  OpTrace trace = trace_;
  trace.rows = observer_.rows();
  return write_file_atomically(file_, json_text(to_json(trace)) + "\n");
}

std::string OpWatch::remark(const RunSpec& spec) {
  if (spec.device == Device::cpu) return {};
  std::string text = "operator times are the host's, which only launches the GPU's work";
  if (spec.graphs != Switch::off) {
    text += "; a CUDA graph launches none of them: use --graphs off";
  }
  return text;
}

}  // namespace tacho
