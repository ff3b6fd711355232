#pragma once

#include <span>

#include "predict/decoder/decoder_example.h"

namespace tacho {

// The logarithm of predicted over published tokens per second.
double log_error(const DecoderExample& example, const DecoderClock& clock);

// Least squares on the logarithms of the speeds, in which large errors count less than their
// square, plus the squared distances from the prior. `start` only saves iterations.
Efficiencies fit_efficiencies(std::span<const DecoderExample* const> examples,
                              const Efficiencies& start);

}  // namespace tacho
