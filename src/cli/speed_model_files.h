#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "predict/learning_set.h"
#include "predict/predictor.h"

namespace tacho {

// What is learned from: the catalogue that comes with the program, or the same files in a folder.
struct PublishedJobs {
  GpuCatalog gpus;
  ModelCosts costs;
  std::vector<Lesson> lessons;
};
Result<PublishedJobs> read_published_jobs(const std::optional<std::string>& folder);

// The model in `file`; else the one 'tacho fit' left in Tacho's home; else the shipped one.
Result<Predictor> open_predictor(const std::optional<std::string>& file);
std::filesystem::path own_speed_model(const std::filesystem::path& home);

std::size_t worker_threads();

}  // namespace tacho
