#include "record/event.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/former_names.h"
#include "record/event_fields.h"

namespace tacho {
namespace {

template <class Item>
concept HasFields = std::is_same_v<Item, RankInfo> || std::is_same_v<Item, RankSteps>;

struct Writer {
  Json& json;
  template <class T>
  void operator()(const char* key, const T& value) {
    json[key] = value;
  }
  template <class T>
  void operator()(const char* key, const Added<T>& field) {
    json[key] = field.value;
  }
  template <class T>
  void operator()(const char* key, const std::optional<T>& value) {
    if (value) json[key] = *value;
  }
  void operator()(const char* key, Outcome value) { json[key] = kOutcomes.of(value); }
  void operator()(const char* key, const Host& host) { json[key] = to_json(host); }
  void operator()(const char* key, const ComputePaths& paths) {
    json[key] = compute_paths_to_json(paths);
  }
  template <HasFields Item>
  void operator()(const char* key, const std::vector<Item>& items) {
    Json& list = json[key] = Json::array();
    for (const Item& item : items) {
      Json inner = Json::object();
      describe(Writer{inner}, item);
      list.push_back(std::move(inner));
    }
  }
};

struct Reader {
  JsonObject& object;
  Result<void>& parts;  // the first error in a nested value

  template <class T>
  void operator()(const char* key, T& value) {
    object.read(key, value);
  }
  template <class T>
  void operator()(const char* key, const Added<T>& field) {
    object.read_optional(key, field.value);
  }
  template <class T>
  void operator()(const char* key, std::optional<T>& value) {
    object.read_optional(key, value);
  }
  void operator()(const char* key, std::map<std::string, double>& values) {
    const Json* part = object.part(key);
    if (part == nullptr) return;
    if (!part->is_object()) {
      return note({ErrorCode::invalid, fmt::format("'{}': not an object", key)});
    }
    JsonObject inner(*part, key);
    for (const auto& [name, value] : part->items()) inner.read(name, values[name]);
    if (auto done = inner.finish(); !done.ok()) note(done.error());
  }
  void operator()(const char* key, Outcome& value) { object.read_name(key, kOutcomes, value); }
  void operator()(const char* key, Host& value) {
    const Json* part = object.part(key);
    if (part == nullptr) return;
    auto host = host_from_json(*part);
    if (host.ok()) {
      value = *std::move(host);
    } else {
      note(host.error());
    }
  }
  void operator()(const char* key, ComputePaths& value) {
    const Json* part = object.part(key);
    if (part == nullptr) return;
    JsonObject inner(*part, key);
    describe(Reader{inner, parts}, value);
    if (auto done = inner.finish(); !done.ok()) note(done.error());
  }
  template <HasFields Item>
  void operator()(const char* key, std::vector<Item>& items) {
    const Json* part = object.part(key);
    if (part == nullptr) return;
    if (!part->is_array()) {
      return note({ErrorCode::invalid, fmt::format("'{}': not a list", key)});
    }
    for (const Json& item : *part) {
      JsonObject inner(item, key);
      describe(Reader{inner, parts}, items.emplace_back());
      if (auto done = inner.finish(); !done.ok()) note(done.error());
    }
  }
  void note(const Error& error) {
    if (parts.ok()) parts = error;
  }
};

constexpr std::array<std::string_view, 16> kKinds = {"start",       "input",
                                                     "model",       "steps",
                                                     "epoch",       "checkpoint",
                                                     "note",        "end",
                                                     "ranks",       "rank_steps",
                                                     "figures",     "found_steps",
                                                     "environment", "environment_exited",
                                                     "time_limit",  "load"};
static_assert(kKinds.size() == std::variant_size_v<EventBody>);

template <class Body>
Result<Body> read_body(JsonObject& object) {
  Body body;
  Result<void> parts;
  describe(Reader{object, parts}, body);
  TACHO_CHECK(object.finish());
  TACHO_CHECK(std::move(parts));
  return body;
}

template <class Body>
Result<EventBody> read_any_body(JsonObject& object) {
  TACHO_TRY(body, read_body<Body>(object));
  return EventBody(std::move(body));
}

template <std::size_t... I>
Result<EventBody> read_body_of(std::size_t kind, JsonObject& object, std::index_sequence<I...>) {
  using Read = Result<EventBody> (*)(JsonObject&);
  static constexpr std::array<Read, sizeof...(I)> kReaders = {
      &read_any_body<std::variant_alternative_t<I, EventBody>>...};
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

template <class Body>
Json body_to_json(const Body& body) {
  Json json = Json::object();
  describe(Writer{json}, body);
  return json;
}

template <class Body>
Result<Body> body_from_json(const Json& json, const std::string& place) {
  JsonObject object(json, place);
  return read_body<Body>(object);
}

template Json body_to_json(const RunStarted&);
template Json body_to_json(const InputReady&);
template Json body_to_json(const ModelReady&);
template Json body_to_json(const EpochDone&);
template Json body_to_json(const CheckpointWritten&);
template Json body_to_json(const RunEnded&);
template Json body_to_json(const RanksReady&);
template Json body_to_json(const RankSteps&);
template Json body_to_json(const FiguresSeen&);
template Json body_to_json(const StepsFound&);
template Json body_to_json(const EnvironmentFacts&);
template Json body_to_json(const EnvironmentExited&);
template Json body_to_json(const LoadMeasured&);
template Result<RunStarted> body_from_json(const Json&, const std::string&);
template Result<InputReady> body_from_json(const Json&, const std::string&);
template Result<ModelReady> body_from_json(const Json&, const std::string&);
template Result<ComputePaths> body_from_json(const Json&, const std::string&);
template Result<EpochDone> body_from_json(const Json&, const std::string&);
template Result<CheckpointWritten> body_from_json(const Json&, const std::string&);
template Result<RunEnded> body_from_json(const Json&, const std::string&);
template Result<RanksReady> body_from_json(const Json&, const std::string&);
template Result<RankSteps> body_from_json(const Json&, const std::string&);
template Result<FiguresSeen> body_from_json(const Json&, const std::string&);
template Result<StepsFound> body_from_json(const Json&, const std::string&);
template Result<EnvironmentFacts> body_from_json(const Json&, const std::string&);
template Result<EnvironmentExited> body_from_json(const Json&, const std::string&);
template Result<LoadMeasured> body_from_json(const Json&, const std::string&);

Json compute_paths_to_json(const ComputePaths& paths) {
  Json json = Json::object();
  describe(Writer{json}, paths);
  return json;
}

std::string to_line(const Event& event) {
  Json json = {
      {"v", kEventVersion}, {"t", event.unix_seconds}, {"kind", kKinds[event.body.index()]}};
  std::visit([&json](const auto& body) { describe(Writer{json}, body); }, event.body);
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
