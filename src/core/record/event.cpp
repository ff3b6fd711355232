#include "core/record/event.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/former_names.h"
#include "core/record/event_fields.h"

namespace tacho {
namespace {

constexpr std::array<std::string_view, 17> kKinds = {"start",       "input",
                                                     "model",       "steps",
                                                     "epoch",       "checkpoint",
                                                     "note",        "end",
                                                     "ranks",       "rank_steps",
                                                     "figures",     "found_steps",
                                                     "environment", "environment_exited",
                                                     "time_limit",  "load",
                                                     "described"};
static_assert(kKinds.size() == std::variant_size_v<EventBody>);

template <class Body>
Result<EventBody> read_body(JsonObject& object) {
  Body body;
  describe(FieldReader(object), body);
  TACHO_CHECK(object.finish());
  return EventBody(std::move(body));
}

template <std::size_t... I>
Result<EventBody> read_body_of(std::size_t kind, JsonObject& object, std::index_sequence<I...>) {
  using Read = Result<EventBody> (*)(JsonObject&);
  static constexpr std::array<Read, sizeof...(I)> kReaders = {
      &read_body<std::variant_alternative_t<I, EventBody>>...};
  return kReaders[kind](object);
}

// The lists of one line must have the same length: entries at the same index are the same step.
Result<void> check_lengths(const EventBody& body) {
  std::string problem;
  if (const auto* ready = std::get_if<RanksReady>(&body)) problem = problem_of(*ready);
  if (const auto* done = std::get_if<RanksDone>(&body)) problem = problem_of(*done);
  if (!problem.empty()) return Error{ErrorCode::invalid, "ranks: " + problem};
  const auto* steps = std::get_if<StepsDone>(&body);
  if (steps == nullptr) return {};
  const std::size_t count = steps->seconds.size();
  if (steps->input_seconds.size() != count || steps->loss.size() != count || steps->warmup < 0 ||
      steps->warmup > static_cast<std::int64_t>(count)) {
    return Error{ErrorCode::invalid, "steps: the lists differ in length"};
  }
  return {};
}

}  // namespace

std::string to_line(const Event& event) {
  Json json = {
      {"v", kEventVersion}, {"t", event.unix_seconds}, {"kind", kKinds[event.body.index()]}};
  std::visit([&json](const auto& body) { describe(FieldWriter(json), body); }, event.body);
  return json_text(json);
}

Result<Event> event_from_line(std::string_view line) {
  TACHO_TRY(json, parse_json(line));
  JsonObject object(json, "event");
  std::int64_t version = 0;
  Event event;
  std::string kind;
  object.read("v", version);
  if (version > kEventVersion) {
    return Error{ErrorCode::newer,
                 fmt::format("written by a newer tacho (event version {}, this one reads {}); "
                             "update tacho",
                             version, kEventVersion)};
  }
  object.read("t", event.unix_seconds);
  object.read("kind", kind);
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i] != kind && former_name(kKinds[i]) != kind) continue;
    TACHO_TRY(body,
              read_body_of(i, object, std::make_index_sequence<std::variant_size_v<EventBody>>()));
    TACHO_CHECK(check_lengths(body));
    event.body = std::move(body);
    return event;
  }
  return Error{ErrorCode::invalid, unknown_name("kind of event", kind, kKinds)};
}

}  // namespace tacho
