#include "predict/speed/own_speed.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/estimate.h"
#include "predict/speed/model_name.h"

namespace tacho {
namespace {

constexpr int kLargestPower = 24;  // of two, a batch of 16 million
// Two runs of a configuration differ by this much.
constexpr double kSmallestReach = 0.02;

// Replaces values that decrease by the mean of their neighbours (pool adjacent violators).
void make_increasing(std::vector<double>& values) {
  struct Block {
    double mean;
    std::size_t count;
  };
  std::vector<Block> blocks;
  for (const double value : values) {
    blocks.push_back({value, 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean > blocks.back().mean) {
      const Block last = blocks.back();
      blocks.pop_back();
      Block& into = blocks.back();
      const auto a = static_cast<double>(into.count);
      const auto b = static_cast<double>(last.count);
      into = {(a * into.mean + b * last.mean) / (a + b), into.count + last.count};
    }
  }
  std::size_t next = 0;
  for (const Block& block : blocks) {
    for (std::size_t i = 0; i < block.count; ++i) values[next++] = block.mean;
  }
}

}  // namespace

std::string_view format_name(NumberFormat format) {
  if (is_half(format)) return "half";
  return format == NumberFormat::tf32 ? "tf32" : "fp32";
}

Residual residual_at(const OwnJob& job) {
  return {.model = job.model,
          .line = model_name(job.model).line,
          .format = std::string(format_name(job.format)),
          .log_batch = std::log(std::max(job.batch, 1.0)),
          .log_extent = std::log(job.size.extent)};
}

double gpu_distance(NumberFormat format, const GpuSpec& a, const GpuSpec& b) {
  return std::max(std::abs(std::log(peak_tflops(a, format) / peak_tflops(b, format))),
                  std::abs(std::log(a.memory_gb_per_s / b.memory_gb_per_s)));
}

double gpu_difference(double distance) {
  // Published figures are as uncertain for GPUs that differ by a third as for very different ones.
  constexpr double kDifferent = 0.3;
  return std::min(1.0, distance / kDifferent);
}

OwnSpeed::OwnSpeed(OwnLayers layers, GpuSpec measured, OwnFit fit, OwnResiduals residuals)
    : layers_(std::move(layers)),
      measured_(std::move(measured)),
      fit_(std::move(fit)),
      residuals_(std::move(residuals)) {}

Result<OwnSpeed> OwnSpeed::make(OwnLayers layers, const GpuCatalog& gpus, OwnFit fit) {
  TACHO_TRY(measured, gpus.find(fit.measured_gpu));
  TACHO_TRY(residuals, OwnResiduals::learn(fit.residuals, fit.terms));
  return OwnSpeed(std::move(layers), *measured, std::move(fit), std::move(residuals));
}

double OwnSpeed::gpu_deviation(NumberFormat format, const GpuSpec& gpu) const {
  return fit_.gpu_spread * gpu_difference(gpu_distance(format, measured_, gpu));
}

Result<OwnSpeed::Curve> OwnSpeed::curve(const std::string& model, const SampleSize& size,
                                        NumberFormat format) const {
  Curve out;
  TACHO_TRY(network, layers_.of(model, size));
  out.speed_ = this;
  out.network_ = std::move(network);
  out.format_ = format;
  OwnJob job{model, size, format, 1};
  out.novelty_ = OwnNovelty::model;
  for (const Residual& one : residuals_.residuals()) {
    if (one.model != model) continue;
    out.novelty_ = std::min(
        out.novelty_, one.format == format_name(format) ? OwnNovelty::batch : OwnNovelty::format);
  }
  for (int power = 0; power <= kLargestPower; ++power) {
    job.batch = std::exp2(power);
    out.residuals_.push_back(residuals_.predict(residual_at(job)));
  }
  return out;
}

OwnStep OwnSpeed::Curve::at(double batch, const GpuSpec& gpu) const {
  const auto roofline = [&](double samples) {
    return roofline_step(network_, samples, format_, gpu, speed_->fit_.rates);
  };
  std::vector<double> logs;
  for (std::size_t power = 0; power < residuals_.size(); ++power) {
    const double samples = std::exp2(power);
    logs.push_back(std::log(std::max(roofline(samples).total() * std::exp(residuals_[power].mean),
                                     shortest_step(network_, samples, format_, gpu))));
  }
  make_increasing(logs);
  const double place = std::clamp(std::log2(std::max(batch, 1.0)), 0.0, kLargestPower - 1e-9);
  const auto below = static_cast<std::size_t>(place);
  const double share = place - static_cast<double>(below);
  const auto between = [&](double a, double b) { return a + share * (b - a); };
  OwnStep step;
  step.parts = roofline(std::exp2(place));
  const double seconds = std::max(std::exp(between(logs[below], logs[below + 1])),
                                  shortest_step(network_, batch, format_, gpu));
  const double factor = seconds / step.parts.total();
  for (double* part :
       {&step.parts.arithmetic, &step.parts.traffic, &step.parts.optimizer, &step.parts.launch}) {
    *part *= factor;
  }
  step.novelty = novelty_;
  const double deviation = speed_->fit_.stretch[novelty_] *
                           between(residuals_[below].deviation, residuals_[below + 1].deviation);
  step.reach = std::max(kSmallestReach,
                        kDeviations90 * std::hypot(deviation, speed_->gpu_deviation(format_, gpu)));
  return step;
}

Result<OwnStep> OwnSpeed::step(const OwnJob& job, const GpuSpec& gpu) const {
  TACHO_TRY(steps, curve(job.model, job.size, job.format));
  return steps.at(job.batch, gpu);
}

}  // namespace tacho
