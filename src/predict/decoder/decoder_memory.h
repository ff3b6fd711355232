#pragma once

#include "predict/decoder/decoder_job.h"

namespace tacho {

// The largest memory of one GPU during a step, in bytes, as the formula of FSDP with Adam in fp32
// and half-precision activations has it. Nobody published measurements of it, so it has no
// interval; all published jobs fit by this count.
struct DecoderMemory {
  double state = 0;        // parameters, gradients and both moments, the share of this GPU
  double gathered = 0;     // parameters and gradients of the layers at work
  double activations = 0;  // kept for the backward pass
  double logits = 0;       // and their gradient
  double reserved = 0;     // by CUDA and NCCL
  [[nodiscard]] double total() const { return state + gathered + activations + logits + reserved; }
};
DecoderMemory memory_of(const DecoderJob& job);

double capacity_bytes(const GpuSpec& gpu);
bool fits(const DecoderJob& job, const GpuSpec& gpu);

// 0 if not even one sequence fits.
double largest_micro_batch(DecoderJob job, const GpuSpec& gpu);

}  // namespace tacho
