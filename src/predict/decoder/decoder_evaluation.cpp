#include "predict/decoder/decoder_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "base/table.h"
#include "base/units.h"

namespace tacho {
namespace {

using HeldOut = std::vector<HeldOutDecoder>;

// Errors that the interval of a held-out job may come from, in addition to those of other folds of
// its split: a type of GPU is one of many, and a larger number of GPUs has no other fold.
HeldOut further_errors(const DecoderPredictor& predictor, DecoderSplit split) {
  switch (split) {
    case DecoderSplit::gpu_type:
    case DecoderSplit::both:
      return predict_held_out_encoders(predictor.decoders(), predictor.encoders(),
                                       predictor.learned());
    case DecoderSplit::more_gpus:
      return predict_held_out(predictor.decoders(), predictor.encoders(), DecoderSplit::size,
                              predictor.learned());
    default:
      return {};
  }
}

double width_without(const HeldOut& all, const HeldOut& further, const HeldOutDecoder& held_out,
                     DecoderSplit split) {
  const bool types = split == DecoderSplit::gpu_type || split == DecoderSplit::both;
  HeldOut others = further;
  if (types) {
    std::erase_if(others, [&](const HeldOutDecoder& other) {
      return other.example->gpu == held_out.example->gpu;
    });
  }
  std::ranges::copy_if(all, std::back_inserter(others), [&](const HeldOutDecoder& other) {
    return types ? other.example->gpu != held_out.example->gpu : other.fold != held_out.fold;
  });
  return half_width_90(others, types ? Weigh::gpu_types : Weigh::jobs);
}

DecoderScore errors_score(std::string name, const HeldOut& all) {
  DecoderScore score{.held_out = std::move(name), .jobs = all.size()};
  std::set<std::string> folds;
  std::vector<double> errors;
  for (const HeldOutDecoder& job : all) {
    folds.insert(job.fold);
    errors.push_back(std::abs(std::expm1(job.log_error)));
  }
  if (errors.empty()) return score;
  std::ranges::sort(errors);
  const auto jobs = static_cast<double>(errors.size());
  score.folds = folds.size();
  score.median_error = (errors[(errors.size() - 1) / 2] + errors[errors.size() / 2]) / 2;
  score.p90_error = errors[static_cast<std::size_t>(std::ceil(0.9 * jobs)) - 1];
  for (const double error : errors) score.mean_error += error / jobs;
  return score;
}

DecoderScore score(const DecoderPredictor& predictor, DecoderSplit split) {
  const HeldOut all =
      predict_held_out(predictor.decoders(), predictor.encoders(), split, predictor.learned());
  const HeldOut further = further_errors(predictor, split);
  DecoderScore score = errors_score(std::string(kDecoderSplits.of(split)), all);
  const auto covered = std::ranges::count_if(all, [&](const HeldOutDecoder& job) {
    return std::abs(job.log_error) <= width_without(all, further, job, split);
  });
  if (!all.empty()) score.coverage = static_cast<double>(covered) / static_cast<double>(all.size());
  return score;
}

}  // namespace

std::vector<DecoderScore> evaluate_decoders(const DecoderPredictor& predictor) {
  std::vector<DecoderScore> scores;
  for (const auto& [split, name] : kDecoderSplits.table) scores.push_back(score(predictor, split));
  scores.push_back(errors_score(
      "GPU type, of encoders",
      predict_held_out_encoders(predictor.decoders(), predictor.encoders(), predictor.learned())));
  scores.push_back(errors_score("another publication, Llama 3",
                                errors_of(predictor.others(), predictor.learned())));
  return scores;
}

std::string decoder_scores_table(const std::vector<DecoderScore>& scores,
                                 const Terminal& terminal) {
  Table table({{"decoder models, held out", Align::left},
               {"folds"},
               {"jobs"},
               {"median"},
               {"mean"},
               {"90th"},
               {"covered"}});
  for (const DecoderScore& score : scores) {
    table.add({score.held_out, fmt::format("{}", score.folds), fmt::format("{}", score.jobs),
               human_share(score.median_error), human_share(score.mean_error),
               human_share(score.p90_error), score.coverage ? human_share(*score.coverage) : "-"});
  }
  return table.text(terminal);
}

Json decoder_scores_json(const std::vector<DecoderScore>& scores) {
  Json list = Json::array();
  for (const DecoderScore& score : scores) {
    list.push_back(Json{
        {"held_out", score.held_out},
        {"folds", score.folds},
        {"jobs", score.jobs},
        {"median_error", score.median_error},
        {"mean_error", score.mean_error},
        {"p90_error", score.p90_error},
        {"coverage_of_90_percent_intervals", score.coverage ? Json(*score.coverage) : Json()}});
  }
  return list;
}

}  // namespace tacho
