#pragma once

#include "base/names.h"

namespace tacho {

// tf32 stores fp32 and multiplies with fewer bits; bf16 and fp16 store activations in 16 bits where
// torch's autocast does.
enum class Precision { fp32, tf32, bf16, fp16 };
inline constexpr Names<Precision, 4> kPrecisions{"precision",
                                                 {{{Precision::fp32, "fp32"},
                                                   {Precision::tf32, "tf32"},
                                                   {Precision::bf16, "bf16"},
                                                   {Precision::fp16, "fp16"}}}};

}  // namespace tacho
