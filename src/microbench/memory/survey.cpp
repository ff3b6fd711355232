#include "microbench/memory/survey.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_fields.h"

namespace tacho::bandwidth {

void describe(auto&& f, Is<Measurement> auto& m) {
  f("operation", Named{m.operation, kOperations});
  f("form", m.form);
  f("level", m.level);
  f("element", m.element);
  f("threads", m.threads);
  f("set_bytes", m.set_bytes);
  f("necessary_bytes", m.necessary_bytes);
  f("moved_bytes", m.moved_bytes);
  f("seconds", m.seconds);
  f("fastest_seconds", m.fastest_seconds);
  f("slowest_seconds", m.slowest_seconds);
  f("samples", m.samples);
  f("waste", m.waste);
  f("limit", m.limit);
  f("is_ceiling", IfAny{m.is_ceiling});
  f("counts", IfAny{m.counts});
  for (const char* made : {"gb_per_s", "of_ceiling", "loss"}) f(made, Derived{});
}

void describe(auto&& f, Is<Survey> auto& s) {
  f("key", s.key);
  f("at", s.at);
  f("tacho_commit", s.tacho_commit);
  f("device", s.device);
  f("machine", s.machine);
  f("facts", s.facts);
  f("quick", s.quick);
  f("complete", s.complete);
  f("theoretical_bytes_per_s", OrNull{s.theoretical_bytes_per_s});
  f("measurements", s.measurements);
  f("uncounted", IfAny{s.uncounted});
}

namespace {

constexpr std::int64_t kSchema = 2;  // 2: with hardware counts
constexpr const char* kKind = "memory";

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
  Json json = {{"schema", kSchema}, {"kind", kKind}};
  describe(FieldWriter(json), survey);
  for (std::size_t i = 0; i < survey.measurements.size(); ++i) {
    const Measurement& m = survey.measurements[i];
    const Measurement* ceiling = ceiling_at(survey, m.level);
    Json& one = json["measurements"][i];
    one["gb_per_s"] = m.bytes_per_s() / 1e9;
    one["of_ceiling"] = m.bytes_per_s() / ceiling->bytes_per_s();
    one["loss"] = loss_of(m, *ceiling).words;
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
  if (schema > kSchema) {
    return Error{ErrorCode::newer, "survey: written by a newer tacho; update tacho"};
  }
  describe(FieldReader(object), survey);
  TACHO_CHECK(object.finish());
  if (kind != kKind) return Error{ErrorCode::invalid, "survey: not a survey of memory"};
  for (std::size_t i = 0; i < survey.measurements.size(); ++i) {
    const Measurement& m = survey.measurements[i];
    if (m.seconds > 0 && m.necessary_bytes > 0) continue;
    return Error{ErrorCode::invalid,
                 fmt::format("survey: measurement {}: has no time or no bytes", i + 1)};
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
