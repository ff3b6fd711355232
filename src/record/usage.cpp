#include "record/usage.h"

#include <fmt/format.h>

#include <cmath>
#include <type_traits>

#include "base/json_object.h"

namespace tacho {
namespace {

// Each type is described once as a list of fields, used for both writing and reading.
template <class Fields>
void describe(Fields&& f, auto& s) requires std::is_same_v<std::decay_t<decltype(s)>, GpuSample> {
  f("index", s.index);
  f("name", s.name);
  f("busy", s.busy);
  f("memory_busy", s.memory_busy);
  f("memory_bytes", s.memory_bytes);
  f("memory_total_bytes", s.memory_total_bytes);
  f("watts", s.watts);
  f("joules", s.joules);
  f("sm_mhz", s.sm_mhz);
  f("sm_max_mhz", s.sm_max_mhz);
  f("memory_mhz", s.memory_mhz);
  f("celsius", s.celsius);
  f("throttled_by", s.throttled_by);
  f("pcie_rx_bytes_per_s", s.pcie_rx_bytes_per_s);
  f("pcie_tx_bytes_per_s", s.pcie_tx_bytes_per_s);
  f("other_processes", s.other_processes);
}

template <class Fields>
void describe(Fields&& f, auto& s) requires std::is_same_v<std::decay_t<decltype(s)>, UsageSample> {
  f("unix_seconds", s.unix_seconds);
  f("processes", s.processes);
  f("threads", s.threads);
  f("user_s", s.user_s);
  f("system_s", s.system_s);
  f("resident_bytes", s.resident_bytes);
  f("peak_resident_bytes", s.peak_resident_bytes);
  f("swapped_bytes", s.swapped_bytes);
  f("minor_faults", s.minor_faults);
  f("major_faults", s.major_faults);
  f("voluntary_switches", s.voluntary_switches);
  f("involuntary_switches", s.involuntary_switches);
  f("read_bytes", s.read_bytes);
  f("write_bytes", s.write_bytes);
  f("read_chars", s.read_chars);
  f("write_chars", s.write_chars);
  f("net_rx_bytes", s.net_rx_bytes);
  f("net_tx_bytes", s.net_tx_bytes);
  f("throttled_s", s.throttled_s);
  f("cpu_stalled_s", s.cpu_stalled_s);
  f("memory_stalled_s", s.memory_stalled_s);
  f("io_stalled_s", s.io_stalled_s);
  f("waited_s", s.waited_s);
  f("others_s", s.others_s);
  f("stolen_s", s.stolen_s);
  f("gpus", s.gpus);
}

template <class Fields>
void describe(Fields&& f, auto& s) requires std::is_same_v<std::decay_t<decltype(s)>, ThreadUsage> {
  f("name", s.name);
  f("process", s.process);
  f("cpu_s", s.cpu_s);
  f("waited_s", s.waited_s);
}

template <class Fields>
void describe(Fields&& f, auto& s) requires std::is_same_v<std::decay_t<decltype(s)>, UsageFacts> {
  f("interval_s", s.interval_s);
  f("cores", s.cores);
  f("processors", s.processors);
  f("memory_limit_bytes", s.memory_limit_bytes);
  f("threads", s.threads);
  f("hardware", s.hardware);
  f("unavailable", s.unavailable);
  f("sampler_cpu_s", s.sampler_cpu_s);
}

template <class Shape>
Json written(const Shape& shape);

// Leaves out absent values and empty lists: ten lines are written per second.
struct Writer {
  Json& out;

  template <class T>
  void operator()(const char* key, const T& value) {
    out[key] = value;
  }
  template <class T>
  void operator()(const char* key, const std::optional<T>& value) {
    if (value) out[key] = *value;
  }
  void operator()(const char* key, const std::vector<std::string>& words) {
    if (!words.empty()) out[key] = words;
  }
  template <class Shape>
  void operator()(const char* key, const std::vector<Shape>& list) {
    if (list.empty()) return;
    Json& array = out[key] = Json::array();
    for (const Shape& shape : list) array.push_back(written(shape));
  }
};

template <class Shape>
Json written(const Shape& shape) {
  Json out = Json::object();
  describe(Writer{out}, shape);
  return out;
}

template <class Shape>
Result<Shape> read_shape(const Json& json, const std::string& place);

// Reads what Writer writes and keeps the first error.
struct Reader {
  JsonObject& in;
  std::string place;
  std::optional<Error> error = {};

