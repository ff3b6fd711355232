#include "microbench/memory/comms_survey.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_fields.h"
#include "core/record/statistics.h"

namespace tacho::bandwidth {

void describe(auto&& f, Is<RoundTimes> auto& t) {
  f("seconds", t.seconds);
  f("fastest_seconds", t.fastest_seconds);
  f("slowest_seconds", t.slowest_seconds);
  f("samples", t.samples);
}

void describe(auto&& f, Is<CollectiveTime> auto& c) {
  f("backend", Named{c.backend, kDistBackends});
  f("collective", Named{c.collective, kCollectives});
  f("bytes", c.bytes);
  describe(f, c.time);
  for (const char* made : {"algorithm_gb_per_s", "bus_gb_per_s", "of_line"}) f(made, Derived{});
}

void describe(auto&& f, Is<GradientTime> auto& g) {
  f("backend", Named{g.backend, kDistBackends});
  f("compress", Named{g.compress, kCompressions});
  f("payload_bytes", g.payload_bytes);
  f("bucket_bytes", g.bucket_bytes);
  f("wire_bytes", g.wire_bytes);
  describe(f, g.exchange);
  f("work_seconds", g.work_seconds);
  f("overlapped_seconds", g.overlapped_seconds);
  f("hidden", Derived{});
}

void describe(auto&& f, Is<LinkRates> auto& l) {
  f("copy_bytes_per_s", l.copy_bytes_per_s);
  f("stream_bytes_per_s", l.stream_bytes_per_s);
  f("ring_bytes_per_s", l.ring_bytes_per_s);
  f("peak_bytes_per_s", OrNull{l.peak_bytes_per_s});
  f("peak_source", l.peak_source);
}

void describe(auto&& f, Is<CommsSurvey> auto& s) {
  f("key", s.key);
  f("at", s.at);
  f("tacho_commit", s.tacho_commit);
  f("machine", s.machine);
  f("facts", s.facts);
  f("ranks", s.ranks);
  f("machines", s.machines);
  f("quick", s.quick);
  f("complete", s.complete);
  f("lines", s.lines);
  f("absent", s.absent);
  f("collectives", s.collectives);
  f("gradients", s.gradients);
}

namespace {

constexpr std::int64_t kCommsSchema = 1;
constexpr const char* kCommsKind = "comms";

void add_rates(const CommsSurvey& survey, const CollectiveTime& one, Json& json) {
  const auto ranks = static_cast<int>(survey.ranks);
  json["algorithm_gb_per_s"] = one.algorithm_bytes_per_s() / 1e9;
  json["bus_gb_per_s"] = one.bus_bytes_per_s(ranks) / 1e9;
  const double line = line_of(survey.lines, one);
  json["of_line"] = line > 0 ? Json(one.bus_bytes_per_s(ranks) / line) : Json(nullptr);
}

Result<void> check(const RoundTimes& time, std::int64_t bytes, const char* what,
                   std::size_t number) {
  if (time.seconds > 0 && bytes > 0) return {};
  return Error{ErrorCode::invalid,
               fmt::format("survey: {} {}: has no time or no bytes", what, number)};
}

}  // namespace

RoundTimes round_times(std::span<const double> seconds) {
  const auto [fastest, slowest] = std::ranges::minmax(seconds);
  return {.seconds = median(seconds),
          .fastest_seconds = fastest,
          .slowest_seconds = slowest,
          .samples = std::ssize(seconds)};
}

std::optional<double> GradientTime::hidden() const {
  if (!work_seconds || !overlapped_seconds) return std::nullopt;
  const double in_sequence = *work_seconds + exchange.seconds;
  return (in_sequence - *overlapped_seconds) / std::min(*work_seconds, exchange.seconds);
}

Json to_json(const CommsSurvey& survey) {
  Json json = {{"schema", kCommsSchema}, {"kind", kCommsKind}};
  describe(FieldWriter(json), survey);
  for (std::size_t i = 0; i < survey.collectives.size(); ++i) {
    add_rates(survey, survey.collectives[i], json["collectives"][i]);
  }
  for (std::size_t i = 0; i < survey.gradients.size(); ++i) {
    if (const auto hidden = survey.gradients[i].hidden()) json["gradients"][i]["hidden"] = *hidden;
  }
  return json;
}

Result<CommsSurvey> comms_survey_from_json(const Json& json) {
  CommsSurvey survey;
  std::int64_t schema = 0;
  std::string kind;
  JsonObject object(json, "survey");
  object.read("schema", schema);
  object.read("kind", kind);
  if (schema > kCommsSchema) {
    return Error{ErrorCode::newer, "survey: written by a newer tacho; update tacho"};
  }
  describe(FieldReader(object), survey);
  TACHO_CHECK(object.finish());
  if (kind != kCommsKind || survey.ranks < 1) {
    return Error{ErrorCode::invalid, "survey: not a survey of communication"};
  }
  for (std::size_t i = 0; i < survey.collectives.size(); ++i) {
    const CollectiveTime& one = survey.collectives[i];
    TACHO_CHECK(check(one.time, one.bytes, "collective", i + 1));
  }
  for (std::size_t i = 0; i < survey.gradients.size(); ++i) {
    const GradientTime& one = survey.gradients[i];
    TACHO_CHECK(check(one.exchange, one.payload_bytes, "gradient", i + 1));
  }
  return survey;
}

double line_of(const LinkRates& lines, const CollectiveTime& one) {
  switch (one.backend) {
    case DistBackend::shm:
      return lines.copy_bytes_per_s;
    case DistBackend::gloo:
      return one.collective == Collective::broadcast ? lines.stream_bytes_per_s
                                                     : lines.ring_bytes_per_s;
    default:
      return 0;
  }
}

std::optional<double> latency_of(const CommsSurvey& survey, DistBackend backend) {
  const CollectiveTime* smallest = nullptr;
  for (const CollectiveTime& one : survey.collectives) {
    if (one.backend != backend || one.collective != Collective::all_reduce) continue;
    if (smallest == nullptr || one.bytes < smallest->bytes) smallest = &one;
  }
  constexpr std::int64_t kSmall = 1024;  // larger messages measure more than latency
  if (smallest == nullptr || smallest->bytes > kSmall) return std::nullopt;
  return smallest->time.seconds;
}

std::vector<DistBackend> backends_of(const CommsSurvey& survey) {
  std::vector<DistBackend> backends;
  for (const CollectiveTime& one : survey.collectives) {
    if (std::ranges::find(backends, one.backend) == backends.end()) {
      backends.push_back(one.backend);
    }
  }
  return backends;
}

}  // namespace tacho::bandwidth
