// The file format of a CpuFit.
#include <cmath>

#include "base/json_object.h"
#include "predict/speed/cpu_speed.h"
#include "predict/speed/named_json.h"

namespace tacho {

std::string cpu_fit_text(const CpuFit& fit) {
  Json models = Json::object();
  for (const auto& [model, deviation] : fit.models) models[model] = rounded(deviation);
  const Json json{
      {"description",
       "Cost model of training steps on CPUs. Made by 'tacho fit --cpu' from the undisturbed runs "
       "on CPUs in data/corpus. Reaches are half widths of 90 % intervals, in logarithms, from "
       "runs held out by model, machine or both."},
      {"machines", fit.machines},
      {"configurations", fit.configurations},
      {"most_cores", fit.most_cores},
      {"rates", named_json(fit.rates, kCpuRateNames)},
      {"models", std::move(models)},
      {"reach", named_json(fit.reach, kCpuNoveltyNames)},
      {"doubling_reach", rounded(fit.doubling_reach)},
      {"memory_reach", rounded(fit.memory_reach)}};
  return json_text(json, 1) + "\n";
}

Result<CpuFit> read_cpu_fit(std::string_view text) {
  TACHO_TRY(json, parse_json(text));
  CpuFit fit;
  std::string description;
  JsonObject object(json, "cost model of CPUs");
  object.read("description", description);
  object.read("machines", fit.machines);
  object.read("configurations", fit.configurations);
  object.read("most_cores", fit.most_cores);
  const Json* rates = object.part("rates");
  const Json* models = object.part("models");
  const Json* reach = object.part("reach");
  object.read("doubling_reach", fit.doubling_reach);
  object.read("memory_reach", fit.memory_reach);
  TACHO_CHECK(object.finish());
  TACHO_CHECK(read_named(*rates, "rates", kCpuRateNames, fit.rates));
  TACHO_CHECK(read_named(*reach, "reach", kCpuNoveltyNames, fit.reach));
  for (const auto& [model, deviation] : models->items()) {
    if (!deviation.is_number())
      return Error{ErrorCode::invalid, "models: " + model + ": no number"};
    fit.models[model] = deviation.get<double>();
  }
  return fit;
}

}  // namespace tacho
