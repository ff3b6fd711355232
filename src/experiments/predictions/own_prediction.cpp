#include "experiments/predictions/own_prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/units.h"
#include "experiments/predictions/dataset_fit.h"

namespace tacho {
namespace {

std::string usual_data(std::span<const OwnRun> known, const std::string& model, Device device,
                       const Host& here) {
  std::map<std::string, std::size_t> counts;
  for (const OwnRun& run : known) {
    if (run.spec.model == model && run.spec.device == device &&
        same_machine(run.host, here, device)) {
      ++counts[run.spec.data];
    }
  }
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  return most == counts.end() ? std::string(kSyntheticData) : most->first;
}

std::string bytes_text(double bytes) {
  return human(Bytes{static_cast<std::int64_t>(std::llround(bytes))});
}

Json predicted_json(const Estimate& predicted) {
  return Json{{"value", predicted.value}, {"low90", predicted.low}, {"high90", predicted.high}};
}

}  // namespace

Result<RunSpec> own_spec(const OwnQuestion& question, std::span<const OwnRun> known,
                         const Host& here) {
  RunSettings settings = {{"model", question.model}};
  const std::string device =
      question.device.empty() ? (here.gpu.empty() ? "cpu" : "cuda") : question.device;
  settings.emplace_back("device", device);
  if (question.batch) {
    if (*question.batch != std::floor(*question.batch) || !(*question.batch >= 1) ||
        *question.batch > 1e9) {
      return Error{ErrorCode::usage,
                   fmt::format("--batch: {:g} is not a valid number of samples", *question.batch)};
    }
    settings.emplace_back("batch", fmt::format("{:.0f}", *question.batch));
  }
  if (!question.precision.empty()) settings.emplace_back("precision", question.precision);
  if (!question.data.empty() && question.data != kSyntheticData) {
    TACHO_CHECK(check_fit(question.model, question.data, {}));
  }
  TACHO_TRY(parsed, kDevices.parse(device));
  settings.emplace_back("data", question.data.empty()
                                    ? usual_data(known, question.model, parsed, here)
                                    : question.data);
  settings.insert(settings.end(), question.further.begin(), question.further.end());
  TACHO_TRY(request, train_request(settings));
  return request.spec;
}

std::string own_prediction_text(const RunSpec& spec, const Host& here,
                                const RunPrediction& prediction, std::string_view where) {
  const bool cuda = spec.device == Device::cuda;
  const Estimate& step = prediction.step_seconds;
  const auto samples = static_cast<double>(samples_per_step(spec));
  std::string out =
      fmt::format("{} on {}, batch {}, {}, on {}{}\n", spec.model, spec.data, spec.batch,
                  kPrecisions.of(spec.precision), where, cuda ? here.gpu : here.cpu);
  out += fmt::format("  step     {}   (90 %: {} … {})\n", human(Seconds(step.value)),
                     human(Seconds(step.low)), human(Seconds(step.high)));
  out += fmt::format("  speed    {} samples/s\n", human_count(samples / step.value));
  const Estimate& memory = prediction.memory_bytes;
  if (memory.value > 0) {
    out += fmt::format("  memory   {}   (90 %: {} … {}){}\n", bytes_text(memory.value),
                       bytes_text(memory.low), bytes_text(memory.high), cuda ? " on the GPU" : "");
  }
  out += fmt::format("  basis    {}\n", prediction.basis);
  return out;
}

Json own_prediction_json(const RunSpec& spec, const Host& here, const RunPrediction& prediction) {
  const auto samples = static_cast<double>(samples_per_step(spec));
  return Json{{"model", spec.model},
              {"data", spec.data},
              {"batch", spec.batch},
              {"precision", kPrecisions.of(spec.precision)},
              {"device", kDevices.of(spec.device)},
              {"machine", spec.device == Device::cuda ? here.gpu : here.cpu},
              {"step_seconds", predicted_json(prediction.step_seconds)},
              {"samples_per_s", samples / prediction.step_seconds.value},
              {"memory_bytes", predicted_json(prediction.memory_bytes)},
              {"basis", prediction.basis}};
}

}  // namespace tacho
