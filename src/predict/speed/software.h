#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "predict/speed/training_job.h"

namespace tacho {

// Returns how published figures name the software of --software: tacho, pytorch, pytorch-compile,
// or any such name, which is returned unchanged.
std::string framework_of(std::string_view software);
// The reverse: "tacho" for kUsualFramework.
std::string software_of(std::string_view framework);

// The words of --software.
std::vector<std::string_view> software_words();

bool is_tacho(std::string_view framework);

// Returns the name in Tacho's model catalog for any spelling; "" for other models.
std::string own_model_of(std::string_view model);

// Fills in the software if none is given: Tacho for its own models, PyTorch for any other.
TrainingJob with_software(TrainingJob job);

}  // namespace tacho
