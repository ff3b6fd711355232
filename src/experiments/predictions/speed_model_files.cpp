#include "experiments/predictions/speed_model_files.h"

#include <algorithm>
#include <thread>

#include "base/file.h"
#include "base/home.h"
#include "predict/speed/shipped.h"

namespace tacho {
namespace {

Result<std::string> catalog_file(const std::optional<std::string>& folder, const char* name,
                                 std::string_view shipped) {
  if (!folder) return std::string(shipped);
  return read_file(std::filesystem::path(*folder) / name);
}

}  // namespace

Result<PublishedJobs> read_published_jobs(const std::optional<std::string>& folder) {
  TACHO_TRY(gpus_text, catalog_file(folder, "gpus.csv", shipped_gpus_csv()));
  TACHO_TRY(features, catalog_file(folder, "model_features.csv", shipped_model_features_csv()));
  TACHO_TRY(transformers, catalog_file(folder, "transformers.csv", shipped_transformers_csv()));
  TACHO_TRY(others, catalog_file(folder, "other_models.csv", shipped_other_models_csv()));
  TACHO_TRY(throughput, catalog_file(folder, "throughput.csv", shipped_throughput_csv()));
  TACHO_TRY(gpus, GpuCatalog::parse(gpus_text).in("gpus.csv"));
  TACHO_TRY(costs, ModelCosts::parse(features, transformers, others).in("data/catalog"));
  TACHO_TRY(jobs, read_measured_jobs(throughput).in("throughput.csv"));
  for (const MeasuredJob& measured : jobs) {
    TACHO_TRY(gpu, gpus.find(measured.job.gpu).in("throughput.csv"));
    static_cast<void>(gpu);
  }
  auto examples = make_examples(jobs, PointMaker(gpus, costs));
  return PublishedJobs{std::move(gpus), std::move(costs), std::move(examples)};
}

Result<OwnLayers> shipped_own_layers() {
  TACHO_TRY(costs, OwnModelCosts::parse(shipped_own_models_csv()).in("own_models.csv"));
  return OwnLayers::parse(shipped_own_layers_csv(), std::move(costs)).in("own_layers.csv");
}

Result<OwnSpeed> shipped_own_speed_model(const GpuCatalog& gpus) {
  TACHO_TRY(layers, shipped_own_layers());
  TACHO_TRY(fit, read_own_fit(shipped_own_speed()).in("own_speed.json"));
  return OwnSpeed::make(std::move(layers), gpus, std::move(fit));
}

Result<CpuSpeed> shipped_cpu_speed_model() {
  TACHO_TRY(layers, shipped_own_layers());
  TACHO_TRY(fit, read_cpu_fit(shipped_cpu_speed()).in("cpu_speed.json"));
  return CpuSpeed(std::move(layers), std::move(fit));
}

std::filesystem::path own_speed_model(const std::filesystem::path& home) {
  return home / "speed-model.json";
}

Result<Predictor> open_predictor(const std::optional<std::string>& file) {
  TACHO_TRY(gpus, GpuCatalog::parse(shipped_gpus_csv()).in("gpus.csv"));
  TACHO_TRY(costs, ModelCosts::parse(shipped_model_features_csv(), shipped_transformers_csv(),
                                     shipped_other_models_csv()));
  TACHO_TRY(home, tacho_home());
  std::filesystem::path path = file ? std::filesystem::path(*file) : own_speed_model(home);
  std::string text(shipped_speed_model());
  std::string place = "built-in speed model";
  if (file || std::filesystem::exists(path)) {
    TACHO_TRY(own, read_file(path));
    text = std::move(own);
    place = path.string();
  }
  TACHO_TRY(model, SpeedModel::read(text).in(place));
  TACHO_TRY(own, shipped_own_speed_model(gpus));
  Predictor predictor(std::move(gpus), std::move(costs), std::move(model));
  predictor.set_own_speed(std::move(own));
  return predictor;
}

std::size_t worker_threads() {
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 16);
}

}  // namespace tacho
