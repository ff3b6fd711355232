#include "predict/speed/covariance_kernel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace tacho {
namespace {

constexpr std::uint32_t kUnknownCost = 1U << kLabels;

// Vector units process four numbers at a time, …
struct FourLanes {
  using Floats = float __attribute__((vector_size(16)));
  using Ints = std::int32_t __attribute__((vector_size(16)));
};
// … those of most x86-64 processors eight.
struct EightLanes {
  using Floats = float __attribute__((vector_size(32)));
  using Ints = std::int32_t __attribute__((vector_size(32)));
};

template <class Vector, class Number>
[[gnu::always_inline]] inline void load(const Number* from, Vector& to) {
  std::memcpy(&to, from, sizeof(to));
}

// Returns e^-x for x ≥ 0 (from 80 on, that of 80) within 2e-6: 2^integer by the exponent's bits,
// the rest by a polynomial around the middle.
template <class Unit>
[[gnu::always_inline]] inline void fade(typename Unit::Floats& x) {
  using Floats = typename Unit::Floats;
  using Ints = typename Unit::Ints;
  const Floats far = Floats{} + 80.0F;
  const Floats powers = (x < far ? x : far) * -1.44269504F;
  const Ints whole = __builtin_convertvector(powers - 0.5F, Ints);
  const Floats rest = (powers - __builtin_convertvector(whole, Floats)) * 0.69314718F;
  x = rest * (1.0F / 720.0F) + 1.0F / 120.0F;
#pragma GCC unroll 5
  for (const float factor : {1.0F / 24.0F, 1.0F / 6.0F, 0.5F, 1.0F, 1.0F}) x = x * rest + factor;
  x *= reinterpret_cast<Floats>((whole + 127) << 23);
}

// Returns one bit per label.
std::uint32_t labels_of(const CovarianceTerm& term) {
  std::uint32_t labels = term.unknown_cost ? kUnknownCost : 0;
  for (const Label label : term.labels) labels |= 1U << static_cast<unsigned>(label);
  return labels;
}

}  // namespace

CodedColumns::CodedColumns(std::span<const CodedPoint> points) : size_(points.size()) {
  const std::size_t room = (size_ + kAtATime - 1) / kAtATime * kAtATime;
  for (std::size_t m = 0; m < kMeasures; ++m) {
    measures_[m].resize(room);
    for (std::size_t i = 0; i < size_; ++i) measures_[m][i] = points[i].measures[m];
  }
  for (std::size_t l = 0; l <= kLabels; ++l) {
    labels_[l].resize(room);
    for (std::size_t i = 0; i < size_; ++i) {
      labels_[l][i] = l < kLabels ? points[i].labels[l] : points[i].cost_known ? 0 : -1;
    }
  }
}

CovarianceKernel::CovarianceKernel() {
  for (const CovarianceShape& shape : shipped_covariance().shapes) {
    auto& fadings = shapes_.emplace_back();
    for (const auto& [measure, length] : shape) {
      fadings.push_back({measure, 0.5F / (length * length)});
    }
  }
  std::uint32_t used = 0;
  for (const CovarianceTerm& term : shipped_covariance().terms) used |= labels_of(term);
  for (std::size_t l = 0; l < kLabels; ++l) {
    if ((used >> l & 1U) != 0) labels_.push_back(l);
  }
  for (const auto& [measure, name] : kMeasureNames.table) {
    const auto looks_at = [m = measure](const Fading& fading) { return fading.measure == m; };
    if (std::ranges::any_of(
            shapes_, [&](const auto& shape) { return std::ranges::any_of(shape, looks_at); })) {
      measures_.push_back(measure);
    }
  }
  if (shapes_.size() > kMostShapes) broken_invariant("more than kMostShapes shapes");
  // Precomputed for every set of labels, so that a comparison does not visit single terms.
  shared_.resize(std::size_t{2} << kLabels);
  for (const CovarianceTerm& term : shipped_covariance().terms) {
    const std::uint32_t labels = labels_of(term);
    const auto variance = static_cast<float>(term.deviation * term.deviation);
    whole_unknown_ += variance;
    if (!term.unknown_cost) whole_known_ += variance;
    for (std::uint32_t common = 0; common < shared_.size(); ++common) {
      if ((common & labels) == labels) add(term, variance, shared_[common]);
    }
  }
}

void CovarianceKernel::add(const CovarianceTerm& term, float variance, Shared& shared) {
  if (term.shape < 0) {
    shared.parts[kNeverFades] += variance;
    return;
  }
  const auto shape = static_cast<std::size_t>(term.shape);
  shared.parts[shape] += variance;
  shared.shapes |= 1U << shape;
}

