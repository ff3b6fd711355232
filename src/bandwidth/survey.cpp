#include "bandwidth/survey.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacho::bandwidth {
namespace {

constexpr std::int64_t kSchema = 2;  // 2: with hardware counts
constexpr const char* kKind = "memory";

Json to_json(const Measurement& m) {
  Json json = {{"operation", kOperations.of(m.operation)},
               {"form", m.form},
               {"level", m.level},
               {"element", m.element},
               {"threads", m.threads},
               {"set_bytes", m.set_bytes},
               {"necessary_bytes", m.necessary_bytes},
               {"moved_bytes", m.moved_bytes},
               {"seconds", m.seconds},
               {"fastest_seconds", m.fastest_seconds},
               {"slowest_seconds", m.slowest_seconds},
               {"samples", m.samples},
               {"waste", m.waste},
               {"limit", m.limit}};
  if (m.is_ceiling) json["is_ceiling"] = true;
  if (!m.counts.empty()) json["counts"] = m.counts;
  return json;
}

Result<Counts> counts_from_json(const Json& json, const std::string& place) {
  const Error bad{ErrorCode::invalid, place + ": counts are numbers by name"};
  if (!json.is_object()) return bad;
  Counts counts;
  for (const auto& [name, value] : json.items()) {
    if (!value.is_number()) return bad;
    counts[name] = value.get<double>();
  }
  return counts;
}

Result<Measurement> measurement_from_json(const Json& json, const std::string& place) {
  Measurement m;
  JsonObject object(json, place);
  object.read_name("operation", kOperations, m.operation);
  object.read("form", m.form);
  object.read("level", m.level);
  object.read("element", m.element);
  object.read("threads", m.threads);
  object.read("set_bytes", m.set_bytes);
  object.read("necessary_bytes", m.necessary_bytes);
  object.read("moved_bytes", m.moved_bytes);
  object.read("seconds", m.seconds);
  object.read("fastest_seconds", m.fastest_seconds);
  object.read("slowest_seconds", m.slowest_seconds);
  object.read("samples", m.samples);
  object.read("waste", m.waste);
  object.read("limit", m.limit);
  object.read_optional("is_ceiling", m.is_ceiling);
  const Json* counts = object.part("counts", false);
  // Derived values for readers of the file; computed again from the others.
  object.part("gb_per_s", false);
  object.part("of_ceiling", false);
  object.part("loss", false);
  TACHO_CHECK(object.finish());
  if (counts != nullptr) {
    TACHO_TRY(read, counts_from_json(*counts, place));
    m.counts = std::move(read);
  }
  if (!(m.seconds > 0) || m.necessary_bytes <= 0) {
    return Error{ErrorCode::invalid, place + ": a measurement without time or bytes"};
  }
  return m;
}

std::optional<double> count_of(const Measurement& m, const char* name) {
  const auto found = m.counts.find(name);
  if (found == m.counts.end()) return std::nullopt;
  return found->second;
}

std::string times(double factor) { return fmt::format("{:.2f}×", factor); }

}  // namespace

std::optional<double> missed_share(const Measurement& m) {
  constexpr double kMissedBytes = 64;
  const auto misses = count_of(m, "llc_misses");
  if (!misses) return std::nullopt;
  return *misses * kMissedBytes / static_cast<double>(m.necessary_bytes);
}

std::optional<double> memory_share(const Measurement& m) {
  const auto read = count_of(m, "memory_read_bytes");
  const auto written = count_of(m, "memory_write_bytes");
  if (!read || !written) return std::nullopt;
  return (*read + *written) / static_cast<double>(m.necessary_bytes);
}

std::optional<double> instructions_per_cycle(const Measurement& m) {
  const auto instructions = count_of(m, "instructions");
  const auto cycles = count_of(m, "cycles");
  if (!instructions || !cycles || !(*cycles > 0)) return std::nullopt;
  return *instructions / *cycles;
}

