#include "experiments/sweep/settings.h"

namespace tacho {
namespace {

template <class T>
Json optional_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
Json optional_json(const std::optional<Bytes>& bytes) {
  return bytes ? Json(bytes->count) : Json(nullptr);
}

void read_bytes(JsonObject& object, std::string_view key, std::optional<Bytes>& out) {
  std::optional<std::int64_t> count;
  object.read_optional(key, count);
  if (count) out = Bytes{*count};
}

}  // namespace

SweepSettings settings_of(const Grid& grid) {
  return {grid.limits, grid.budget, grid.needs, grid.launcher, grid.order == SweepOrder::adaptive};
}

Json to_json(const SweepSettings& s) {
  const Json seconds = s.limits.time ? Json(s.limits.time->count()) : Json(nullptr);
  return {{"time_limit_s", seconds},
          {"memory_limit_bytes", optional_json(s.limits.memory)},
          {"budget_hours", optional_json(s.budget.hours)},
          {"budget_runs", optional_json(s.budget.runs)},
          {"cores", optional_json(s.needs.cores)},
          {"memory_bytes", optional_json(s.needs.memory)},
          {"gpus", optional_json(s.needs.gpus)},
          {"launcher", s.launcher.kind},
          {"slots", optional_json(s.launcher.slots)},
          {"launcher_options", s.launcher.options},
          {"adaptive", s.adaptive}};
}

Result<SweepSettings> sweep_settings_from_json(const Json& json) {
  SweepSettings s;
  JsonObject object(json, "settings");
  std::optional<double> seconds;
  object.read_optional("time_limit_s", seconds);
  if (seconds) s.limits.time = Seconds(*seconds);
  read_bytes(object, "memory_limit_bytes", s.limits.memory);
  object.read_optional("budget_hours", s.budget.hours);
  object.read_optional("budget_runs", s.budget.runs);
  object.read_optional("cores", s.needs.cores);
  read_bytes(object, "memory_bytes", s.needs.memory);
  object.read_optional("gpus", s.needs.gpus);
  object.read("launcher", s.launcher.kind);
  object.read_optional("slots", s.launcher.slots);
  object.read_optional("adaptive", s.adaptive);  // absent in sweeps of earlier versions
  const Json* options = object.part("launcher_options");
  TACHO_CHECK(object.finish());
  for (const auto& [name, value] : options->items()) {
    if (value.is_string()) s.launcher.options[name] = value.get<std::string>();
  }
  return s;
}

}  // namespace tacho
