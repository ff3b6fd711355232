#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/parse_number.h"
#include "core/record/run_options.h"

// Makes an option from a field of TrainRequest: how its type is parsed, read and written.
namespace tacho::run_option_fields {

inline Error usage(std::string message) { return {ErrorCode::usage, std::move(message)}; }

constexpr const auto& names_of(Device) { return kDevices; }
constexpr const auto& names_of(Switch) { return kSwitches; }
constexpr const auto& names_of(KernelKind) { return kKernelKinds; }
constexpr const auto& names_of(OptimizerKind) { return kOptimizers; }
constexpr const auto& names_of(ScheduleKind) { return kSchedules; }
constexpr const auto& names_of(CheckpointKind) { return kCheckpointKinds; }
constexpr const auto& names_of(BestBy) { return kBestBys; }
constexpr const auto& names_of(Stem) { return kStems; }
constexpr const auto& names_of(TextTokens) { return kTextTokens; }
constexpr const auto& names_of(Precision) { return kPrecisions; }
constexpr const auto& names_of(DistBackend) { return kDistBackends; }
constexpr const auto& names_of(Compression) { return kCompressions; }
constexpr const auto& names_of(RateScaling) { return kRateScalings; }
constexpr const auto& names_of(NetworkAccess) { return kNetworkAccesses; }

template <class Number>
Result<void> parse_as(std::string_view text, std::string_view kind, Number& out) {
  const auto number = parse_number<Number>(text);
  if (!number) return usage(fmt::format("'{:.200}' is not a valid {}", text, kind));
  out = *number;
  return {};
}

inline Result<void> parse(std::string_view text, std::int64_t& out) {
  return parse_as(text, "whole number", out);
}
inline Result<void> parse(std::string_view text, double& out) {
  return parse_as(text, "number", out);
}

inline Result<void> parse(std::string_view text, std::string& out) {
  out = text;
  return {};
}

inline Result<void> parse(std::string_view text, bool& out) {
  const auto is_one_of = [text](std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, text) != words.end();
  };
  out = is_one_of({"true", "on", "yes", "1"});
  if (out || is_one_of({"false", "off", "no", "0"})) return {};
  return usage(fmt::format("'{:.200}' is not a valid choice; write true or false", text));
}

inline Result<void> parse(std::string_view text, InputSize& out) {
  TACHO_TRY(size, parse_input_size(text));
  out = size;
  return {};
}

template <class Enum>
requires std::is_enum_v<Enum> Result<void> parse(std::string_view text, Enum& out) {
  TACHO_TRY(value, names_of(out).parse(text));
  out = value;
  return {};
}

// A list such as "60,80" replaces the previous one, except that names add up: their options are
// repeatable.
template <class T>
Result<void> parse(std::string_view text, std::vector<T>& out) {
  if constexpr (!std::is_same_v<T, std::string>) out.clear();
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    TACHO_CHECK(parse(text.substr(0, comma), out.emplace_back()));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return {};
}

template <class T>
Result<void> parse(std::string_view text, std::optional<T>& out) {
  T value{};
  TACHO_CHECK(parse(text, value));
  out = std::move(value);
  return {};
}

template <class T>
Json to_value(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return names_of(value).of(value);
  } else if constexpr (std::is_same_v<T, InputSize>) {
    return to_text(value);
  } else {
    return value;
  }
}

template <class T>
Json to_value(const std::vector<T>& value) {
  if (value.empty()) return nullptr;
  return fmt::format("{}", fmt::join(value, ","));
}

template <class T>
Json to_value(const std::optional<T>& value) {
  return value ? to_value(*value) : Json(nullptr);
}

// Values that are text in JSON, as on the command line.
template <class T>
inline constexpr bool kIsWritten = std::is_same_v<T, std::optional<InputSize>>;
template <class T>
inline constexpr bool kIsWritten<std::vector<T>> = true;

