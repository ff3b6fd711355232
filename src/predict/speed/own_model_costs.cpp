#include "predict/speed/own_model_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/record/model_catalog.h"
#include "predict/speed/csv_columns.h"
#include "predict/speed/model_costs.h"

namespace tacho {
namespace {

constexpr std::array<std::string_view, 9> kCostColumns = {
    "model",          "input",    "layers",        "params_M", "gmacs",
    "moved_fixed_MB", "moved_MB", "held_fixed_MB", "held_MB"};

// Returns the image size of known datasets. Others are resized to the model's default.
std::optional<InputSize> size_of_data(std::string_view data) {
  if (data == "mnist" || data == "fashion-mnist") return InputSize{1, 28, 28};
  if (data == "cifar10" || data == "cifar100") return InputSize{3, 32, 32};
  if (data == "tiny-imagenet") return InputSize{3, 64, 64};
  return {};
}

// Returns the mean number of words of known datasets. Batches have texts of similar lengths.
std::optional<std::int64_t> words_of_data(std::string_view data) {
  if (data == "sst2") return 19;
  if (data == "imdb") return 260;
  return {};
}

std::int64_t length_of(const RunSpec& spec, const ModelInfo& model) {
  const auto words = model.tokens == TokenKind::word ? words_of_data(spec.data) : std::nullopt;
  if (words) return std::min(*words, spec.length.value_or(*words));
  return spec.length.value_or(model.sample.length);
}

}  // namespace

SampleSize sample_size(const RunSpec& spec) {
  const auto model = find_model(spec.model);
  SampleShape own = model.ok() ? (*model)->sample : SampleShape{};
  if (model.ok() && (*model)->input == InputKind::text) {
    const std::int64_t length = length_of(spec, **model);
    return {fmt::format("seq{}", length), static_cast<double>(length)};
  }
  const InputSize size = spec.input.value_or(
      size_of_data(spec.data).value_or(InputSize{own.channels, own.height, own.width}));
  return {to_text(size), std::sqrt(static_cast<double>(size.height * size.width))};
}

std::string input_shape_of(const std::string& model, const std::string& data) {
  RunSpec spec;
  spec.model = model;
  spec.data = data;
  const SampleSize size = sample_size(spec);
  return size.extent > 0 ? size.text : "";
}

Result<OwnModelCosts> OwnModelCosts::parse(std::string_view csv) {
  OwnModelCosts costs;
  TACHO_TRY(records, read_csv(csv));
  TACHO_TRY(places, column_places(records, kCostColumns));
  for (const CsvRecord& record : records.rows) {
    const std::string place = fmt::format("line {}", record.line);
    const CsvColumns row(record, kCostColumns, places);
    std::array<double, 7> values{};
    for (std::size_t i = 0; i < values.size(); ++i) {
      TACHO_TRY(value, row.number(kCostColumns[i + 2]).in(place));
      values[i] = value.value_or(0);
    }
    const std::string& input = row.text("input");
    const auto side = image_side(input);
    const auto extent = side ? side : sequence_length(input);
    if (!extent) {
      return Error{ErrorCode::invalid,
                   fmt::format("{}: input: '{}' is not a valid shape such as 3x224x224 or seq128",
                               place, input)};
    }
    costs.models_[row.text("model")].push_back(
        {*extent,
         !side,
         {values[0], values[1], values[2], values[3], values[4], values[5], values[6]}});
  }
  return costs;
}

Result<OwnModelCost> OwnModelCosts::of(const std::string& model, const SampleSize& size) const {
  const auto found = models_.find(model);
  if (found == models_.end() || !(size.extent > 0)) {
    return Error{ErrorCode::unavailable, fmt::format("the cost of model {} is unknown", model)};
  }
  const AtSize* best = &found->second.front();
  const auto away = [&](const AtSize& entry) {
    return std::abs(std::log(entry.extent / size.extent));
  };
  for (const AtSize& entry : found->second) {
    if (away(entry) < away(*best)) best = &entry;
  }
  OwnModelCost cost = best->cost;
  const double grown = std::pow(size.extent / best->extent, best->text ? 1 : 2);
  cost.gmacs *= grown;
  cost.moved_mb *= grown;
  cost.held_mb *= grown;
  return cost;
}

}  // namespace tacho
