#include "predict/speed/covariance_terms.h"

#include "predict/speed/shipped.h"

namespace tacho {
namespace {

Error damaged() { return {ErrorCode::invalid, "the covariance's shapes are incomplete"}; }

Result<CovarianceShape> read_shape(const Json& json) {
  CovarianceShape shape;
  if (!json.is_array()) return damaged();
  for (const Json& part : json) {
    if (!part.is_array() || part.size() != 2 || !part[0].is_string() || !part[1].is_number()) {
      return damaged();
    }
    TACHO_TRY(measure, kMeasureNames.parse(part[0].get<std::string>()));
    shape.emplace_back(measure, part[1].get<float>());
  }
  return shape;
}

Result<CovarianceTerm> read_term(const Json& json, std::size_t shapes) {
  CovarianceTerm term;
  std::vector<std::string> labels;
  std::int64_t shape = -1;
  JsonObject object(json, "covariance term");
  object.read("labels", labels);
  object.read("shape", shape);
  object.read("deviation", term.deviation);
  object.read("unknown_cost", term.unknown_cost);
  TACHO_CHECK(object.finish());
  if (shape < -1 || shape >= static_cast<std::int64_t>(shapes)) return damaged();
  term.shape = static_cast<int>(shape);
  for (const std::string& name : labels) {
    TACHO_TRY(label, kLabelNames.parse(name));
    term.labels.push_back(label);
  }
  return term;
}

}  // namespace

Result<CovarianceTerms> CovarianceTerms::read(const Json& json) {
  CovarianceTerms out;
  JsonObject object(json, "covariance");
  const Json* shapes = object.part("shapes");
  const Json* terms = object.part("terms");
  TACHO_CHECK(object.finish());
  for (const Json& part : *shapes) {
    TACHO_TRY(shape, read_shape(part));
    out.shapes.push_back(std::move(shape));
  }
  for (const Json& part : *terms) {
    TACHO_TRY(term, read_term(part, out.shapes.size()));
    out.terms.push_back(std::move(term));
  }
  return out;
}

Json CovarianceTerms::json() const {
  Json all_shapes = Json::array();
  for (const CovarianceShape& shape : shapes) {
    Json measures = Json::array();
    for (const auto& [measure, length] : shape) {
      measures.push_back(Json::array({kMeasureNames.of(measure), length}));
    }
    all_shapes.push_back(std::move(measures));
  }
  Json all_terms = Json::array();
  for (const CovarianceTerm& term : terms) {
    Json labels = Json::array();
    for (const Label label : term.labels) labels.push_back(kLabelNames.of(label));
    all_terms.push_back(Json{{"labels", std::move(labels)},
                             {"shape", term.shape},
                             {"deviation", term.deviation},
                             {"unknown_cost", term.unknown_cost}});
  }
  return Json{{"shapes", std::move(all_shapes)}, {"terms", std::move(all_terms)}};
}

const CovarianceTerms& shipped_covariance() {
  static const CovarianceTerms terms = [] {
    const auto json = parse_json(shipped_covariance_json());
    if (!json.ok()) broken_invariant("covariance.json is not JSON");
    auto read = CovarianceTerms::read(*json);
    if (!read.ok()) broken_invariant("covariance.json is damaged");
    return *std::move(read);
  }();
  return terms;
}

}  // namespace tacho
