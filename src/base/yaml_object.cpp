#include "base/yaml_object.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include "base/nearest.h"

namespace tacho {
namespace {

struct Scale {
  std::string_view ending;
  double factor;
};

// The number in front of an ending of the table, times what that stands for.
std::optional<double> scaled(std::string_view text, std::span<const Scale> scales) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc() || !std::isfinite(number)) return std::nullopt;
  std::string_view ending(stopped, static_cast<std::size_t>(end - stopped));
  while (ending.starts_with(' ')) ending.remove_prefix(1);
  for (const Scale& scale : scales) {
    if (ending == scale.ending) return number * scale.factor;
  }
  return std::nullopt;
}

Result<std::string_view> scalar_of(const YamlNode& node, std::string_view file) {
  if (node.kind == YamlNode::Kind::scalar) return std::string_view(node.text);
  return yaml_error(file, node,
                    fmt::format("a single value belongs here, not {}", kind_name(node.kind)));
}

}  // namespace

Result<std::int64_t> yaml_whole(const YamlNode& node, std::string_view file) {
  TACHO_TRY(text, scalar_of(node, file));
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, problem] = std::from_chars(text.data(), end, number);
  if (problem == std::errc() && stopped == end) return number;
  return yaml_error(file, node, fmt::format("'{}' is not a whole number", text));
}

Result<double> yaml_number(const YamlNode& node, std::string_view file) {
  TACHO_TRY(text, scalar_of(node, file));
  constexpr std::array<Scale, 1> kPlain = {{{"", 1}}};
  if (const auto number = scaled(text, kPlain)) return *number;
  return yaml_error(file, node, fmt::format("'{}' is not a number", text));
}

Result<Seconds> yaml_duration(const YamlNode& node, std::string_view file) {
  TACHO_TRY(text, scalar_of(node, file));
  constexpr std::array<Scale, 8> kTimes = {{{"s", 1},
                                            {"m", 60},
                                            {"min", 60},
                                            {"h", 3600},
                                            {"d", 86400},
                                            {"", 1},
                                            {"ms", 1e-3},
                                            {"seconds", 1}}};
  const auto seconds = scaled(text, kTimes);
  if (seconds && *seconds > 0) return Seconds(*seconds);
  return yaml_error(file, node,
                    fmt::format("'{}' is not a time above zero; write 90s, 10m, 1.5h or 2d", text));
}

Result<Bytes> yaml_bytes(const YamlNode& node, std::string_view file) {
  TACHO_TRY(text, scalar_of(node, file));
  constexpr double kKi = 1024;
  constexpr std::array<Scale, 9> kSizes = {{{"", 1},
                                            {"K", kKi},
                                            {"M", kKi * kKi},
                                            {"G", kKi * kKi * kKi},
                                            {"T", kKi * kKi * kKi * kKi},
                                            {"KiB", kKi},
                                            {"MiB", kKi * kKi},
                                            {"GiB", kKi * kKi * kKi},
                                            {"TiB", kKi * kKi * kKi * kKi}}};
  const auto bytes = scaled(text, kSizes);
  if (bytes && *bytes >= 1 && *bytes < 0x1p62) return Bytes{std::llround(*bytes)};
  return yaml_error(file, node,
                    fmt::format("'{}' is not an amount of memory; write 512M or 8G", text));
}

YamlObject::YamlObject(const YamlNode& node, std::string_view file) : node_(node), file_(file) {
  if (node.kind != YamlNode::Kind::map) {
    fail(node, fmt::format("a table of keys belongs here, not {}", kind_name(node.kind)));
  }
}

const YamlNode* YamlObject::find(std::string_view key) {
  asked_.emplace(key);
  return error_ ? nullptr : node_.find(key);
}

void YamlObject::fail(const YamlNode& at, std::string_view what) {
  if (!error_) error_ = yaml_error(file_, at, what);
}

template <class T, class Read>
void YamlObject::field(std::string_view key, T& out, Read parse) {
  const YamlNode* at = find(key);
  if (at == nullptr) return;
  auto value = parse(*at, file_);
  if (value.ok()) {
    out = *std::move(value);
  } else {
    error_ = value.error();
  }
}

void YamlObject::read(std::string_view key, std::string& out) { field(key, out, scalar_of); }
void YamlObject::read(std::string_view key, std::optional<std::int64_t>& out) {
  field(key, out, yaml_whole);
}
void YamlObject::read(std::string_view key, std::optional<double>& out) {
  field(key, out, yaml_number);
}
void YamlObject::read(std::string_view key, std::optional<Seconds>& out) {
  field(key, out, yaml_duration);
}
void YamlObject::read(std::string_view key, std::optional<Bytes>& out) {
  field(key, out, yaml_bytes);
}

Result<void> YamlObject::finish() {
  if (error_) return *error_;
  for (const auto& [key, value] : node_.entries) {
    if (asked_.contains(key.text)) continue;
    const std::vector<std::string_view> known(asked_.begin(), asked_.end());
    return yaml_error(file_, key, unknown_name("key", key.text, known));
  }
  return {};
}

}  // namespace tacho
