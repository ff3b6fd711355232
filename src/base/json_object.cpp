#include "base/json_object.h"

#include <fmt/format.h>

#include <cmath>

#include "base/former_names.h"
#include "base/nearest.h"

namespace tacho {
namespace {

// JSON has no NaN: it is written and read as null.
std::optional<double> as_number(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_null()) return std::nan("");
  return std::nullopt;
}

std::optional<std::int64_t> as_whole_number(const Json& value) {
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX);
  return fits ? std::optional(value.get<std::int64_t>()) : std::nullopt;
}

std::optional<std::string> as_string(const Json& value) {
  return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
}

}  // namespace

std::string json_text(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

JsonObject::JsonObject(const Json& value, std::string place)
    : object_(value), place_(std::move(place)) {
  if (!value.is_object()) error_ = Error{ErrorCode::invalid, place_ + ": not a JSON object"};
}

const Json* JsonObject::find(std::string_view key, bool required) {
  asked_.emplace(key);
  if (error_) return nullptr;
  auto at = object_.find(std::string(key));
  if (const auto former = former_name(key); at == object_.end() && !former.empty()) {
    at = object_.find(std::string(former));
    asked_.emplace(former);
  }
  if (at != object_.end() && (required || !at->is_null())) return &*at;
  if (required) fail(key, "missing");
  return nullptr;
}

void JsonObject::fail(std::string_view key, const std::string& what) {
  if (!error_) error_ = Error{ErrorCode::invalid, fmt::format("{}: '{}': {}", place_, key, what)};
}

void JsonObject::keep(const Result<void>& read) {
  if (!error_ && !read.ok()) error_ = read.error();
}

void JsonObject::field(std::string_view key, std::string& out, bool required) {
  const Json* value = find(key, required);
  if (value == nullptr) return;
  if (!value->is_string()) return fail(key, "not a string");
  out = value->get<std::string>();
}

void JsonObject::field(std::string_view key, bool& out, bool required) {
  const Json* value = find(key, required);
  if (value == nullptr) return;
  if (!value->is_boolean()) return fail(key, "neither true nor false");
  out = value->get<bool>();
}

void JsonObject::field(std::string_view key, std::int64_t& out, bool required) {
  const Json* value = find(key, required);
  if (value == nullptr) return;
  const auto number = as_whole_number(*value);
  if (!number) return fail(key, "not a whole number");
  out = *number;
}

void JsonObject::field(std::string_view key, double& out, bool required) {
  const Json* value = find(key, required);
  if (value == nullptr) return;
  const auto number = as_number(*value);
  if (!number) return fail(key, "not a number");
  out = *number;
}

template <class T, class Convert>
void JsonObject::list(std::string_view key, std::vector<T>& out, bool required,
                      const Convert& convert, const char* what) {
  const Json* value = find(key, required);
  if (value == nullptr) return;
  if (!value->is_array()) return fail(key, "not a list");
  out.clear();
  out.reserve(value->size());
  for (const Json& item : *value) {
    auto converted = convert(item);
    if (!converted) return fail(key, fmt::format("contains something that is not a {}", what));
    out.push_back(*std::move(converted));
  }
}

void JsonObject::field(std::string_view key, std::vector<double>& out, bool required) {
  list(key, out, required, as_number, "number");
}

void JsonObject::field(std::string_view key, std::vector<std::int64_t>& out, bool required) {
  list(key, out, required, as_whole_number, "whole number");
}

void JsonObject::field(std::string_view key, std::vector<std::string>& out, bool required) {
  list(key, out, required, as_string, "string");
}

Result<void> JsonObject::finish() {
  if (error_) return *error_;
  for (const auto& [key, value] : object_.items()) {
    if (asked_.contains(key)) continue;
    const std::vector<std::string_view> known(asked_.begin(), asked_.end());
    return Error{ErrorCode::invalid, place_ + ": " + unknown_name("key", key, known)};
  }
  return {};
}

}  // namespace tacho
