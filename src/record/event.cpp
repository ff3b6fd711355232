#include "record/event.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace tacho {
namespace {

// A field that older lines lack.
template <class T>
struct Added {
  T& value;
};
template <class T>
Added(T&) -> Added<T>;

// Each body is described once, as a list of fields; writing and reading both walk that list.
template <class Fields>
void describe(Fields&& f, auto& e) requires std::is_same_v<std::decay_t<decltype(e)>, InputReady> {
  f("train_samples", e.train_samples);
  f("eval_samples", e.eval_samples);
  f("classes", e.classes);
  f("steps_per_epoch", e.steps_per_epoch);
  f("seconds", e.seconds);
}

template <class Fields>
void describe(Fields&& f, auto& e) requires std::is_same_v<std::decay_t<decltype(e)>, ModelReady> {
  f("parameters", e.parameters);
  f("seconds", e.seconds);
}

template <class Fields>
void describe(Fields&& f, auto& e) requires std::is_same_v<std::decay_t<decltype(e)>, StepsDone> {
  f("epoch", e.epoch);
  f("first_step", e.first_step);
  f("warmup", e.warmup);
  f("seconds", e.seconds);
  f("input_seconds", e.input_seconds);
  f("loss", e.loss);
}

template <class Fields>
void describe(Fields&& f, auto& e) requires std::is_same_v<std::decay_t<decltype(e)>, EpochDone> {
  f("epoch", e.epoch);
  f("steps", e.steps);
  f("samples", e.samples);
  f("learning_rate", e.learning_rate);
  f("train_loss", e.train_loss);
  f("train_top1", e.train_top1);
  f("train_seconds", e.train_seconds);
  f("eval_loss", e.eval_loss);
  f("top1", e.top1);
  f("top5", e.top5);
  f("eval_seconds", e.eval_seconds);
}

template <class Fields>
void describe(Fields&& f,
              auto& e) requires std::is_same_v<std::decay_t<decltype(e)>, CheckpointWritten> {
  f("epoch", e.epoch);
  f("file", e.file);
  f("bytes", e.bytes);
  f("seconds", e.seconds);
}

template <class Fields>
void describe(Fields&& f, auto& e) requires std::is_same_v<std::decay_t<decltype(e)>, Note> {
  f("text", e.text);
}

template <class Fields>
void describe(Fields&& f, auto& e) requires std::is_same_v<std::decay_t<decltype(e)>, RunEnded> {
  f("outcome", e.outcome);
  f("reason", e.reason);
  f("wall_seconds", e.wall_seconds);
  f("user_seconds", e.user_seconds);
  f("system_seconds", e.system_seconds);
  f("peak_memory_bytes", e.peak_memory_bytes);
  f("device_memory_bytes", Added{e.device_memory_bytes});
  f("minor_faults", Added{e.minor_faults});
  f("major_faults", Added{e.major_faults});
}

template <class Fields>
void describe(Fields&& f,
              auto& e) requires std::is_same_v<std::decay_t<decltype(e)>, ComputePaths> {
  f("threads", e.threads);
  f("blas", e.blas);
  f("mkldnn_convolution", e.mkldnn_convolution);
  f("mkldnn_product", e.mkldnn_product);
  f("mkldnn_recurrent", e.mkldnn_recurrent);
  f("allocator", e.allocator);
  f("why", e.why);
  f("product_gflops", e.product_gflops);
}

template <class Fields>
void describe(Fields&& f, auto& e) requires std::is_same_v<std::decay_t<decltype(e)>, RunStarted> {
  f("attempt", e.attempt);
  f("resumed_epochs", e.resumed_epochs);
  f("tacho_version", e.tacho_version);
  f("tacho_commit", e.tacho_commit);
  f("torch_version", e.torch_version);
  f("host", e.host);
  f("paths", e.paths);
}

template <class Fields>
void describe(Fields&& f, auto& e) requires std::is_same_v<std::decay_t<decltype(e)>, RankInfo> {
  f("rank", e.rank);
  f("node", e.node);
  f("host", e.host);
  f("pid", e.pid);
}

template <class Fields>
void describe(Fields&& f, auto& e) requires std::is_same_v<std::decay_t<decltype(e)>, RanksReady> {
  f("backend", e.backend);
  f("ranks", e.ranks);
  f("seconds", e.seconds);
}

template <class Fields>
void describe(Fields&& f, auto& e) requires std::is_same_v<std::decay_t<decltype(e)>, RankSteps> {
  f("rank", e.rank);
  f("seconds", e.seconds);
  f("input_seconds", e.input_seconds);
  f("backward_seconds", e.backward_seconds);
  f("comm_seconds", e.comm_seconds);
  f("exposed_seconds", e.exposed_seconds);
  f("wire_bytes", e.wire_bytes);
  f("payload_bytes", e.payload_bytes);
}

template <class Fields>
void describe(Fields&& f, auto& e) requires std::is_same_v<std::decay_t<decltype(e)>, RanksDone> {
  f("first_step", e.first_step);
  f("ranks", e.ranks);
}

template <class Fields>
void describe(Fields&& f, auto& e) requires std::is_same_v<std::decay_t<decltype(e)>, FiguresSeen> {
  f("from", e.from);
  f("step", e.step);
  f("values", e.values);
}

template <class Fields>
void describe(Fields&& f, auto& e) requires std::is_same_v<std::decay_t<decltype(e)>, StepsFound> {
  f("process", e.process);
  f("steps", e.steps);
  f("period_s", e.period_s);
  f("p25_s", e.p25_s);
  f("p75_s", e.p75_s);
  f("kernels_a_step", e.kernels_a_step);
  f("confidence", e.confidence);
}

template <class Fields>
void describe(Fields&& f,
              auto& e) requires std::is_same_v<std::decay_t<decltype(e)>, EnvironmentFacts> {
  f("engine", e.engine);
  f("engine_version", e.engine_version);
  f("image", e.image);
  f("image_digest", e.image_digest);
}

template <class Fields>
void describe(Fields&& f, auto& e) requires std::is_same_v<std::decay_t<decltype(e)>, StayOver> {
  f("began", e.began);
  f("entered", e.entered);
  f("ended", e.ended);
  f("left", e.left);
}

template <class Fields>
void describe(Fields&& f,
              auto& e) requires std::is_same_v<std::decay_t<decltype(e)>, TimeLimitReached> {
  f("seconds", e.seconds);
}

template <class Fields>
void describe(Fields&& f,
              auto& e) requires std::is_same_v<std::decay_t<decltype(e)>, LoadMeasured> {
  f("url", e.url);
  f("load", e.load);
  f("connections", e.connections);
  f("seconds", e.seconds);
  f("warmup_seconds", e.warmup_seconds);
  f("steady", e.steady);
  f("remark", e.remark);
  f("requests_per_s", e.requests_per_s);
  f("offered_per_s", e.offered_per_s);
  f("requests", e.requests);
  f("ok", e.ok);
  f("refused", e.refused);
  f("rejected", e.rejected);
  f("server_errors", e.server_errors);
  f("timeouts", e.timeouts);
  f("broken", e.broken);
  f("cached", e.cached);
  f("p50_s", e.p50_s);
  f("p90_s", e.p90_s);
  f("p99_s", e.p99_s);
  f("p999_s", e.p999_s);
  f("longest_s", e.longest_s);
  f("service_p50_s", e.service_p50_s);
  f("service_p99_s", e.service_p99_s);
  f("slo", e.slo);
  f("fails_from_per_s", e.fails_from_per_s);
  f("machine", e.machine);
  f("usd_per_hour", e.usd_per_hour);
}

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
  Result<void>& parts;  // the first failure of a part with a shape of its own

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

constexpr std::array<std::string_view, 16> kKinds = {
    "start",       "input", "model",      "steps",      "epoch",   "checkpoint",
    "note",        "end",   "ranks",      "rank_steps", "figures", "found_steps",
    "environment", "stay",  "time_limit", "load"};
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

// Lists of one line must agree, or the steps they speak of cannot be told apart.
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
template Json body_to_json(const StayOver&);
template Json body_to_json(const LoadMeasured&);
template Result<RunStarted> body_from_json(const Json&, const std::string&);
template Result<InputReady> body_from_json(const Json&, const std::string&);
template Result<ModelReady> body_from_json(const Json&, const std::string&);
template Result<EpochDone> body_from_json(const Json&, const std::string&);
template Result<CheckpointWritten> body_from_json(const Json&, const std::string&);
template Result<RunEnded> body_from_json(const Json&, const std::string&);
template Result<RanksReady> body_from_json(const Json&, const std::string&);
template Result<RankSteps> body_from_json(const Json&, const std::string&);
template Result<FiguresSeen> body_from_json(const Json&, const std::string&);
template Result<StepsFound> body_from_json(const Json&, const std::string&);
template Result<EnvironmentFacts> body_from_json(const Json&, const std::string&);
template Result<StayOver> body_from_json(const Json&, const std::string&);
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
    if (kKinds[i] != kind) continue;
    TACHO_TRY(body,
              read_body_of(i, object, std::make_index_sequence<std::variant_size_v<EventBody>>()));
    TACHO_CHECK(check_lengths(body));
    event.body = std::move(body);
    return event;
  }
  return Error{ErrorCode::invalid, unknown_name("kind of event", kind, kKinds)};
}

}  // namespace tacho