template <class T>
Result<void> read_value(JsonObject& object, std::string_view key, bool needed, T& out) {
  if constexpr (kIsWritten<T>) {
    std::optional<std::string> text;
    object.read_optional(key, text);
    if (text) return parse(*text, out).in(fmt::format("spec: {}", key));
  } else if constexpr (std::is_enum_v<T>) {
    if (needed) object.read_name(key, names_of(out), out);
    if (!needed) object.read_optional_name(key, names_of(out), out);
  } else if constexpr (requires { object.read(key, out); }) {
    if (needed) object.read(key, out);
    if (!needed) object.read_optional(key, out);
  } else {
    object.read_optional(key, out);
  }
  return {};
}

template <class T>
struct TypeOf {
  static constexpr OptionType value = std::is_enum_v<T>                 ? OptionType::choice
                                      : std::is_same_v<T, bool>         ? OptionType::flag
                                      : std::is_same_v<T, std::int64_t> ? OptionType::integer
                                      : std::is_same_v<T, double>       ? OptionType::number
                                                                        : OptionType::text;
};
template <class T>
struct TypeOf<std::optional<T>> : TypeOf<T> {};

// A field of a request and its path: "spec.optimizer.momentum".
template <class Access>
struct Field {
  std::string_view path;
  Access access;  // returns a reference to the field
};
template <class Access>
Field(const char*, Access) -> Field<Access>;
#define TACHO_FIELD(path)                                      \
  Field {                                                      \
#path, [](auto& request) -> auto& { return request.path; } \
  }

// Returns the option without its functions; `names` is "batch" or "batch,b".
inline RunOption described(std::string_view path, std::string_view names, std::string_view help,
                           const OptionRange& range, unsigned uses) {
  constexpr std::string_view kSpec = "spec.";
  RunOption out;
  out.name = names.substr(0, names.find(','));
  out.letter = names.substr(std::min(out.name.size() + 1, names.size()));
  out.help = help;
  out.range = range;
  out.uses = uses;
  if (path.starts_with(kSpec)) out.json = path.substr(kSpec.size());
  return out;
}

template <class Access>
RunOption option(Field<Access> field, std::string_view names, std::string_view help,
                 const OptionRange& range = {}, unsigned uses = 0) {
  using Value = std::remove_cvref_t<decltype(field.access(std::declval<TrainRequest&>()))>;
  RunOption out = described(field.path, names, help, range, uses);
  out.type = TypeOf<Value>::value;
  if constexpr (std::is_enum_v<Value>) {
    for (const std::string_view name : names_of(Value{}).all()) out.choices.push_back(name);
  }
  const auto access = field.access;
  out.set = [access](TrainRequest& request, std::string_view text) {
    return parse(text, access(request));
  };
  out.get = [access](const TrainRequest& request) { return to_value(access(request)); };
  out.read = [access, needed = out.is(kNeeded)](JsonObject& object, std::string_view key,
                                                TrainRequest& request) {
    return read_value(object, key, needed, access(request));
  };
  return out;
}

// A flag that switches something off: --no-dropout.
template <class Access>
RunOption inverted(Field<Access> field, std::string_view names, std::string_view help,
                   const OptionRange& range = {}, unsigned uses = 0) {
  RunOption out = option(field, names, help, range, uses);
  out.set = [access = field.access](TrainRequest& request, std::string_view text) -> Result<void> {
    bool off = false;
    TACHO_CHECK(parse(text, off));
    access(request) = !off;
    return {};
  };
  return out;
}

// Names the value in help.
inline RunOption with_value(RunOption option, std::string_view value) {
  option.value = value;
  return option;
}

// A file or folder. The worker runs in the folder of its run, so the path must be absolute.
template <class Access>
RunOption path(Field<Access> field, std::string_view names, std::string_view value,
               std::string_view help) {
  RunOption out = option(field, names, help, {}, kLocal | kPerRank);
  out.value = value;
  out.set = [access = field.access](TrainRequest& request, std::string_view text) -> Result<void> {
    std::error_code no_working_folder;
    access(request) =
        text.empty()
            ? ""
            : std::filesystem::absolute(text, no_working_folder).lexically_normal().string();
    return {};
  };
  return out;
}

// The options of TrainRequest::environment.
std::vector<RunOption> environment_options();

}  // namespace tacho::run_option_fields
