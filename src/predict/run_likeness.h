#pragma once

#include <cstdint>
#include <span>

#include "predict/run_point.h"

namespace tacho {

// A reason for which two runs' factors resemble each other: they share these labels, and are close
// in batch and threads where that matters.
struct RunTerm {
  std::uint16_t labels = 0;
  double deviation = 0;    // of what those that share it have in common
  double batch_reach = 0;  // in logarithms; 0: any batch
  double thread_reach = 0;
};

std::span<const RunTerm> step_terms(Part part);
std::span<const RunTerm> memory_terms(Part part);

// The labels that two points share, a bit each.
std::uint16_t shared_labels(const RunPoint& a, const RunPoint& b);

double covariance(std::span<const RunTerm> terms, const RunPoint& a, const RunPoint& b);

}  // namespace tacho
