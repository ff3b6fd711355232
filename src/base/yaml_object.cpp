#include "base/yaml_object.h"

#include <fmt/format.h>

#include <cmath>

#include "base/nearest.h"
#include "base/parse_number.h"
#include "base/quantity.h"

namespace tacho {
namespace {

Result<std::string_view> scalar_of(const YamlNode& node, std::string_view file) {
  if (node.kind == YamlNode::Kind::scalar) return std::string_view(node.text);
  return yaml_error(file, node,
                    fmt::format("expected a single value, not {}", kind_name(node.kind)));
}

}  // namespace

Result<std::int64_t> yaml_whole(const YamlNode& node, std::string_view file) {
  TACHO_TRY(text, scalar_of(node, file));
  if (const auto number = parse_number<std::int64_t>(text)) return *number;
  return yaml_error(file, node, fmt::format("'{}' is not a whole number", text));
}

Result<double> yaml_number(const YamlNode& node, std::string_view file) {
  TACHO_TRY(text, scalar_of(node, file));
  if (const auto number = parse_number<double>(text); number && std::isfinite(*number)) {
    return *number;
  }
  return yaml_error(file, node, fmt::format("'{}' is not a number", text));
}

Result<Seconds> yaml_duration(const YamlNode& node, std::string_view file) {
  TACHO_TRY(text, scalar_of(node, file));
  const auto time = parse_duration(text);
  if (!time.ok()) return yaml_error(file, node, time.error().message);
  if (time->count() > 0) return *time;
  return yaml_error(file, node, fmt::format("'{}' is not greater than zero", text));
}

Result<Bytes> yaml_bytes(const YamlNode& node, std::string_view file) {
  TACHO_TRY(text, scalar_of(node, file));
  const auto bytes = parse_bytes(text);
  if (!bytes.ok()) return yaml_error(file, node, bytes.error().message);
  if (bytes->count > 0) return *bytes;
  return yaml_error(file, node, fmt::format("'{}' is not greater than zero", text));
}

YamlObject::YamlObject(const YamlNode& node, std::string_view file) : node_(node), file_(file) {
  if (node.kind != YamlNode::Kind::map) {
    fail(node, fmt::format("expected a map, not {}", kind_name(node.kind)));
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
