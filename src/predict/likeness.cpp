#include "predict/likeness.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace tacho {
namespace {

constexpr std::uint32_t kUnknownCost = 1U << kLabels;

using Floats = float __attribute__((vector_size(16)));
using Ints = std::int32_t __attribute__((vector_size(16)));
constexpr std::size_t kLanes = 4;
constexpr std::size_t kVectors = CodedColumns::kAtATime / kLanes;

template <class Vector, class Number>
Vector load(const Number* from) {
  Vector out;
  std::memcpy(&out, from, sizeof(out));
  return out;
}

// e^-x for x from 0 on (from 80 on, that of 80), within 2e-6 of it: 2^whole by the exponent's bits,
// the rest by a polynomial around the middle.
Floats fade(Floats x) {
  const Ints near = x < 80.0F;
  const Floats powers = (near ? x : Floats{80, 80, 80, 80}) * -1.44269504F;
  const Ints whole = __builtin_convertvector(powers - 0.5F, Ints);
  const Floats rest = (powers - __builtin_convertvector(whole, Floats)) * 0.69314718F;
  Floats sum = rest * (1.0F / 720.0F) + 1.0F / 120.0F;
#pragma GCC unroll 5
  for (const float factor : {1.0F / 24.0F, 1.0F / 6.0F, 0.5F, 1.0F, 1.0F}) {
    sum = sum * rest + factor;
  }
  return sum * std::bit_cast<Floats>((whole + 127) << 23);
}

// A bit for each.
std::uint32_t labels_of(const LikenessTerm& term) {
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

Likeness::Likeness() {
  for (const LikenessShape& shape : likeness_shapes()) {
    auto& fadings = shapes_.emplace_back();
    for (const auto& [measure, length] : shape) {
      fadings.push_back({measure, 0.5F / (length * length)});
    }
  }
  std::uint32_t used = 0;
  for (const LikenessTerm& term : likeness_terms()) used |= labels_of(term);
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
  if (shapes_.size() > kMostShapes) broken_invariant("more shapes than there is room for");
  // Every set of labels is looked up as it is, so that comparing takes no look at single terms.
  shared_.resize(std::size_t{2} << kLabels);
  for (const LikenessTerm& term : likeness_terms()) {
    const std::uint32_t labels = labels_of(term);
    const auto variance = static_cast<float>(term.deviation * term.deviation);
    whole_unknown_ += variance;
    if (!term.unknown_cost) whole_known_ += variance;
    for (std::uint32_t common = 0; common < shared_.size(); ++common) {
      if ((common & labels) == labels) add(term, variance, shared_[common]);
    }
  }
}

void Likeness::add(const LikenessTerm& term, float variance, Shared& shared) {
  if (term.shape < 0) {
    shared.always += variance;
    return;
  }
  const auto shape = static_cast<std::size_t>(term.shape);
  shared.of_shape[shape] += variance;
  shared.shapes |= 1U << shape;
}

void Likeness::compare(const CodedPoint& point, const CodedColumns& others, std::size_t count,
                       float* out) const {
  for (std::size_t at = 0; at < count; at += CodedColumns::kAtATime) {
    std::array<Ints, kVectors> common{};
    for (const std::size_t l : labels_) {
      const std::int32_t* column = &others.labels_[l][at];
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v) {
        common[v] |= (load<Ints>(column + v * kLanes) == point.labels[l]) & (1 << l);
      }
    }
    if (!point.cost_known) {
      const std::int32_t* column = &others.labels_[kLabels][at];
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v) {
        common[v] |= load<Ints>(column + v * kLanes) & static_cast<std::int32_t>(kUnknownCost);
      }
    }
    const auto sets = std::bit_cast<std::array<std::uint32_t, CodedColumns::kAtATime>>(common);
    std::array<const Shared*, CodedColumns::kAtATime> shared;
    std::uint32_t shapes = 0;
    for (std::size_t i = 0; i < CodedColumns::kAtATime; ++i) {
      shared[i] = &shared_[sets[i]];
      shapes |= shared[i]->shapes;
    }
    // Each measure's distances once, for all shapes that look at it.
    EnumArray<Measure, std::array<Floats, kVectors>, kMeasures> apart;
    for (const Measure m : measures_) {
      const float* column = &others.measures_[m][at];
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v) {
        const Floats difference = load<Floats>(column + v * kLanes) - point.measures[m];
        apart[m][v] = difference * difference;
      }
    }
    std::array<Floats, kVectors> sum;
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) {
      const auto* of = &shared[v * kLanes];
      sum[v] = Floats{of[0]->always, of[1]->always, of[2]->always, of[3]->always};
    }
    for (; shapes != 0; shapes &= shapes - 1) {
      const auto s = static_cast<std::size_t>(std::countr_zero(shapes));
      std::array<Floats, kVectors> distance{};
      for (const Fading& fading : shapes_[s]) {
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectors; ++v) {
          distance[v] += apart[fading.measure][v] * fading.weight;
        }
      }
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v) {
        const auto* of = &shared[v * kLanes];
        const Floats most = {of[0]->of_shape[s], of[1]->of_shape[s], of[2]->of_shape[s],
                             of[3]->of_shape[s]};
        sum[v] += most * fade(distance[v]);
      }
    }
    std::memcpy(out + at, sum.data(), sizeof(sum));
  }
}

double Likeness::operator()(const CodedPoint& a, const CodedPoint& b) const {
  std::array<float, CodedColumns::kAtATime> out{};
  compare(a, CodedColumns(std::span(&b, 1)), 1, out.data());
  return out[0];
}

double Likeness::whole(const CodedPoint& a) const {
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
