#pragma once

#include <cstdint>
#include <span>

#include "predict/speed/run_point.h"

namespace tacho {

// A covariance term of two runs' factors: applies if they share these labels, and decreases with
// the distance in batch and threads.
struct RunTerm {
  std::uint16_t labels = 0;
  double deviation = 0;    // standard deviation of the shared part
  double batch_reach = 0;  // length scale, in logarithms; 0: any batch
  double thread_reach = 0;
};

std::span<const RunTerm> step_terms(Part part);
std::span<const RunTerm> memory_terms(Part part);

// Returns the labels that two points share, one bit each.
std::uint16_t shared_labels(const RunPoint& a, const RunPoint& b);

double covariance(std::span<const RunTerm> terms, const RunPoint& a, const RunPoint& b);

}  // namespace tacho
