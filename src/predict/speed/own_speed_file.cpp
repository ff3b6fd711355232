// The file format of an OwnFit: JSON with one list per column of its residuals.
#include <cmath>

#include "base/json_object.h"
#include "predict/speed/named_json.h"
#include "predict/speed/own_speed.h"

namespace tacho {

std::string own_fit_text(const OwnFit& fit) {
  Json rows = Json::array();
  for (const Residual& one : fit.residuals) {
    rows.push_back(
        Json::array({one.model, one.format, rounded(std::exp(one.log_batch)),
                     rounded(std::exp(one.log_extent)), rounded(one.value), one.repetitions}));
  }
  Json json{{"measured_gpu", fit.measured_gpu},
            {"gpu_spread", rounded(fit.gpu_spread)},
            {"rates", named_json(fit.rates, kRateNames)},
            {"terms", named_json(fit.terms, kCommonTermNames)},
            {"stretch", named_json(fit.stretch, kOwnNoveltyNames)},
            {"residuals", std::move(rows)}};
  // One line per residual, so that changes are readable.
  std::string text = json_text(json);
  for (std::size_t at = 0; (at = text.find("],[", at)) != std::string::npos; at += 3) {
    text.replace(at, 3, "],\n[");
  }
  return text + "\n";
}

Result<OwnFit> read_own_fit(std::string_view text) {
  TACHO_TRY(json, parse_json(text));
  OwnFit fit;
  JsonObject object(json, "speeds of own models");
  object.read("measured_gpu", fit.measured_gpu);
  object.read("gpu_spread", fit.gpu_spread);
  const Json* rates = object.part("rates");
  const Json* terms = object.part("terms");
  const Json* stretch = object.part("stretch");
  const Json* rows = object.part("residuals");
  TACHO_CHECK(object.finish());
  TACHO_CHECK(read_named(*rates, "rates", kRateNames, fit.rates));
  TACHO_CHECK(read_named(*terms, "terms", kCommonTermNames, fit.terms));
  TACHO_CHECK(read_named(*stretch, "stretch", kOwnNoveltyNames, fit.stretch));
  for (const Json& row : *rows) {
    if (!row.is_array() || row.size() != 6 || !row[0].is_string() || !row[1].is_string()) {
      return Error{ErrorCode::invalid, "a residual is not a list of six values"};
    }
    for (std::size_t i = 2; i < row.size(); ++i) {
      if (!row[i].is_number()) return Error{ErrorCode::invalid, "a residual has no number"};
    }
    const auto format = row[1].get<std::string>();
    OwnJob job{row[0].get<std::string>(),
               {"", row[3].get<double>()},
               number_format(format == "half" ? "amp" : format),
               row[2].get<double>()};
    Residual residual = residual_at(job);
    residual.value = row[4].get<double>();
    residual.repetitions = row[5].get<double>();
    fit.residuals.push_back(std::move(residual));
  }
  return fit;
}

}  // namespace tacho
