#include "predict/decoder/decoder_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/csv_records.h"
#include "base/nearest.h"
#include "base/split.h"
#include "predict/decoder/decoders_csv.h"
#include "predict/speed/csv_columns.h"

namespace tacho {
namespace {

constexpr std::array<std::string_view, 13> kShapeColumns = {"model",
                                                            "aliases",
                                                            "layers",
                                                            "width",
                                                            "heads",
                                                            "kv_heads",
                                                            "feed_forward",
                                                            "vocabulary",
                                                            "gated",
                                                            "tied",
                                                            "learned_positions",
                                                            "biases",
                                                            "sequence"};

// "Llama3_8B" and "llama3-8b" are equal.
std::string plain_model_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '-' || c == '_' || c == ' ') continue;
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

Result<DecoderModel> read_shape(const CsvColumns& row) {
  DecoderModel shape;
  shape.name = row.text("model");
  const auto number = [&](std::string_view column, double& out) -> Result<void> {
    TACHO_TRY(value, row.number(column));
    out = value.value_or(0);
    return {};
  };
  TACHO_CHECK(number("layers", shape.layers));
  TACHO_CHECK(number("width", shape.width));
  TACHO_CHECK(number("heads", shape.heads));
  TACHO_CHECK(number("kv_heads", shape.kv_heads));
  TACHO_CHECK(number("feed_forward", shape.feed_forward));
  TACHO_CHECK(number("vocabulary", shape.vocabulary));
  TACHO_CHECK(number("sequence", shape.sequence));
  shape.gated = row.text("gated") == "true";
  shape.tied = row.text("tied") == "true";
  shape.learned_positions = row.text("learned_positions") == "true";
  shape.biases = row.text("biases") == "true";
  TACHO_CHECK(check(shape));
  return shape;
}

}  // namespace

Result<void> check(const DecoderModel& shape) {
  const auto whole = [](std::string_view option, double value, double most) -> Result<void> {
    if (value >= 1 && value <= most && value == std::floor(value)) return {};
    return Error{ErrorCode::usage,
                 fmt::format("{} must be a whole number between 1 and {:.0f}", option, most)};
  };
  TACHO_CHECK(whole("--layers", shape.layers, 1000));
  TACHO_CHECK(whole("--width", shape.width, 200000));
  TACHO_CHECK(whole("--heads", shape.heads, 2000));
  TACHO_CHECK(whole("--kv-heads", shape.kv_heads, 2000));
  TACHO_CHECK(whole("--feed-forward", shape.feed_forward, 1e6));
  TACHO_CHECK(whole("--vocab", shape.vocabulary, 1e7));
  if (std::fmod(shape.width, shape.heads) != 0) {
    return Error{ErrorCode::usage, fmt::format("--width {:.0f} is not a multiple of --heads {:.0f}",
                                               shape.width, shape.heads)};
  }
  if (std::fmod(shape.heads, shape.kv_heads) != 0) {
    return Error{ErrorCode::usage,
                 fmt::format("--heads {:.0f} is not a multiple of --kv-heads {:.0f}", shape.heads,
                             shape.kv_heads)};
  }
  return {};
}

double layer_weights(const DecoderModel& shape) {
  const double attention = shape.width * shape.width * (2 + 2 * shape.kv_heads / shape.heads);
  return attention + (shape.gated ? 3 : 2) * shape.width * shape.feed_forward;
}

double parameters(const DecoderModel& shape, double sequence) {
  double of_a_layer = layer_weights(shape) + 2 * shape.width;  // two norms
  if (shape.biases) {
    of_a_layer += shape.width * (2 + 2 + 2 * shape.kv_heads / shape.heads + 1) + shape.feed_forward;
  }
  double all = shape.layers * of_a_layer + shape.width * (shape.biases ? 2 : 1);
  all += (shape.tied ? 1 : 2) * shape.vocabulary * shape.width;
  if (shape.learned_positions) all += sequence * shape.width;
  return all;
}

Result<DecoderCatalog> DecoderCatalog::parse(std::string_view csv) {
  TACHO_TRY(records, read_csv(csv));
  TACHO_TRY(places, column_places(records, kShapeColumns));
  DecoderCatalog catalog;
  for (const CsvRecord& record : records.rows) {
    const CsvColumns row(record, kShapeColumns, places);
    TACHO_TRY(shape, read_shape(row).in(fmt::format("line {}", record.line)));
    Entry entry{.shape = std::move(shape), .aliases = {}};
    for (const std::string_view alias : split(row.text("aliases"), '|')) {
      if (!alias.empty()) entry.aliases.emplace_back(alias);
    }
    catalog.entries_.push_back(std::move(entry));
  }
  return catalog;
}

Result<DecoderCatalog> DecoderCatalog::shipped() { return parse(kDecodersCsv).in("decoders.csv"); }

const DecoderModel* DecoderCatalog::find(std::string_view name) const {
  const std::string wanted = plain_model_name(name);
  const auto same = [&](std::string_view other) { return plain_model_name(other) == wanted; };
  for (const Entry& entry : entries_) {
    if (same(entry.shape.name) || std::ranges::any_of(entry.aliases, same)) return &entry.shape;
  }
  return nullptr;
}

Result<DecoderModel> DecoderCatalog::named(std::string_view name) const {
  if (const DecoderModel* shape = find(name)) return *shape;
  std::vector<std::string_view> known;
  for (const Entry& entry : entries_) known.push_back(entry.shape.name);
  return Error{ErrorCode::usage, unknown_name("decoder model", name, known) +
                                     "; or give --layers, --width, --heads and --vocab"};
}

}  // namespace tacho
