#include "serving/infer/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/json_parser.h"

namespace tacho::infer {
namespace {

constexpr std::string_view kForms =
    R"(send {"text": ["…"]} or {"images": ["base64 of a JPEG or PNG"]})";

Error wrong(std::string what) { return {ErrorCode::usage, std::move(what)}; }

// Texts with equal tokens have equal keys.
Key key_of(const Sample& sample) {
  Sha256 sum;
  sum.add("text");
  sum.add(std::as_bytes(std::span(sample.tokens)));
  return sum.digest();
}

Key key_of_image(std::string_view bytes) {
  Sha256 sum;
  sum.add("image");
  sum.add(bytes);
  return sum.digest();
}

Result<Input> text_input(const Model& model, std::string_view text) {
  TACHO_TRY(sample, model.text_sample(text));
  Input input;
  input.key = key_of(sample);
  input.sample = std::move(sample);
  return input;
}

Input image_input(std::string bytes) {
  Input input;
  input.key = key_of_image(bytes);
  input.image = std::move(bytes);
  return input;
}

Result<Input> one_input(const Model& model, const Json& value) {
  if (!value.is_string()) return wrong("not a string; " + std::string(kForms));
  const auto& text = value.get_ref<const std::string&>();
  if (model.facts().input == InputKind::text) return text_input(model, text);
  TACHO_TRY(bytes, from_base64(text));
  return image_input(std::move(bytes));
}

Result<std::vector<Input>> listed(const Model& model, const InputLimits& limits, const Json& value,
                                  std::string_view name) {
  std::vector<Input> inputs;
  if (value.is_string()) {
    TACHO_TRY(input, one_input(model, value).in(name));
    inputs.push_back(std::move(input));
    return inputs;
  }
  if (!value.is_array() || value.empty()) {
    return wrong(fmt::format("'{}' must be a list of one or more strings; {}", name, kForms));
  }
  if (value.size() > limits.inputs) {
    return wrong(
        fmt::format("{} inputs in one request; at most {} are allowed, send several requests",
                    value.size(), limits.inputs));
  }
  inputs.reserve(value.size());
  for (std::size_t i = 0; i < value.size(); ++i) {
    TACHO_TRY(input, one_input(model, value[i]).in(fmt::format("{} {}", name, i)));
    inputs.push_back(std::move(input));
  }
  return inputs;
}

}  // namespace

std::size_t KeyHash::operator()(const Key& key) const {
  std::size_t hash = 0;
  std::memcpy(&hash, key.data(), sizeof hash);
  return hash;
}

Result<std::vector<Input>> read_inputs(const Model& model, const InputLimits& limits,
                                       std::string_view content_type, std::string_view body) {
  const bool takes_text = model.facts().input == InputKind::text;
  if (content_type.starts_with("image/")) {
    if (takes_text) return wrong(R"(this model reads text; send {"text": ["…"]})");
    std::vector<Input> inputs;
    inputs.push_back(image_input(std::string(body)));
    return inputs;
  }
  JsonLimits json_limits = kRequestJson;
  json_limits.values = std::max(json_limits.values, limits.inputs + 2);
  const auto parsed = parse_json(body, json_limits);
  if (!parsed.ok()) return wrong("the body: " + parsed.error().message);
  const Json& json = *parsed;
  const std::string_view expected = takes_text ? "text" : "images";
  if (!json.is_object() || json.size() != 1) {
    return wrong("the body must be an object with one member; " + std::string(kForms));
  }
  const auto member = json.begin();
  if (member.key() != expected) {
    return wrong(
        fmt::format("this model reads '{}', not '{:.40}'; {}", expected, member.key(), kForms));
  }
  return listed(model, limits, member.value(), expected);
}

Result<std::string> from_base64(std::string_view text) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  static constexpr auto kValues = [kAlphabet] {
    std::array<std::int8_t, 256> values{};
    values.fill(-1);
    for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
      values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
    }
    return values;
  }();
  const auto bad = [](std::size_t at) {
    return wrong(fmt::format("not base64: error at character {}", at));
  };
  if (text.size() % 4 != 0) return bad(text.size());
  std::size_t padding = 0;
  while (padding < 2 && text.ends_with('=')) {
    text.remove_suffix(1);
    ++padding;
  }
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::int8_t value = kValues[static_cast<unsigned char>(text[at])];
    if (value < 0) return bad(at);
    bits = bits << 6U | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFFU);
  }
  return bytes;
}

}  // namespace tacho::infer
