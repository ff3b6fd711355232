#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "predict/speed/cpu_speed.h"
#include "predict/speed/learning_set.h"
#include "predict/speed/predictor.h"

namespace tacho {

// The training data: the built-in catalog, or the same files in a folder.
struct PublishedJobs {
  GpuCatalog gpus;
  ModelCosts costs;
  std::vector<TrainingExample> examples;
};
Result<PublishedJobs> read_published_jobs(const std::optional<std::string>& folder);

// Descriptions and speeds of Tacho's own models, built in.
Result<OwnLayers> shipped_own_layers();
Result<OwnSpeed> shipped_own_speed_model(const GpuCatalog& gpus);
Result<CpuSpeed> shipped_cpu_speed_model();

// Opens the model in `file`; otherwise the one written by 'tacho fit', otherwise the built-in one.
Result<Predictor> open_predictor(const std::optional<std::string>& file);
std::filesystem::path own_speed_model(const std::filesystem::path& home);

std::size_t worker_threads();

}  // namespace tacho
