#pragma once

#include <span>
#include <vector>

#include "predict/decoder/decoder_split.h"

namespace tacho {

// Half the width of a 90 % interval, as a logarithm, from the errors of held-out jobs. Allows for
// one more job with a larger error. Every job weighs the same, or every type of GPU.
enum class Weigh { jobs, gpu_types };
double half_width_90(std::span<const HeldOutDecoder> held_out, Weigh weigh = Weigh::jobs);

// Errors that a new job can have in addition to those of a new model size.
struct DecoderIntervals {
  double size = 0;
  double sequence = 0;   // shorter or longer than all measured ones
  double gpu_count = 0;  // more GPUs than measured
  double gpu_kin = 0;    // a relative of a measured type: same chip, other memory or power
  double gpu_type = 0;   // another type of GPU
  double shape = 0;      // gates or shared keys, which no fitted model has
};

DecoderIntervals calibrate(const std::vector<DecoderExample>& decoders,
                           const std::vector<DecoderExample>& encoders,
                           const std::vector<DecoderExample>& others, const Efficiencies& learned);

// Errors of jobs that were not fitted.
std::vector<HeldOutDecoder> errors_of(const std::vector<DecoderExample>& others,
                                      const Efficiencies& learned);

// True for peaks that differ by less than 5 %.
bool are_close(double flops_per_s, double other);

}  // namespace tacho
