#include "predict/speed/model_costs.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "predict/speed/csv_columns.h"

namespace tacho {
namespace {

std::optional<double> leading_number(std::string_view text) {
  int value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || value <= 0) return {};
  return value;
}

// Fine-tuning has the costs of the model.
std::string plain_name(const ModelName& name) {
  const std::string& canonical = name.canonical;
  return canonical.substr(0, canonical.size() - (canonical.ends_with("_ft") ? 3 : 0));
}

}  // namespace

std::optional<double> image_side(std::string_view shape) {
  const std::size_t last = shape.rfind('x');
  if (last == std::string_view::npos) return {};
  return leading_number(shape.substr(last + 1));
}

std::optional<double> sequence_length(std::string_view shape) {
  if (!shape.starts_with("seq") && !shape.starts_with("tgt")) return {};
  return leading_number(shape.substr(3));
}

SampleCost ModelCosts::Transformer::at(double length) const {
  // Each layer has 12·width² weights; attention multiplies every token with every other, twice. For
  // large models the number of parameters is more accurate, because their layers have other shapes.
  const double weights = params_m < 2000 ? 12 * layers * width * width : params_m * 1e6;
  const double attention = 2 * length * length * width * layers;
  // A layer keeps 17 vectors per token and its attention twice, which long sequences do not write
  // to memory.
  const double kept =
      layers * (17 * length * width + 2 * heads * std::min(length, 2048.0) * length);
  return {.gmacs = (weights * length + attention) * 1e-9,
          .macts_m = kept * 1e-6,
          .params_m = params_m,
          .transformer = true,
          .shape = fmt::format("seq{:.0f}", length)};
}

Result<ModelCosts> ModelCosts::parse(std::string_view features_csv,
                                     std::string_view transformers_csv,
                                     std::string_view others_csv) {
  static constexpr std::array<std::string_view, 5> kImage = {"model", "img_size", "gmacs",
                                                             "macts_M", "params_M"};
  static constexpr std::array<std::string_view, 7> kText = {
      "model", "layers", "width", "heads", "params_M", "sequence", "finetuned_sequence"};
  ModelCosts costs;
  TACHO_TRY(images, read_csv(features_csv));
  TACHO_TRY(image_places, column_places(images, kImage));
  for (const CsvRecord& record : images.rows) {
    const CsvColumns row(record, kImage, image_places);
    std::array<double, 4> values{};
    for (std::size_t i = 0; i < values.size(); ++i) {
      TACHO_TRY(value, row.number(kImage[i + 1]).in(fmt::format("line {}", record.line)));
      values[i] = value.value_or(0);
    }
    costs.images_[model_name(row.text("model")).canonical].push_back(
        {values[0], {.gmacs = values[1], .macts_m = values[2], .params_m = values[3]}});
  }
  TACHO_TRY(texts, read_csv(transformers_csv));
  TACHO_TRY(text_places, column_places(texts, kText));
  for (const CsvRecord& record : texts.rows) {
    const CsvColumns row(record, kText, text_places);
    std::array<double, 6> values{};
    for (std::size_t i = 0; i < values.size(); ++i) {
      TACHO_TRY(value, row.number(kText[i + 1]).in(fmt::format("line {}", record.line)));
      values[i] = value.value_or(0);
    }
    costs.transformers_[row.text("model")] = {values[0], values[1], values[2],
                                              values[3], values[4], values[5]};
  }
  if (others_csv.empty()) return costs;
  static constexpr std::array<std::string_view, 5> kOther = {"model", "gmacs", "macts_M",
                                                             "params_M", "units"};
  TACHO_TRY(others, read_csv(others_csv));
  TACHO_TRY(other_places, column_places(others, kOther));
  for (const CsvRecord& record : others.rows) {
    const CsvColumns row(record, kOther, other_places);
    std::array<double, 4> values{};
    for (std::size_t i = 0; i < values.size(); ++i) {
      TACHO_TRY(value, row.number(kOther[i + 1]).in(fmt::format("line {}", record.line)));
      values[i] = value.value_or(0);
    }
    costs.others_[row.text("model")] = {values[0], values[1], values[2], values[3], true};
  }
  return costs;
}

std::optional<SampleCost> ModelCosts::image_model(const std::string& name,
                                                  std::optional<double> side) const {
  const auto known = images_.find(name);
  if (known == images_.end()) return {};
  const AtSize* best = &known->second.front();
  for (const AtSize& entry : known->second) {
    const double wanted = side.value_or(224);
    if (std::abs(entry.side - wanted) < std::abs(best->side - wanted)) best = &entry;
  }
  SampleCost cost = best->cost;
  cost.shape = fmt::format("3x{0:.0f}x{0:.0f}", side.value_or(best->side));
  if (side && best->side > 0) {
    const double area = (*side / best->side) * (*side / best->side);
    cost.gmacs *= area;
    cost.macts_m *= area;
  }
  return cost;
}

ModelInput ModelCosts::input_of(const std::string& model) const {
  const std::string name = plain_name(model_name(model));
  if (transformers_.contains(name)) return ModelInput::text;
  if (images_.contains(name)) return ModelInput::images;
  return others_.contains(name) ? ModelInput::other : ModelInput::unknown;
}

std::vector<std::string_view> ModelCosts::names() const {
  std::vector<std::string_view> names;
  for (const auto& [name, cost] : images_) names.emplace_back(name);
  for (const auto& [name, cost] : transformers_) names.emplace_back(name);
  for (const auto& [name, cost] : others_) names.emplace_back(name);
  return names;
}

std::optional<SampleCost> ModelCosts::of(const TrainingJob& job, const ModelName& name) const {
  std::optional<SampleCost> known;
  const std::string plain = plain_name(name);
  const bool finetuned = plain != name.canonical;
  // MLPerf's rules allow BERT to omit padding.
  auto found = transformers_.end();
  if (job.model.find("MLPerf") != std::string::npos) found = transformers_.find(plain + "_mlperf");
  if (found == transformers_.end()) found = transformers_.find(plain);
  if (found != transformers_.end()) {
    const double usual = finetuned ? found->second.finetuned_sequence : found->second.sequence;
    known = found->second.at(sequence_length(job.input_shape).value_or(usual));
  } else {
    known = image_model(plain, image_side(job.input_shape));
  }
  if (const auto other = others_.find(plain); !known && other != others_.end()) {
    known = other->second;
  }
  if (!job.gmacs && !known) return {};
  SampleCost cost = known.value_or(SampleCost{});
  if (job.gmacs) {
    cost.gmacs = *job.gmacs;
    cost.rough = false;
  }
  // If a job gives only its multiply-adds: the average ratio of image models.
  cost.macts_m = job.macts_m.value_or(known ? known->macts_m : 2.5 * cost.gmacs);
  cost.params_m = job.params_m.value_or(known ? known->params_m : 5 * cost.gmacs);
  return cost;
}

}  // namespace tacho
