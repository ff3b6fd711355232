#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/record/run_folder.h"
#include "core/record/run_spec.h"
#include "training/image/pixel_target.h"
#include "training/train/models/classifier.h"

namespace tacho {

// Facts of the training data, besides the weights, on which a model's predictions depend. Stored in
// the run's folder, so that the model can be used without its data.
struct InputFacts {
  InputShape shape = {};
  std::vector<std::string> labels = {};  // one per class
  Normalisation normalisation = {};      // for images
  std::vector<std::string> words = {};   // for word-level models, in token order
};

// Atomic.
Result<void> keep_input_facts(const InputFacts& facts, const RunFolder& run);

// Reads the stored facts. ErrorCode::not_found if there are none, as in older runs.
Result<InputFacts> read_input_facts(const RunFolder& run);

// Reads the stored facts; else determines them from the spec's dataset, like training.
Result<InputFacts> find_input_facts(const RunSpec& spec, const std::filesystem::path& tacho_home,
                                    const RunFolder& run);

// Returns the dataset's class names, or else their numbers.
std::vector<std::string> class_labels(std::span<const std::string_view> names,
                                      std::int64_t classes);

}  // namespace tacho