  void operator()(const char* key, std::string& value) { in.read(key, value); }
  void operator()(const char* key, std::int64_t& value) { in.read(key, value); }
  void operator()(const char* key, double& value) {
    in.read(key, value);
    want(std::isfinite(value), key, "not a number");
  }
  void operator()(const char* key, std::optional<std::int64_t>& value) {
    in.read_optional(key, value);
  }
  void operator()(const char* key, std::optional<double>& value) { in.read_optional(key, value); }

  void operator()(const char* key, std::vector<std::string>& words) {
    const Json* list = in.part(key, false);
    if (list == nullptr || !want(list->is_array(), key, "not a list")) return;
    for (const Json& word : *list) {
      if (!want(word.is_string(), key, "contains something that is not a string")) return;
      words.push_back(word.get<std::string>());
    }
  }
  template <class Shape>
  void operator()(const char* key, std::vector<Shape>& shapes) {
    const Json* list = in.part(key, false);
    if (list == nullptr || !want(list->is_array(), key, "not a list")) return;
    for (const Json& item : *list) {
      auto shape = read_shape<Shape>(item, fmt::format("{}: '{}'", place, key));
      if (!shape.ok()) return keep(shape.error());
      shapes.push_back(*std::move(shape));
    }
  }
  void operator()(const char* key, std::map<std::string, double>& values) {
    const Json* object = in.part(key);
    if (object == nullptr || !want(object->is_object(), key, "not a JSON object")) return;
    for (const auto& [name, value] : object->items()) {
      if (!want(value.is_number(), key, "contains something that is not a number")) return;
      values[name] = value.template get<double>();
    }
  }
  void operator()(const char* key, std::map<std::string, std::string>& values) {
    const Json* object = in.part(key);
    if (object == nullptr || !want(object->is_object(), key, "not a JSON object")) return;
    for (const auto& [name, value] : object->items()) {
      if (!want(value.is_string(), key, "contains something that is not a string")) return;
      values[name] = value.template get<std::string>();
    }
  }

  bool want(bool holds, const char* key, const char* otherwise) {
    if (!holds) {
      keep(Error{ErrorCode::invalid, fmt::format("{}: '{}': {}", place, key, otherwise)});
    }
    return holds;
  }
  void keep(const Error& found) {
    if (!error) error = found;
  }
};

template <class Shape>
Result<Shape> read_shape(const Json& json, const std::string& place) {
  Shape shape;
  JsonObject object(json, place);
  Reader reader{object, place};
  describe(reader, shape);
  TACHO_CHECK(object.finish());
  if (reader.error) return *reader.error;
  return shape;
}

std::string line_of(const char* kind, Json body) {
  Json line = Json::object();
  line[kind] = std::move(body);
  return json_text(line);
}

Result<void> read_line(std::string_view line, UsageLog& log) {
  TACHO_TRY(json, parse_json(line));
  JsonObject object(json, "usage");
  const Json* sample = object.part("sample", false);
  const Json* facts = object.part("facts", false);
  TACHO_CHECK(object.finish());
  if ((sample != nullptr) == (facts != nullptr)) {
    return Error{ErrorCode::invalid, "usage: expected either 'sample' or 'facts'"};
  }
  if (sample != nullptr) {
    TACHO_TRY(read, read_shape<UsageSample>(*sample, "sample"));
    log.samples.push_back(std::move(read));
  } else {
    TACHO_TRY(read, read_shape<UsageFacts>(*facts, "facts"));
    log.facts = std::move(read);
  }
  return {};
}

}  // namespace

std::string to_line(const UsageSample& sample) { return line_of("sample", written(sample)); }

std::string to_line(const UsageFacts& facts) { return line_of("facts", written(facts)); }

Result<UsageLog> usage_from_text(std::string_view text) {
  UsageLog log;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const bool cut_off = end == std::string_view::npos;
    text.remove_prefix(cut_off ? text.size() : end + 1);
    if (line.empty()) continue;
    const auto read = read_line(line, log);
    if (!read.ok() && !cut_off) return read.error().in(fmt::format("line {}", number));
  }
  return log;
}

}  // namespace tacho