Json to_json(const Survey& survey) {
  Json list = Json::array();
  for (const Measurement& m : survey.measurements) {
    Json one = to_json(m);
    const Measurement* ceiling = ceiling_at(survey, m.level);
    one["gb_per_s"] = m.bytes_per_s() / 1e9;
    one["of_ceiling"] = m.bytes_per_s() / ceiling->bytes_per_s();
    one["loss"] = loss_of(m, *ceiling).words;
    list.push_back(std::move(one));
  }
  Json json = {{"schema", kSchema},
               {"kind", kKind},
               {"key", survey.key},
               {"at", survey.at},
               {"tacho_commit", survey.tacho_commit},
               {"device", survey.device},
               {"machine", survey.machine},
               {"facts", survey.facts},
               {"quick", survey.quick},
               {"complete", survey.complete},
               {"theoretical_bytes_per_s", nullptr},
               {"measurements", std::move(list)}};
  if (!survey.uncounted.empty()) json["uncounted"] = survey.uncounted;
  if (survey.theoretical_bytes_per_s) {
    json["theoretical_bytes_per_s"] = *survey.theoretical_bytes_per_s;
  }
  return json;
}

Result<Survey> survey_from_json(const Json& json) {
  Survey survey;
  std::int64_t schema = 0;
  std::string kind;
  JsonObject object(json, "survey");
  object.read("schema", schema);
  object.read("kind", kind);
  object.read("key", survey.key);
  object.read("at", survey.at);
  object.read("tacho_commit", survey.tacho_commit);
  object.read("device", survey.device);
  object.read("machine", survey.machine);
  object.read("facts", survey.facts);
  object.read("quick", survey.quick);
  object.read("complete", survey.complete);
  object.read_optional("theoretical_bytes_per_s", survey.theoretical_bytes_per_s);
  object.read_optional("uncounted", survey.uncounted);
  const Json* list = object.part("measurements");
  if (schema > kSchema) {
    return Error{ErrorCode::newer, "survey: written by a newer tacho; update tacho"};
  }
  TACHO_CHECK(object.finish());
  if (kind != kKind || !list->is_array()) {
    return Error{ErrorCode::invalid, "survey: not a survey of memory"};
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    TACHO_TRY(m, measurement_from_json((*list)[i], fmt::format("survey: measurement {}", i + 1)));
    survey.measurements.push_back(std::move(m));
  }
  return survey;
}

std::vector<std::string> levels_of(const Survey& survey) {
  std::vector<std::string> levels;
  for (const Measurement& m : survey.measurements) {
    if (std::ranges::find(levels, m.level) == levels.end()) levels.push_back(m.level);
  }
  return levels;
}

const Measurement* ceiling_at(const Survey& survey, const std::string& level) {
  const Measurement* best = nullptr;
  for (const Measurement& m : survey.measurements) {
    if (m.level != level) continue;
    if (best == nullptr || (m.is_ceiling && !best->is_ceiling) ||
        (m.is_ceiling == best->is_ceiling && m.bytes_per_s() > best->bytes_per_s())) {
      best = &m;
    }
  }
  return best;
}

Loss loss_of(const Measurement& m, const Measurement& ceiling) {
  // Smaller factors are not explained.
  constexpr double kNegligible = 1.05;
  Loss loss{.factor = ceiling.bytes_per_s() / m.bytes_per_s(), .by_bytes = m.excess()};
  loss.rest = loss.factor / loss.by_bytes;
  if (&m == &ceiling) {
    loss.words = "the ceiling";
    return loss;
  }
  if (loss.factor < kNegligible) return loss;
  loss.words = times(loss.factor) + " slower";
  if (loss.by_bytes >= kNegligible) {
    loss.words += fmt::format("; {} the bytes: {}", times(loss.by_bytes), m.waste);
  }
  if (loss.rest >= kNegligible) {
    const bool one_of_several = m.threads > 0 && m.threads < ceiling.threads;
    const std::string why =
        one_of_several ? fmt::format("{} of {} threads", m.threads, ceiling.threads) : m.limit;
    loss.words += "; " + times(loss.rest) + (why.empty() ? " unexplained" : " " + why);
  } else if (loss.rest < 1 / kNegligible) {
    loss.words += fmt::format("; {} of that saved by a cache or by writes of whole lines",
                              times(1 / loss.rest));
  }
  return loss;
}

}  // namespace tacho::bandwidth
