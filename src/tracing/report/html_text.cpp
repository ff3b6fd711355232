#include "tracing/report/html_text.h"

#include <array>
#include <cstddef>

namespace tacho {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Length in bytes of the UTF-8 sequence at the front; 0 if it is not valid.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  struct Form {
    unsigned char mask, bits;
    unsigned long lowest;
  };
  static constexpr std::array kForms = {Form{0xE0, 0xC0, 0x80}, Form{0xF0, 0xE0, 0x800},
                                        Form{0xF8, 0xF0, 0x10000}};
  if (byte(0) < 0x80) return 1;
  for (std::size_t i = 0; i < kForms.size(); ++i) {
    const Form& form = kForms[i];
    const std::size_t length = i + 2;
    if ((byte(0) & form.mask) != form.bits) continue;
    if (text.size() < length) return 0;
    unsigned long code = byte(0) & static_cast<unsigned char>(~form.mask);
    for (std::size_t at = 1; at < length; ++at) {
      if ((byte(at) & 0xC0U) != 0x80U) return 0;
      code = code << 6U | (byte(at) & 0x3FU);
    }
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    const bool no_character = (code & 0xFFFEU) == 0xFFFE;
    return code < form.lowest || code > 0x10FFFF || surrogate || no_character ? 0 : length;
  }
  return 0;
}

std::string_view escaped(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const auto byte = static_cast<unsigned char>(text.front());
    const bool control = byte < 0x20 || byte == 0x7F;
    if (length == 0 || (control && byte != '\t' && byte != '\n')) {
      out += kReplacement;
    } else if (const std::string_view entity = escaped(text.front()); !entity.empty()) {
      out += entity;
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace tacho
