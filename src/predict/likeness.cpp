#include "predict/likeness.h"

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <utility>

namespace tacho {
namespace {

using enum Label;

struct Fading {
  Measure measure;
  float length;
};
struct Shape {
  std::array<Fading, 11> fadings{};
  std::size_t count = 0;
  constexpr Shape(std::initializer_list<Fading> list) {
    for (const Fading& fading : list) fadings[count++] = fading;
  }
};

constexpr auto kBatch = Measure::batch;
constexpr auto kGmacs = Measure::gmacs;
constexpr auto kActs = Measure::activations_per_mac;
constexpr auto kParams = Measure::params_per_mac;
constexpr auto kPeak = Measure::peak;
constexpr auto kBandwidth = Measure::bandwidth_per_peak;
constexpr auto kSms = Measure::multiprocessors;
constexpr auto kBound = Measure::compute_per_memory;
constexpr auto kHost = Measure::launch_share;
constexpr auto kOptimizer = Measure::optimizer_share;
constexpr auto kGpus = Measure::gpus;
constexpr auto kNodes = Measure::nodes;
constexpr auto kExchange = Measure::exchange_share;

constexpr std::array<Shape, 10> kShapes = {{
    /* 0 everything */ {{kBound, 1},
                        {kHost, 1},
                        {kOptimizer, 1.5},
                        {kBatch, 2},
                        {kGmacs, 2},
                        {kActs, 1},
                        {kParams, 2},
                        {kPeak, 1.5},
                        {kBandwidth, 1}},
    /* 1 what bounds */ {{kBound, 1}, {kHost, 1}, {kOptimizer, 1.5}, {kBatch, 2}},
    /* 2 the work */ {{kBatch, 1.5}, {kGmacs, 1.5}, {kActs, 0.8}, {kParams, 1.5}},
    /* 3 the GPU */ {{kPeak, 1.2}, {kBandwidth, 0.8}, {kSms, 1.2}},
    /* 4 GPU, batch */ {{kPeak, 1.2}, {kBandwidth, 0.8}, {kSms, 1.2}, {kBatch, 1.5}},
    /* 5 sizes */ {{kBatch, 1.5}, {kGpus, 1.5}, {kNodes, 1.5}},
    /* 6 bounds, work */ {{kBound, 1}, {kHost, 1}, {kOptimizer, 1.5}, {kBatch, 2}, {kGmacs, 2}},
    /* 7 the job's scale */ {{kGpus, 1.2}, {kNodes, 1.2}, {kExchange, 1.5}},
    /* 8 scale, batch */ {{kGpus, 1.2}, {kNodes, 1.2}, {kExchange, 1.5}, {kBatch, 1.2}},
    /* 9 the batch */ {{kBatch, 2}},
}};

struct Part {
  std::initializer_list<Label> labels;
  int shape;
  double deviation;  // of the logarithm of a step's time
  bool unknown_cost = false;
};

}  // namespace

Likeness::Likeness() {
  // Standard deviations, first by restricted maximum likelihood on the published figures; those of
  // clusters (a GPU with its software) and of scale were widened where rehearsals missed by more.
  const std::initializer_list<Part> parts = {
      {{}, -1, 0.5},
      {{}, 0, 0.25},
      {{precision}, -1, 0.1},
      {{stack, precision}, -1, 0.15},
      {{stack}, -1, 0.2},
      {{release}, -1, 0.1},
      {{release, precision}, -1, 0.07},
      {{framework, precision}, -1, 0.1},
      {{layout, precision}, -1, 0.1},
      {{stack}, 1, 0.15},
      {{stack, precision, layout}, 2, 0.15},
      {{layout, model_line}, -1, 0.1},
      {{model}, -1, 0.2},
      {{model, input_shape}, -1, 0.15},
      {{model, precision}, -1, 0.08},
      {{model, stack}, -1, 0.12},
      {{model, release}, -1, 0.08},
      {{model}, 3, 0.08},
      {{model, stack, precision}, 4, 0.08},
      {{model, stack}, 5, 0.12},
      {{model, gpu}, -1, 0.1},
      {{gpu, model, stack}, -1, 0.3},
      {{gpu, model, stack}, 9, 0.2},
      {{model, precision, layout}, -1, 0.08},
      {{model_line}, -1, 0.15},
      {{model_stem}, -1, 0.1},
      {{model_line}, 2, 0.12},
      {{model_stem, precision, layout}, 2, 0.1},
      {{gpu}, -1, 0.08},
      {{gpu, precision}, -1, 0.08},
      {{architecture, precision}, -1, 0.1},
      {{gpu, stack}, -1, 0.15},
      {{gpu, stack, precision}, 1, 0.15},
      {{gpu, stack}, 1, 0.15},
      {{architecture, precision}, 6, 0.12},
      {{}, 7, 0.15},
      {{stack}, 7, 0.25},
      {{model, stack}, 7, 0.2},
      {{gpu, stack}, 7, 0.4},
      {{gpu, model, stack}, 8, 0.2},
      {{gpu, stack, data_kind}, -1, 0.05},
      {{model, stack}, -1, 1, true},
      {{model}, -1, 1.5, true},
      {{model}, 9, 1, true},
  };
  for (const Shape& shape : kShapes) {
    std::array<float, 16> weights{};
    for (std::size_t i = 0; i < shape.count; ++i) {
      const auto [measure, length] = shape.fadings[i];
      weights[static_cast<std::size_t>(measure)] = 0.5F / (length * length);
    }
    shapes_.push_back(weights);
  }
  for (const Part& part : parts) {
    Term term{.shape = static_cast<std::int8_t>(part.shape),
              .unknown_cost = part.unknown_cost,
              .variance = static_cast<float>(part.deviation * part.deviation)};
    for (const Label label : part.labels) {
      term.labels = static_cast<std::uint16_t>(term.labels | (1U << static_cast<unsigned>(label)));
    }
    (term.labels == 0 ? always_ : gated_).push_back(term);
    whole_unknown_ += term.variance;
    if (!term.unknown_cost) whole_known_ += term.variance;
  }
}

namespace {

// Four and eight at a time, with whatever vector unit there is.
using Floats = float __attribute__((vector_size(16)));
using Codes = std::int16_t __attribute__((vector_size(16)));

template <class Vector, class Number>
Vector load(const Number* from) {
  Vector out;
  std::memcpy(&out, from, sizeof(out));
  return out;
}

// The labels two points share, a bit each.
std::uint16_t shared(const CodedPoint& a, const CodedPoint& b) {
  constexpr Codes kFirst = {1, 2, 4, 8, 16, 32, 64, 128};
  constexpr Codes kSecond = {256, 512, 1024, 2048, 0, 0, 0, 0};
  const Codes first = load<Codes>(a.labels.data()) == load<Codes>(b.labels.data());
  const Codes second = load<Codes>(a.labels.data() + 8) == load<Codes>(b.labels.data() + 8);
  const Codes bits = (first & kFirst) | (second & kSecond);
  std::array<std::uint64_t, 2> halves;
  std::memcpy(halves.data(), &bits, sizeof(bits));
  std::uint64_t all = halves[0] | halves[1];
  all |= all >> 32U;
  all |= all >> 16U;
  return static_cast<std::uint16_t>(all);
}

}  // namespace

double Likeness::operator()(const CodedPoint& a, const CodedPoint& b) const {
  std::array<Floats, 4> squares;
  for (std::size_t i = 0; i < 4; ++i) {
    const Floats d =
        load<Floats>(a.measures.data() + 4 * i) - load<Floats>(b.measures.data() + 4 * i);
    squares[i] = d * d;
  }
  std::array<float, kShapes.size()> faded;
  std::uint32_t made = 0;
  const auto fade = [&](std::int8_t shape) {
    const auto at = static_cast<std::size_t>(static_cast<std::uint8_t>(shape));
    if ((made >> at & 1U) == 0) {
      const float* weights = shapes_[at].data();
      Floats sums = squares[0] * load<Floats>(weights);
      for (std::size_t i = 1; i < 4; ++i) sums += squares[i] * load<Floats>(weights + 4 * i);
      const float sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
      faded[at] = sum > 30 ? 0 : std::exp(-sum);
      made |= 1U << at;
    }
    return faded[at];
  };
  double sum = 0;
  for (const Term& term : always_) {
    sum += term.shape < 0 ? term.variance : term.variance * fade(term.shape);
  }
  const std::uint16_t same = shared(a, b);
  if (same == 0) return sum;
  const bool unknown = !a.cost_known && !b.cost_known;
  for (const Term& term : gated_) {
    if ((term.labels & same) != term.labels || (term.unknown_cost && !unknown)) continue;
    sum += term.shape < 0 ? term.variance : term.variance * fade(term.shape);
  }
  return sum;
}

double Likeness::whole(const CodedPoint& a) const {
  return a.cost_known ? whole_known_ : whole_unknown_;
}

CodedPoint Codebook::add(const JobPoint& point) {
  for (std::size_t i = 0; i < kLabels; ++i) {
    numbers_[i].try_emplace(point.labels[i], static_cast<std::int16_t>(numbers_[i].size() + 1));
  }
  return look_up(point);
}

CodedPoint Codebook::look_up(const JobPoint& point) const {
  CodedPoint coded;
  coded.cost_known = point.cost_known;
  for (std::size_t i = 0; i < kMeasures; ++i) coded.measures[i] = point.measures[i];
  for (std::size_t i = 0; i < kLabels; ++i) {
    const auto found = numbers_[i].find(point.labels[i]);
    coded.labels[i] = found == numbers_[i].end() ? std::int16_t{-1} : found->second;
  }
  return coded;
}

}  // namespace tacho
