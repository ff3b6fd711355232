#include "serving/http/url.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/split.h"

namespace tacho::http {
namespace {

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

Error refused(std::string_view what) {
  return {ErrorCode::usage, "the address " + std::string(what)};
}

Result<std::vector<Field>> parse_query(std::string_view text) {
  std::vector<Field> fields;
  if (text.empty()) return fields;
  for (const std::string_view part : split(text, '&')) {
    if (part.empty()) continue;
    const std::size_t equals = std::min(part.find('='), part.size());
    TACHO_TRY(name, percent_decoded(part.substr(0, equals), true));
    TACHO_TRY(value, percent_decoded(part.substr(std::min(equals + 1, part.size())), true));
    fields.emplace_back(std::move(name), std::move(value));
  }
  return fields;
}

}  // namespace

Result<std::string> percent_decoded(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += plus_is_space && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? digit_of(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? digit_of(text[i + 2]) : -1;
    if (high < 0 || low < 0) return refused("has a % without two hexadecimal digits after it");
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  if (out.find('\0') != std::string::npos) return refused("contains a zero byte");
  return out;
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_plain(c)) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

Result<Target> parse_target(std::string_view text) {
  if (!text.starts_with('/')) return refused("does not begin with /");
  if (std::ranges::any_of(text, [](unsigned char c) { return c <= 0x20 || c == 0x7F; })) {
    return refused("contains a space or control character");
  }
  const std::string_view whole = text.substr(0, text.find('#'));
  const std::string_view path = whole.substr(0, whole.find('?'));
  Target target;
  if (path.size() < whole.size()) {
    TACHO_TRY(query, parse_query(whole.substr(path.size() + 1)));
    target.query = std::move(query);
  }
  if (path == "/") return target;
  for (const std::string_view segment : split(path.substr(1), '/')) {
    TACHO_TRY(decoded, percent_decoded(segment, false));
    target.segments.push_back(std::move(decoded));
  }
  return target;
}

}  // namespace tacho::http
