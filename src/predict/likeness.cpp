#include "predict/likeness.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "predict/likeness_terms.h"

namespace tacho {
namespace {

constexpr std::uint32_t kUnknownCost = 1U << kLabels;

using Floats = float __attribute__((vector_size(16)));
using Ints = std::int32_t __attribute__((vector_size(16)));

template <class Vector, class Number>
Vector load(const Number* from) {
  Vector out;
  std::memcpy(&out, from, sizeof(out));
  return out;
}

bool any(Ints lanes) {
  const auto halves = std::bit_cast<std::array<std::uint64_t, 2>>(lanes);
  return (halves[0] | halves[1]) != 0;
}

// e^-x for x from 0 to 80, within 2e-6 of it: 2^whole by the exponent's bits, the rest by a
// polynomial around the middle.
Floats fade(Floats x) {
  const Floats powers = x * -1.44269504F;
  const Ints whole = __builtin_convertvector(powers - 0.5F, Ints);
  const Floats rest = (powers - __builtin_convertvector(whole, Floats)) * 0.69314718F;
  Floats sum = 1.0F + rest * (1.0F / 7.0F);
  for (const float divisor : {6.0F, 5.0F, 4.0F, 3.0F, 2.0F, 1.0F}) {
    sum = 1.0F + rest * (1.0F / divisor) * sum;
  }
  return sum * std::bit_cast<Floats>((whole + 127) << 23);
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
      fadings.push_back({static_cast<std::size_t>(measure), 0.5F / (length * length)});
    }
  }
  for (const LikenessTerm& term : likeness_terms()) {
    std::uint32_t labels = term.unknown_cost ? kUnknownCost : 0;
    for (const Label label : term.labels) labels |= 1U << static_cast<unsigned>(label);
    const auto variance = static_cast<float>(term.deviation * term.deviation);
    whole_unknown_ += variance;
    if (!term.unknown_cost) whole_known_ += variance;
    auto group = std::ranges::find(groups_, labels, &Group::labels);
    if (group == groups_.end()) group = groups_.insert(groups_.end(), Group{labels, {}});
    group->terms.push_back({term.shape, variance});
  }
}

void Likeness::compare(const CodedPoint& point, const CodedColumns& others, std::size_t count,
                       float* out) const {
  constexpr std::size_t kMost = 16;
  std::array<Floats, kMost> faded;
  for (std::size_t at = 0; at < count; at += CodedColumns::kAtATime) {
    std::uint32_t made = 0;
    const auto shape = [&](int which) {
      const auto s = static_cast<std::size_t>(which);
      if ((made >> s & 1U) == 0) {
        Floats sum = {0, 0, 0, 0};
        for (const Fading& fading : shapes_[s]) {
          const Floats d =
              load<Floats>(&others.measures_[fading.measure][at]) - point.measures[fading.measure];
          sum += d * d * fading.weight;
        }
        const Ints near = sum < 80.0F;
        faded[s] = fade(near ? sum : Floats{80, 80, 80, 80});
        made |= 1U << s;
      }
      return faded[s];
    };
    Ints same = {0, 0, 0, 0};
    for (std::size_t l = 0; l < kLabels; ++l) {
      same |= (load<Ints>(&others.labels_[l][at]) == point.labels[l]) & (1 << l);
    }
    if (!point.cost_known) {
      same |= load<Ints>(&others.labels_[kLabels][at]) & static_cast<std::int32_t>(kUnknownCost);
    }
    Floats sum = {0, 0, 0, 0};
    for (const Group& group : groups_) {
      const auto wanted = static_cast<std::int32_t>(group.labels);
      const Ints share = (same & wanted) == wanted;
      if (!any(share)) continue;
      Floats part = {0, 0, 0, 0};
      for (const Term& term : group.terms) {
        part +=
            term.shape < 0 ? Floats{1, 1, 1, 1} * term.variance : shape(term.shape) * term.variance;
      }
      sum += std::bit_cast<Floats>(std::bit_cast<Ints>(part) & share);
    }
    std::memcpy(out + at, &sum, sizeof(sum));
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
