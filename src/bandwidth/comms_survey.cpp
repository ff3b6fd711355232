#include "bandwidth/comms_survey.h"

#include <fmt/format.h>

#include <algorithm>

#include "record/statistics.h"

namespace tacho::bandwidth {
namespace {

constexpr std::int64_t kCommsSchema = 1;
constexpr const char* kCommsKind = "comms";

void add(Json& json, const RoundTimes& time) {
  json["seconds"] = time.seconds;
  json["fastest_seconds"] = time.fastest_seconds;
  json["slowest_seconds"] = time.slowest_seconds;
  json["samples"] = time.samples;
}

void read(JsonObject& object, RoundTimes& time) {
  object.read("seconds", time.seconds);
  object.read("fastest_seconds", time.fastest_seconds);
  object.read("slowest_seconds", time.slowest_seconds);
  object.read("samples", time.samples);
}

Json to_json(const CollectiveTime& one, const CommsSurvey& survey) {
  const auto ranks = static_cast<int>(survey.ranks);
  Json json = {{"backend", kDistBackends.of(one.backend)},
               {"collective", kCollectives.of(one.collective)},
               {"bytes", one.bytes}};
  add(json, one.time);
  json["algorithm_gb_per_s"] = one.algorithm_bytes_per_s() / 1e9;
  json["bus_gb_per_s"] = one.bus_bytes_per_s(ranks) / 1e9;
  const double line = line_of(survey.lines, one);
  json["of_line"] = line > 0 ? Json(one.bus_bytes_per_s(ranks) / line) : Json(nullptr);
  return json;
}

Json to_json(const GradientTime& one) {
  Json json = {{"backend", kDistBackends.of(one.backend)},
               {"compress", kCompressions.of(one.compress)},
               {"payload_bytes", one.payload_bytes},
               {"bucket_bytes", one.bucket_bytes},
               {"wire_bytes", one.wire_bytes}};
  add(json, one.exchange);
  if (one.work_seconds) json["work_seconds"] = *one.work_seconds;
  if (one.overlapped_seconds) json["overlapped_seconds"] = *one.overlapped_seconds;
  if (const auto hidden = one.hidden()) json["hidden"] = *hidden;
  return json;
}

Json to_json(const LinkRates& lines) {
  Json json = {{"copy_bytes_per_s", lines.copy_bytes_per_s},
               {"stream_bytes_per_s", lines.stream_bytes_per_s},
               {"ring_bytes_per_s", lines.ring_bytes_per_s},
               {"peak_bytes_per_s", nullptr},
               {"peak_source", lines.peak_source}};
  if (lines.peak_bytes_per_s) json["peak_bytes_per_s"] = *lines.peak_bytes_per_s;
  return json;
}

Result<void> check(const RoundTimes& time, std::int64_t bytes, const std::string& place) {
  if (time.seconds > 0 && bytes > 0) return {};
  return Error{ErrorCode::invalid, place + ": a measurement without time or bytes"};
}

Result<CollectiveTime> collective_from_json(const Json& json, const std::string& place) {
  CollectiveTime one;
  JsonObject object(json, place);
  object.read_name("backend", kDistBackends, one.backend);
  object.read_name("collective", kCollectives, one.collective);
  object.read("bytes", one.bytes);
  read(object, one.time);
  // Derived values for readers of the file; computed again from the others.
  for (const char* made : {"algorithm_gb_per_s", "bus_gb_per_s", "of_line"}) {
    object.part(made, false);
  }
  TACHO_CHECK(object.finish());
  TACHO_CHECK(check(one.time, one.bytes, place));
  return one;
}

Result<GradientTime> gradient_from_json(const Json& json, const std::string& place) {
  GradientTime one;
  JsonObject object(json, place);
  object.read_name("backend", kDistBackends, one.backend);
  object.read_name("compress", kCompressions, one.compress);
  object.read("payload_bytes", one.payload_bytes);
  object.read("bucket_bytes", one.bucket_bytes);
  object.read("wire_bytes", one.wire_bytes);
  read(object, one.exchange);
  object.read_optional("work_seconds", one.work_seconds);
  object.read_optional("overlapped_seconds", one.overlapped_seconds);
  object.part("hidden", false);
  TACHO_CHECK(object.finish());
  TACHO_CHECK(check(one.exchange, one.payload_bytes, place));
  return one;
}

Result<LinkRates> lines_from_json(const Json& json) {
  LinkRates lines;
  JsonObject object(json, "survey: lines");
  object.read("copy_bytes_per_s", lines.copy_bytes_per_s);
  object.read("stream_bytes_per_s", lines.stream_bytes_per_s);
  object.read("ring_bytes_per_s", lines.ring_bytes_per_s);
  object.read_optional("peak_bytes_per_s", lines.peak_bytes_per_s);
  object.read("peak_source", lines.peak_source);
  TACHO_CHECK(object.finish());
  return lines;
}

template <class Read, class T>
Result<void> read_list(const Json& list, const char* what, const Read& read_one,
                       std::vector<T>& out) {
  if (!list.is_array()) {
    return Error{ErrorCode::invalid, fmt::format("survey: {}: not a list", what)};
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    TACHO_TRY(one, read_one(list[i], fmt::format("survey: {} {}", what, i + 1)));
    out.push_back(std::move(one));
  }
  return {};
}

Result<std::string> text_from_json(const Json& json, const std::string& place) {
  if (!json.is_string()) return Error{ErrorCode::invalid, place + ": not a string"};
  return json.get<std::string>();
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
  Json collectives = Json::array();
  for (const CollectiveTime& one : survey.collectives) collectives.push_back(to_json(one, survey));
  Json gradients = Json::array();
  for (const GradientTime& one : survey.gradients) gradients.push_back(to_json(one));
  return {{"schema", kCommsSchema},
          {"kind", kCommsKind},
          {"key", survey.key},
          {"at", survey.at},
          {"tacho_commit", survey.tacho_commit},
          {"machine", survey.machine},
          {"facts", survey.facts},
          {"ranks", survey.ranks},
          {"machines", survey.machines},
          {"quick", survey.quick},
          {"complete", survey.complete},
          {"lines", to_json(survey.lines)},
          {"absent", survey.absent},
          {"collectives", std::move(collectives)},
          {"gradients", std::move(gradients)}};
}

Result<CommsSurvey> comms_survey_from_json(const Json& json) {
  CommsSurvey survey;
  std::int64_t schema = 0;
  std::string kind;
  JsonObject object(json, "survey");
  object.read("schema", schema);
  object.read("kind", kind);
  object.read("key", survey.key);
  object.read("at", survey.at);
  object.read("tacho_commit", survey.tacho_commit);
  object.read("machine", survey.machine);
  object.read("facts", survey.facts);
  object.read("ranks", survey.ranks);
  object.read("machines", survey.machines);
  object.read("quick", survey.quick);
  object.read("complete", survey.complete);
  const Json* lines = object.part("lines");
  const Json* absent = object.part("absent");
  const Json* collectives = object.part("collectives");
  const Json* gradients = object.part("gradients");
  if (schema > kCommsSchema) {
    return Error{ErrorCode::newer, "survey: written by a newer tacho; update tacho"};
  }
  TACHO_CHECK(object.finish());
  if (kind != kCommsKind || survey.ranks < 1) {
    return Error{ErrorCode::invalid, "survey: not a survey of communication"};
  }
  TACHO_TRY(rates, lines_from_json(*lines));
  survey.lines = std::move(rates);
  TACHO_CHECK(read_list(*absent, "absent", text_from_json, survey.absent));
  TACHO_CHECK(read_list(*collectives, "collective", collective_from_json, survey.collectives));
  TACHO_CHECK(read_list(*gradients, "gradient", gradient_from_json, survey.gradients));
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
