#include "predict/speed/run_covariance.h"

#include <array>
#include <cmath>

namespace tacho {
namespace {

template <class... Labels>
constexpr std::uint16_t all_of(Labels... labels) {
  return static_cast<std::uint16_t>((0U | ... | (1U << static_cast<unsigned>(labels))));
}

using enum RunLabel;

// Deviations of logarithms between runs that share only these labels; a common factor is tuned.
// They were guessed, then doubled and halved one by one while that increased the likelihood of one
// eighth of data/corpus given the rest.
constexpr std::array kFixed = {
    RunTerm{all_of(), 1.5},
    RunTerm{all_of(model), 1.6},
    RunTerm{all_of(precision), 0.2},
    RunTerm{all_of(model, precision), 0.25},
    RunTerm{all_of(layout), 0.15},
    RunTerm{all_of(model, layout), 0.08},
    RunTerm{all_of(model, precision, layout), 0.03},
    RunTerm{all_of(optimizer), 0.1},
    RunTerm{all_of(model, optimizer), 0.1},
    RunTerm{all_of(model, size), 0.04},
    RunTerm{all_of(data), 0.1},
    RunTerm{all_of(model, data), 0.1},
    RunTerm{all_of(software), 0.1},
    RunTerm{all_of(ranks), 0.3},
    RunTerm{all_of(), 0.3, 0, 0.7},
    RunTerm{all_of(model), 0.2, 0, 0.7},
};
constexpr std::array kSamples = {
    RunTerm{all_of(), 1.5},
    RunTerm{all_of(model), 0.4},
    RunTerm{all_of(precision), 0.3},
    RunTerm{all_of(layout), 0.3},
    RunTerm{all_of(precision, layout), 0.15},
    RunTerm{all_of(model, precision), 0.3},
    RunTerm{all_of(model, layout), 0.6},
    RunTerm{all_of(model, precision, layout), 0.2},
    RunTerm{all_of(model, size), 0.15},
    RunTerm{all_of(model, precision, size), 0.05},
    RunTerm{all_of(data), 0.1},
    RunTerm{all_of(model, data), 0.1},
    RunTerm{all_of(input), 0.005},
    RunTerm{all_of(optimizer), 0.02},
    RunTerm{all_of(software), 0.1},
    RunTerm{all_of(ranks), 0.2},
    RunTerm{all_of(), 0.2, 0, 0.7},
    RunTerm{all_of(model), 0.15, 0, 0.7},
};
constexpr std::array kHost = {
    RunTerm{all_of(), 1.0},          RunTerm{all_of(model), 0.5},
    RunTerm{all_of(precision), 0.1}, RunTerm{all_of(model, precision), 0.1},
    RunTerm{all_of(layout), 0.05},   RunTerm{all_of(optimizer), 0.1},
    RunTerm{all_of(host), 0.3},      RunTerm{all_of(software), 0.1},
    RunTerm{all_of(ranks), 0.2},
};
// Small batches leave units idle, large ones exceed caches: a smooth deviation.
constexpr std::array kDrift = {
    RunTerm{all_of(), 0.02, 1.25},
    RunTerm{all_of(model), 0.05, 2.4},
    RunTerm{all_of(model, layout), 0.01, 2.4},
    RunTerm{all_of(model, precision, layout, size), 0.03, 1.2},
    RunTerm{all_of(graphs), 0.02},
    RunTerm{all_of(model, graphs), 0.01},
};

constexpr std::array kFixedMemory = {
    RunTerm{all_of(), 0.3},
    RunTerm{all_of(model), 0.15},
    RunTerm{all_of(precision), 0.05},
    RunTerm{all_of(model, precision), 0.06},
    RunTerm{all_of(layout), 0.05},
    RunTerm{all_of(model, layout), 0.05},
    RunTerm{all_of(model, precision, layout), 0.04},
    RunTerm{all_of(optimizer), 0.05},
    RunTerm{all_of(data), 0.05},
    RunTerm{all_of(model, data), 0.05},
    RunTerm{all_of(input), 0.02},
    RunTerm{all_of(software), 0.1},
    RunTerm{all_of(ranks), 0.1},
    RunTerm{all_of(), 0.05, 0, 0.7},
    // Captured steps have a second thread with a separate workspace.
    RunTerm{all_of(graphs), 0.2},
    RunTerm{all_of(model, graphs), 0.2},
};
constexpr std::array kSamplesMemory = {
    RunTerm{all_of(), 0.3},
    RunTerm{all_of(model), 0.2},
    RunTerm{all_of(precision), 0.1},
    RunTerm{all_of(layout), 0.1},
    RunTerm{all_of(precision, layout), 0.05},
    RunTerm{all_of(model, precision), 0.08},
    RunTerm{all_of(model, layout), 0.08},
    RunTerm{all_of(model, precision, layout), 0.06},
    RunTerm{all_of(model, size), 0.1},
    RunTerm{all_of(data), 0.05},
    RunTerm{all_of(software), 0.05},
    RunTerm{all_of(ranks), 0.05},
};
constexpr std::array kDriftMemory = {
    RunTerm{all_of(model), 0.03, 3.2},
    RunTerm{all_of(model, precision, layout, size), 0.008, 0.94},
    RunTerm{all_of(model, graphs), 0.02},
};

}  // namespace

std::span<const RunTerm> step_terms(Part part) {
  switch (part) {
    case Part::fixed:
      return kFixed;
    case Part::samples:
      return kSamples;
    case Part::host:
      return kHost;
    case Part::drift:
      return kDrift;
  }
  broken_invariant("part without terms");
}

std::span<const RunTerm> memory_terms(Part part) {
  switch (part) {
    case Part::fixed:
      return kFixedMemory;
    case Part::samples:
      return kSamplesMemory;
    case Part::host:
      return {};
    case Part::drift:
      return kDriftMemory;
  }
  broken_invariant("part without terms");
}

std::uint16_t shared_labels(const RunPoint& a, const RunPoint& b) {
  unsigned same = 0;
  for (std::size_t i = 0; i < kRunLabels; ++i) {
    if (a.labels[i] == b.labels[i]) same |= 1U << i;
  }
  return static_cast<std::uint16_t>(same);
}

double covariance(std::span<const RunTerm> terms, const RunPoint& a, const RunPoint& b) {
  const unsigned same = shared_labels(a, b);
  double sum = 0;
  for (const RunTerm& term : terms) {
    if ((term.labels & same) != term.labels) continue;
    double far = 0;
    if (term.batch_reach > 0) far += std::pow((a.log_batch - b.log_batch) / term.batch_reach, 2);
    if (term.thread_reach > 0) {
      far += std::pow((a.log_threads - b.log_threads) / term.thread_reach, 2);
    }
    sum += term.deviation * term.deviation * (far > 0 ? std::exp(-far / 2) : 1);
  }
  return sum;
}

}  // namespace tacho
