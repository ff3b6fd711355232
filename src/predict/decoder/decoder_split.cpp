#include "predict/decoder/decoder_split.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

namespace tacho {
namespace {

constexpr double kFewGpus = 64;

struct Lengths {
  double shortest = 0;
  double longest = 0;
};

using Fold = std::vector<const DecoderExample*>;

// "" for jobs that the split does not hold out.
std::string fold_of(const DecoderExample& job, DecoderSplit split, const Lengths& lengths) {
  switch (split) {
    case DecoderSplit::size:
      return job.model;
    case DecoderSplit::sequence:
      return fmt::format("{:.0f}", job.sequence);
    case DecoderSplit::ends:
      return job.sequence == lengths.shortest || job.sequence == lengths.longest
                 ? fmt::format("{:.0f}", job.sequence)
                 : "";
    case DecoderSplit::gpu_count:
      return job.num_gpus > kGpusPerNode ? fmt::format("{:.0f}", job.num_gpus) : "";
    case DecoderSplit::more_gpus:
      return job.num_gpus > kFewGpus ? fmt::format("more than {:.0f}", kFewGpus) : "";
    case DecoderSplit::gpu_type:
      return job.gpu;
    case DecoderSplit::both:
      return job.model + " on " + job.gpu;
  }
  broken_invariant("a split without folds");
}

// True if a fit that predicts `held_out` must not see `other`.
bool is_hidden(const DecoderExample& other, const DecoderExample& held_out, DecoderSplit split,
               const Lengths& lengths) {
  switch (split) {
    case DecoderSplit::gpu_type:
      return other.gpu == held_out.gpu;
    case DecoderSplit::both:
      return other.gpu == held_out.gpu || other.model == held_out.model;
    default:
      return fold_of(other, split, lengths) == fold_of(held_out, split, lengths);
  }
}

void predict_fold(const std::string& name, const Fold& fold,
                  const std::function<bool(const DecoderExample&)>& hidden,
                  const std::vector<DecoderExample>& decoders,
                  const std::vector<DecoderExample>& encoders, const Efficiencies& start,
                  std::vector<HeldOutDecoder>& out) {
  std::vector<const DecoderExample*> fitted;
  for (const auto* all : {&decoders, &encoders}) {
    for (const DecoderExample& other : *all) {
      if (!hidden(other)) fitted.push_back(&other);
    }
  }
  const DecoderClock clock(fit_efficiencies(fitted, start));
  for (const DecoderExample* job : fold) {
    out.push_back({.example = job, .fold = name, .log_error = log_error(*job, clock)});
  }
}

}  // namespace

std::vector<HeldOutDecoder> predict_held_out(const std::vector<DecoderExample>& decoders,
                                             const std::vector<DecoderExample>& encoders,
                                             DecoderSplit split, const Efficiencies& start) {
  if (decoders.empty()) return {};
  const auto [shortest, longest] = std::ranges::minmax(decoders, {}, &DecoderExample::sequence);
  const Lengths lengths{.shortest = shortest.sequence, .longest = longest.sequence};
  std::map<std::string, Fold> folds;
  for (const DecoderExample& job : decoders) {
    const std::string name = fold_of(job, split, lengths);
    if (!name.empty()) folds[name].push_back(&job);
  }
  std::vector<HeldOutDecoder> out;
  for (const auto& [name, fold] : folds) {
    const auto hidden = [&, &held_out = *fold.front()](const DecoderExample& other) {
      const bool encoder = other.work.software != DecoderSoftware::decoders;
      return encoder ? other.gpu == held_out.gpu &&
                           (split == DecoderSplit::gpu_type || split == DecoderSplit::both)
                     : is_hidden(other, held_out, split, lengths);
    };
    predict_fold(name, fold, hidden, decoders, encoders, start, out);
  }
  return out;
}

std::vector<HeldOutDecoder> predict_held_out_encoders(const std::vector<DecoderExample>& decoders,
                                                      const std::vector<DecoderExample>& encoders,
                                                      const Efficiencies& start) {
  std::map<std::string, Fold> folds;
  for (const DecoderExample& job : encoders) folds[job.gpu].push_back(&job);
  std::vector<HeldOutDecoder> out;
  for (const auto& [gpu, fold] : folds) {
    const auto hidden = [&name = gpu](const DecoderExample& other) {
      return other.gpu == name && other.work.software != DecoderSoftware::decoders;
    };
    predict_fold(gpu, fold, hidden, decoders, encoders, start, out);
  }
  return out;
}

}  // namespace tacho
