// The file format of a SpeedModel: JSON with one list per column of its examples.
#include <fmt/format.h>

#include <cmath>

#include "base/json_object.h"
#include "predict/speed/speed_model.h"

namespace tacho {
namespace {

// Increase when the format, the covariance (data/model/covariance.json) or the cost model changes,
// because the weights depend on them.
constexpr std::int64_t kVersion = 9;

// Single precision has six digits.
double rounded(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const double scale = std::pow(10.0, digits - 1 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

Error damaged(std::string_view what) {
  return {ErrorCode::invalid, fmt::format("{}; fit the model again with 'tacho fit'", what)};
}

// A column of labels: the distinct labels, then an index per example.
Json labels_json(const std::vector<JobPoint>& examples, std::size_t label) {
  std::map<std::string, std::size_t> places;
  Json words = Json::array();
  Json column = Json::array();
  for (const JobPoint& example : examples) {
    const auto [at, fresh] = places.try_emplace(example.labels[label], places.size());
    if (fresh) words.push_back(example.labels[label]);
    column.push_back(at->second);
  }
  return Json{{"words", std::move(words)}, {"examples", std::move(column)}};
}

Result<void> read_labels(const Json& json, std::size_t label, std::vector<JobPoint>& examples) {
  const auto words = json.find("words");
  const auto column = json.find("examples");
  if (words == json.end() || column == json.end() || !words->is_array() || !column->is_array() ||
      column->size() != examples.size()) {
    return damaged("a column of labels is incomplete");
  }
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const Json& place = (*column)[i];
    if (!place.is_number_unsigned() || place.get<std::size_t>() >= words->size()) {
      return damaged("a label is not in its list");
    }
    const Json& word = (*words)[place.get<std::size_t>()];
    if (!word.is_string()) return damaged("a label is not a string");
    examples[i].labels[label] = word.get<std::string>();
  }
  return {};
}

Result<NoveltyIntervals::Bases> read_bases(const Json& json) {
  if (!json.is_object()) return damaged("the intervals are not an object");
  NoveltyIntervals::Bases bases;
  for (const auto& [base, of_base] : json.items()) {
    JsonObject object(of_base, "interval");
    std::vector<double> deviations;
    std::vector<double> reaches;
    object.read("deviations", deviations);
    object.read("reaches", reaches);
    TACHO_CHECK(object.finish());
    if (deviations.size() != reaches.size()) return damaged("an interval is incomplete");
    bases[base] = ConformalInterval::known(std::move(deviations), std::move(reaches));
  }
  return bases;
}

Result<std::map<std::string, double>> read_factors(const Json& json) {
  if (!json.is_object()) return damaged("factors of intervals are not an object");
  std::map<std::string, double> factors;
  for (const auto& [name, factor] : json.items()) {
    if (!factor.is_number()) return damaged("a factor of intervals is not a number");
    factors[name] = factor.get<double>();
  }
  return factors;
}

Result<Steadiness> read_steadiness(const Json& json) {
  if (!json.is_array()) return damaged("the irregular programs are not an array");
  std::set<std::string> jumpy;
  for (const Json& program : json) {
    if (!program.is_string()) return damaged("an irregular program is not a string");
    jumpy.insert(program.get<std::string>());
  }
  return Steadiness::known(std::move(jumpy));
}

}  // namespace

Result<std::string> SpeedModel::text() const {
  Json json{{"tacho_speed_model", kVersion}};
  Json labels = Json::array();
  for (std::size_t l = 0; l < kLabels; ++l) labels.push_back(labels_json(examples_, l));
  json["labels"] = std::move(labels);
  Json measures = Json::array();
  for (std::size_t m = 0; m < kMeasures; ++m) {
    Json column = Json::array();
    for (const JobPoint& example : examples_) column.push_back(rounded(example.measures[m], 6));
    measures.push_back(std::move(column));
  }
  json["measures"] = std::move(measures);
  Json known = Json::array();
  Json weights = Json::array();
  Json noise = Json::array();
  for (std::size_t i = 0; i < examples_.size(); ++i) {
    known.push_back(examples_[i].cost_known ? 1 : 0);
    weights.push_back(rounded(neighbours_.weights()[i], 8));
    noise.push_back(rounded(neighbours_.noise()[i], 4));
  }
  json["cost_known"] = std::move(known);
  json["weights"] = std::move(weights);
  json["noise"] = std::move(noise);
  Json bases = Json::object();
  for (const auto& [base, interval] : intervals_.bases()) {
    bases[base] = Json{{"deviations", interval.deviations()}, {"reaches", interval.reaches()}};
  }
  json["intervals"] = std::move(bases);
  json["novelties"] = intervals_.factors();
  json["family_share"] = family_share_;
  json["spreads"] = spread_.factors();
  json["jumpy"] = steadiness_.jumpy();
  return json_text(json) + "\n";
}

Result<SpeedModel> SpeedModel::read(std::string_view text) {
  TACHO_TRY(json, parse_json(text));
  JsonObject object(json, "speed model");
  std::int64_t version = 0;
  double family_share = 1;
  std::vector<double> known;
  std::vector<double> weights;
  std::vector<double> noise;
  object.read("tacho_speed_model", version);
  if (version > kVersion) {
    return Error{ErrorCode::newer,
                 "the speed model was made by a newer version of Tacho; update Tacho"};
  }
  if (version > 0 && version < kVersion) {
    return damaged("the speed model was made by an earlier version of Tacho");
  }
  object.read("family_share", family_share);
  object.read("cost_known", known);
  object.read("weights", weights);
  object.read("noise", noise);
  const Json* labels = object.part("labels");
  const Json* measures = object.part("measures");
  const Json* bases_json = object.part("intervals");
  const Json* novelties = object.part("novelties");
  const Json* factors = object.part("spreads");
  const Json* programs = object.part("jumpy");
  TACHO_CHECK(object.finish());
  const std::size_t count = known.size();
  if (weights.size() != count || noise.size() != count || !labels->is_array() ||
      labels->size() != kLabels || !measures->is_array() || measures->size() != kMeasures) {
    return damaged("the columns of the speed model differ in length");
  }
  std::vector<JobPoint> examples(count);
  for (std::size_t l = 0; l < kLabels; ++l) TACHO_CHECK(read_labels((*labels)[l], l, examples));
  for (std::size_t m = 0; m < kMeasures; ++m) {
    const Json& column = (*measures)[m];
    if (!column.is_array() || column.size() != count) return damaged("a measure is incomplete");
    for (std::size_t i = 0; i < count; ++i) {
      if (!column[i].is_number()) return damaged("a measure is not a number");
      examples[i].measures[m] = column[i].get<float>();
    }
  }
  TACHO_TRY(bases, read_bases(*bases_json));
  TACHO_TRY(kinds, read_factors(*novelties));
  TACHO_TRY(spreads, read_factors(*factors));
  TACHO_TRY(steadiness, read_steadiness(*programs));
  Codebook codebook;
  std::vector<CodedPoint> points;
  for (std::size_t i = 0; i < count; ++i) {
    examples[i].cost_known = known[i] != 0;
    points.push_back(codebook.add(examples[i]));
  }
  return SpeedModel(std::move(examples),
                    Neighbours::known(std::move(points), std::move(weights), std::move(noise)),
                    StackSpread::known(std::move(spreads)), std::move(steadiness),
                    NoveltyIntervals::known(std::move(bases), std::move(kinds)), family_share);
}

}  // namespace tacho
