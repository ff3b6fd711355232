#include "predict/decoder/decoder_interval.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tacho {
namespace {

// The difference between the errors of relatives, which one software ran on.
double kin_half_width(const std::vector<DecoderExample>& encoders, const Efficiencies& learned) {
  std::vector<HeldOutDecoder> differences;
  const DecoderClock clock(learned);
  for (const DecoderExample& a : encoders) {
    for (const DecoderExample& b : encoders) {
      if (a.gpu >= b.gpu || a.work.software != b.work.software) continue;
      if (a.architecture != b.architecture || !are_close(a.work.flops_per_s, b.work.flops_per_s)) {
        continue;
      }
      differences.push_back(
          {.example = &a, .fold = {}, .log_error = log_error(a, clock) - log_error(b, clock)});
    }
  }
  return half_width_90(differences);
}

}  // namespace

bool are_close(double flops_per_s, double other) {
  return std::abs(std::log(flops_per_s / other)) < 0.05;
}

double half_width_90(std::span<const HeldOutDecoder> held_out, Weigh weigh) {
  std::map<std::string, double> jobs_on;
  for (const HeldOutDecoder& job : held_out) ++jobs_on[job.example->gpu];
  std::vector<std::pair<double, double>> errors;  // and weights
  double all = 0;
  for (const HeldOutDecoder& job : held_out) {
    const double weight = weigh == Weigh::jobs ? 1 : 1 / jobs_on[job.example->gpu];
    errors.emplace_back(std::abs(job.log_error), weight);
    all += weight;
  }
  if (errors.empty()) return 0;
  std::ranges::sort(errors);
  const double wanted = 0.9 * (all + all / static_cast<double>(errors.size()));
  double sum = 0;
  for (const auto& [error, weight] : errors) {
    sum += weight;
    if (sum >= wanted) return error;
  }
  return errors.back().first;
}

std::vector<HeldOutDecoder> errors_of(const std::vector<DecoderExample>& others,
                                      const Efficiencies& learned) {
  const DecoderClock clock(learned);
  std::vector<HeldOutDecoder> errors;
  for (const DecoderExample& job : others) {
    errors.push_back({.example = &job, .fold = {}, .log_error = log_error(job, clock)});
  }
  return errors;
}

DecoderIntervals calibrate(const std::vector<DecoderExample>& decoders,
                           const std::vector<DecoderExample>& encoders,
                           const std::vector<DecoderExample>& others, const Efficiencies& learned) {
  const auto held_out = [&](DecoderSplit split) {
    return predict_held_out(decoders, encoders, split, learned);
  };
  DecoderIntervals widths;
  widths.size = half_width_90(held_out(DecoderSplit::size));

  widths.sequence = std::max(widths.size, half_width_90(held_out(DecoderSplit::ends)));
  widths.gpu_count = std::max(widths.size, half_width_90(held_out(DecoderSplit::more_gpus)));

  widths.gpu_kin = std::hypot(widths.size, kin_half_width(encoders, learned));
  std::vector<HeldOutDecoder> types = held_out(DecoderSplit::both);
  const auto on_others = predict_held_out_encoders(decoders, encoders, learned);
  types.insert(types.end(), on_others.begin(), on_others.end());
  widths.gpu_type = std::max(widths.gpu_kin, half_width_90(types, Weigh::gpu_types));
  widths.shape = std::max(widths.size, half_width_90(errors_of(others, learned)));
  return widths;
}

}  // namespace tacho
