#pragma once

#include <cstdint>

#include "core/record/run_spec.h"

namespace tacho {

// Returns the learning rate of step `step` (from 0) of `total_steps`. All kinds but one-cycle start
// with a linear warm-up over warmup_steps or warmup_epochs:
//   constant   stays
//   step       × step_factor after every step_epochs
//   cosine     falls to 0 along half a cosine
//   milestones × step_factor at the start of each of these epochs, as torch's MultiStepLR
//   linear     falls linearly to 0, as Hugging Face's get_linear_schedule_with_warmup, whose
//              warm-up starts at 0
//   one-cycle  rises along a cosine from 1/25 of the rate over the warm-up (default: 30 % of the
//              run), then falls to 1/250,000, as torch's OneCycleLR
double learning_rate_at(const ScheduleSpec& schedule, double base_rate, std::int64_t step,
                        std::int64_t steps_per_epoch, std::int64_t total_steps);

}  // namespace tacho
