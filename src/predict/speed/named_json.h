#pragma once

// JSON objects with one number per enumerator.

#include <cmath>
#include <string>

#include "base/enum_array.h"
#include "base/json_object.h"
#include "base/names.h"

namespace tacho {

inline double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const double scale = std::pow(10.0, 5 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

template <class Enum, std::size_t N>
Json named_json(const EnumArray<Enum, double, N>& values, const Names<Enum, N>& names) {
  Json json = Json::object();
  for (const auto& [value, name] : names.table) json[std::string(name)] = rounded(values[value]);
  return json;
}

template <class Enum, std::size_t N>
Result<void> read_named(const Json& json, std::string place, const Names<Enum, N>& names,
                        EnumArray<Enum, double, N>& out) {
  JsonObject object(json, std::move(place));
  for (const auto& [value, name] : names.table) object.read(name, out[value]);
  TACHO_CHECK(object.finish());
  for (const double value : out) {
    if (!(value > 0)) return Error{ErrorCode::invalid, object.place() + " must be positive"};
  }
  return {};
}

}  // namespace tacho