template <class Unit>
[[gnu::always_inline]] inline void CovarianceKernel::compare_by(const CodedPoint& point,
                                                                const CodedColumns& others,
                                                                std::size_t count,
                                                                float* out) const {
  using Floats = typename Unit::Floats;
  using Ints = typename Unit::Ints;
  constexpr std::size_t kLanes = sizeof(Floats) / sizeof(float);
  constexpr std::size_t kVectors = CodedColumns::kAtATime / kLanes;
  for (std::size_t at = 0; at < count; at += CodedColumns::kAtATime) {
    std::array<Ints, kVectors> common{};
    for (const std::size_t l : labels_) {
      const std::int32_t* column = &others.labels_[l][at];
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v) {
        Ints codes;
        load(column + v * kLanes, codes);
        common[v] |= (codes == point.labels[l]) & (1 << l);
      }
    }
    if (!point.cost_known) {
      const std::int32_t* column = &others.labels_[kLabels][at];
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v) {
        Ints codes;
        load(column + v * kLanes, codes);
        common[v] |= codes & static_cast<std::int32_t>(kUnknownCost);
      }
    }
    std::array<std::uint32_t, CodedColumns::kAtATime> sets;
    std::memcpy(sets.data(), common.data(), sizeof(sets));
    std::array<const Shared*, CodedColumns::kAtATime> shared;
    std::uint32_t shapes = 0;
    std::uint32_t differing = 0;
    for (std::size_t i = 0; i < CodedColumns::kAtATime; ++i) {
      shared[i] = &shared_[sets[i]];
      shapes |= shared[i]->shapes;
      differing |= sets[i] ^ sets[0];
    }
    // The distances of each measure are computed once for all shapes that use it.
    EnumArray<Measure, std::array<Floats, kVectors>, kMeasures> distances;
    for (const Measure m : measures_) {
      const float* column = &others.measures_[m][at];
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v) {
        Floats difference;
        load(column + v * kLanes, difference);
        difference -= point.measures[m];
        distances[m][v] = difference * difference;
      }
    }
    // Examples of a source follow each other and often have the same labels in common.
    const auto take = [&](std::size_t part, std::size_t v, Floats& to) {
      if (differing == 0) {
        to = Floats{} + shared[0]->parts[part];
      } else {
        for (std::size_t i = 0; i < kLanes; ++i) to[i] = shared[v * kLanes + i]->parts[part];
      }
    };
    std::array<Floats, kVectors> sum;
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) take(kNeverFades, v, sum[v]);
    for (; shapes != 0; shapes &= shapes - 1) {
      const auto s = static_cast<std::size_t>(std::countr_zero(shapes));
      std::array<Floats, kVectors> share{};
      for (const Fading& fading : shapes_[s]) {
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectors; ++v) {
          share[v] += distances[fading.measure][v] * fading.weight;
        }
      }
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v) {
        fade<Unit>(share[v]);
        Floats most;
        take(s, v, most);
        sum[v] += most * share[v];
      }
    }
    std::memcpy(out + at, sum.data(), sizeof(sum));
  }
}

#ifdef __x86_64__
[[gnu::target("avx2,fma")]] void CovarianceKernel::compare_by_eight(const CodedPoint& point,
                                                                    const CodedColumns& others,
                                                                    std::size_t count,
                                                                    float* out) const {
  compare_by<EightLanes>(point, others, count, out);
}
#endif

void CovarianceKernel::compare(const CodedPoint& point, const CodedColumns& others,
                               std::size_t count, float* out) const {
#ifdef __x86_64__
  static const bool wide =
      __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  if (wide) {
    compare_by_eight(point, others, count, out);
    return;
  }
#endif
  compare_by<FourLanes>(point, others, count, out);
}

double CovarianceKernel::operator()(const CodedPoint& a, const CodedPoint& b) const {
  std::array<float, CodedColumns::kAtATime> out{};
  compare(a, CodedColumns(std::span(&b, 1)), 1, out.data());
  return out[0];
}

double CovarianceKernel::whole(const CodedPoint& a) const {
  return a.cost_known ? whole_known_ : whole_unknown_;
}

CodedPoint Codebook::add(const JobPoint& point) {
  for (std::size_t i = 0; i < kLabels; ++i) {
    numbers_[i].try_emplace(point.labels[i], static_cast<std::int32_t>(numbers_[i].size() + 1));
  }
  return look_up(point);
}

CodedPoint Codebook::look_up(const JobPoint& point) const {
  CodedPoint coded;
  coded.cost_known = point.cost_known;
  coded.measures = point.measures;
  for (std::size_t i = 0; i < kLabels; ++i) {
    const auto found = numbers_[i].find(point.labels[i]);
    coded.labels[i] = found == numbers_[i].end() ? -1 : found->second;
  }
  return coded;
}

}  // namespace tacho
