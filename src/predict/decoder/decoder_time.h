#pragma once

#include <array>
#include <string_view>

#include "predict/decoder/decoder_operations.h"

namespace tacho {

// What is learned from published jobs. All are natural logarithms, except the exponents and the
// software's, which is the logarithm of a factor on the time.
enum class Efficiency {
  matrices,        // highest share of the peak of matrix products, on the reference GPU
  matrices_peak,   // exponent: how this share falls with the GPU's peak
  half_width,      // width at which matrix products reach half of their share
  half_tokens,     // tokens per micro-batch at which they do
  attention,       // share of the peak of attention, on the reference GPU
  attention_peak,  // exponent, as above
  bandwidth,       // share of the memory bandwidth that elementwise operations reach
  exposed,         // share of the collectives' time that computation does not hide
  hop_seconds,     // of a collective
  fp8,             // speed-up by fp8 as a share of the factor 2
  software_1,
  software_2,
  software_3,
};
inline constexpr std::size_t kEfficiencies = 13;
using Efficiencies = EnumArray<Efficiency, double, kEfficiencies>;

// What is assumed before seeing any job, with standard deviations.
struct EfficiencyPrior {
  Efficiencies mean;
  Efficiencies deviation;
};
const EfficiencyPrior& efficiency_prior();

// The software of a published job: that of decoder models, or one of the three releases with which
// encoders of the same kind were measured on more GPUs.
enum class DecoderSoftware { decoders, encoders_1, encoders_2, encoders_3 };

// Everything about a job that its time depends on.
struct DecoderWork {
  DecoderOperations operations;
  double tokens = 0;
  double width = 0;
  bool fp8 = false;
  double flops_per_s = 0;  // peak without fp8
  double log_peak = 0;     // logarithm of this peak over that of the reference GPU
  double memory_bytes_per_s = 0;
  double peer_bytes_per_s = 0;
  double network_bytes_per_s = 0;
  DecoderSoftware software = DecoderSoftware::decoders;
};
DecoderWork work_of(const DecoderJob& job, const GpuSpec& gpu);

// Seconds per pass of a micro-batch, by class. No class is faster than the data sheet allows.
using DecoderTimes = EnumArray<OperationClass, double, kOperationClasses>;
DecoderTimes times(const DecoderWork& work, const Efficiencies& learned);
double total_seconds(const DecoderTimes& times);

// The same for many jobs: takes the exponentials of what is learned once.
class DecoderClock {
 public:
  explicit DecoderClock(const Efficiencies& learned);
  [[nodiscard]] DecoderTimes times(const DecoderWork& work) const;

 private:
  Efficiencies learned_;
  Efficiencies factor_;
};

// The least time that the data sheet allows, if nothing had to wait for anything else.
double least_seconds(const DecoderWork& work);

}  // namespace tacho
