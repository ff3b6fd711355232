#include "core/record/run_spec.h"

#include <fmt/format.h>

#include <charconv>

#include "core/record/model_catalog.h"
#include "core/record/run_options.h"

namespace tacho {
namespace {

Error usage(std::string message) { return {ErrorCode::usage, std::move(message)}; }

Result<void> check_optimizer(const OptimizerSpec& o) {
  if (o.nesterov && o.momentum == 0) return usage("--nesterov needs --momentum above 0");
  if (o.kind != OptimizerKind::sgd && (o.momentum != 0 || o.nesterov)) {
    return usage(
        fmt::format("--momentum and --nesterov are for sgd, not for {}", kOptimizers.of(o.kind)));
  }
  return {};
}

Result<void> check_schedule(const RunSpec& spec) {
  const ScheduleSpec& s = spec.schedule;
  if (s.warmup_epochs > static_cast<double>(spec.epochs)) {
    return usage(fmt::format("--warmup-epochs must be at most --epochs ({}), not {}", spec.epochs,
                             s.warmup_epochs));
  }
  return {};
}

Result<void> check_machine(const RunSpec& spec) {
  if (spec.stock && spec.mkldnn != Switch::automatic) {
    return usage("--stock leaves everything to torch; it cannot be combined with --mkldnn");
  }
  if (spec.stock && spec.kernels == KernelKind::fused) {
    return usage("--stock leaves everything to torch; it cannot be combined with --kernels fused");
  }
  if (spec.device == Device::cuda) {
    const auto backend = spec.dist.backend;
    if (backend == DistBackend::automatic || backend == DistBackend::nccl) return {};
    return usage(
        fmt::format("--backend {} is for CPUs; use nccl with GPUs", kDistBackends.of(backend)));
  }
  if (spec.precision != Precision::fp32) {
    return usage(fmt::format("--precision {} needs --device cuda; the CPU trains in fp32",
                             kPrecisions.of(spec.precision)));
  }
  if (spec.graphs == Switch::on) return usage("--graphs on needs --device cuda");
  if (spec.kernels == KernelKind::fused) return usage("--kernels fused needs --device cuda");
  if (spec.dist.backend == DistBackend::nccl) {
    return usage("--backend nccl needs --device cuda; use gloo or shm with CPUs");
  }
  return {};
}

}  // namespace

Result<InputSize> parse_input_size(std::string_view text) {
  constexpr std::int64_t kLargestSide = 1 << 14;
  InputSize size;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::int64_t* side : {&size.channels, &size.height, &size.width}) {
    const auto [stopped, problem] = std::from_chars(at, end, *side);
    const bool last = side == &size.width;
    if (problem != std::errc() || *side < 1 || *side > kLargestSide ||
        (last ? stopped != end : stopped == end || *stopped != 'x')) {
      return usage(fmt::format("'{}' is not a valid image size; write it as 3x224x224", text));
    }
    at = stopped + 1;
  }
  return size;
}

std::string to_text(const InputSize& size) {
  return fmt::format("{}x{}x{}", size.channels, size.height, size.width);
}

std::int64_t samples_per_step(const RunSpec& spec) { return spec.batch * spec.dist.ranks(); }

Result<void> check(const RunSpec& spec) {
  TACHO_TRY(model, find_model(spec.model));
  (void)model;
  if (spec.data.empty()) return usage("no dataset named; add --data NAME (see 'tacho data ls')");
  TACHO_CHECK(check_ranges(spec));
  TACHO_CHECK(check_machine(spec));
  TACHO_CHECK(check(spec.dist));
  if (spec.weights_partial && spec.weights.empty()) {
    return usage("--weights-partial needs --weights FILE");
  }
  TACHO_CHECK(check_optimizer(spec.optimizer));
  return check_schedule(spec);
}

}  // namespace tacho
