#include "predict/speed/own_predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/record/model_catalog.h"
#include "predict/speed/model_costs.h"
#include "predict/speed/software.h"

namespace tacho {
namespace {

// Runs of Tacho in data/corpus have median batches of this size.
constexpr double kUsualBatch = 64;
// Context of the driver and libraries, which the runs' peak does not contain.
constexpr double kContextGb = 0.9;
// The exchange of gradients is known to a factor of two.
constexpr double kExchangeFactor = 2;

Result<SampleSize> size_of(const TrainingJob& job, const ModelInfo& model) {
  if (job.input_shape.empty()) return OwnLayers::usual_size(std::string(model.name));
  const bool text = model.input == InputKind::text;
  const auto extent = text ? sequence_length(job.input_shape) : image_side(job.input_shape);
  if (extent) return SampleSize{job.input_shape, *extent};
  return Error{ErrorCode::unavailable,
               fmt::format("'{}' is not an input of {}, which reads {}, such as {}",
                           job.input_shape, model.name, text ? "text" : "images",
                           OwnLayers::usual_size(std::string(model.name)).text)};
}

Result<void> trains(const TrainingJob& job, const ModelInfo& model, const GpuSpec& gpu) {
  if (number_format(job.precision) == NumberFormat::fp8) {
    return Error{ErrorCode::unavailable, "Tacho does not train in fp8; use bf16"};
  }
  if ((job.precision == "bf16" || job.precision == "tf32") && !has_bf16_and_tf32(gpu)) {
    return Error{ErrorCode::unavailable,
                 fmt::format("{} does not support {}; use fp16 or fp32", gpu.name, job.precision)};
  }
  if (job.layout == "nchw" && model.input == InputKind::image) {
    return Error{ErrorCode::unavailable,
                 "Tacho trains images in nhwc on a GPU; leave out the layout"};
  }
  return {};
}

}  // namespace

Result<Prediction> OwnPredictions::of(const TrainingJob& job, const GpuSpec& gpu) {
  const std::string name = own_model_of(job.model);
  if (name.empty()) {
    return Error{ErrorCode::unavailable,
                 fmt::format("Tacho does not train '{}'; use the software pytorch", job.model)};
  }
  TACHO_TRY(model, find_model(name));
  TACHO_CHECK(trains(job, *model, gpu));
  TACHO_TRY(size, size_of(job, *model));
  const NumberFormat format = number_format(job.precision);
  const std::string key = fmt::format("{} {} {}", name, size.text, format_name(format));
  auto curve = curves_.find(key);
  if (curve == curves_.end()) {
    TACHO_TRY(made, speed_.curve(name, size, format));
    curve = curves_.emplace(key, std::move(made)).first;
  }
  const double batch = job.batch_per_gpu.value_or(kUsualBatch);
  const OwnStep one = curve->second.at(batch, gpu);
  const OwnNetwork& network = curve->second.network();
  const double on_one = one.parts.total();
  const double step = with_exchange(on_one,
                                    {.cost = {.params_m = network.params_m},
                                     .format = format,
                                     .num_gpus = job.num_gpus,
                                     .num_nodes = job.num_nodes},
                                    gpu);
  const double slow_exchange = on_one + kExchangeFactor * (step - on_one);
  const double reach = std::hypot(one.reach, std::log(slow_exchange / step));

  Prediction out;
  out.software = software_of(job.framework);
  out.step_seconds = step;
  const double speed = batch * job.num_gpus / step;
  // No measurement can be above what the data sheet allows.
  const double most = batch * job.num_gpus / shortest_step(network, batch, format, gpu);
  out.most_samples_per_s = most;
  out.samples_per_s = {speed, speed * std::exp(-reach), std::min(speed * std::exp(reach), most)};
  out.shares = {.arithmetic = one.parts.arithmetic / step,
                .memory = one.parts.traffic / step,
                .optimizer = one.parts.optimizer / step,
                .launch = one.parts.launch / step,
                .exchange = (step - on_one) / step};
  TACHO_TRY(cost, speed_.layers().costs().of(name, size));
  const double width = is_half(format) ? 0.5 : 1;
  out.memory_gb = kContextGb + (cost.held_fixed_mb + width * cost.held_mb * batch) * 1e-3;
  out.fits = out.memory_gb <= gpu.memory_gb;
  if (!job.batch_per_gpu) {
    out.in_domain = false;
    out.reason = fmt::format("batch size unknown, {:.0f} assumed; set it with -b", batch);
  }
  return out;
}

}  // namespace tacho
