#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "image/pixel_target.h"
#include "record/run_folder.h"
#include "record/run_spec.h"
#include "train/models/classifier.h"

namespace tacho {

// What training took from its data that a model's answers depend on, besides its weights. Kept in
// the run's folder, so that the model can be used where its data is not.
struct InputFacts {
  InputShape shape = {};
  std::vector<std::string> labels = {};  // one a class
  Normalisation normalisation = {};      // images
  std::vector<std::string> words = {};   // models of whole words, in the order of their tokens
};

// Writes them, whole or not at all.
Result<void> keep_input_facts(const InputFacts& facts, const RunFolder& run);

// As they were kept. ErrorCode::not_found where they were not: Tacho did not always.
Result<InputFacts> read_input_facts(const RunFolder& run);

// As they were kept; else from the spec's dataset, as training finds them.
Result<InputFacts> find_input_facts(const RunSpec& spec, const std::filesystem::path& tacho_home,
                                    const RunFolder& run);

// Names of the classes: the dataset's own, else their numbers.
std::vector<std::string> class_labels(std::span<const std::string_view> names,
                                      std::int64_t classes);

}  // namespace tacho
