#pragma once

#include <string>

#include "base/json_object.h"
#include "base/terminal.h"
#include "experiments/predictions/training_question.h"

namespace tacho {

// The answer as text for people and as JSON, with every epoch, for programs.
std::string training_answer_text(const TrainingQuestion& question, const TrainingAnswer& answer,
                                 double gpu_memory_gb, const Terminal& terminal);
Json training_answer_json(const TrainingQuestion& question, const TrainingAnswer& answer);

}  // namespace tacho
