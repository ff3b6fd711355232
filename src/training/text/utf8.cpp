#include "training/text/utf8.h"

namespace tacho {
namespace {

struct Form {
  std::size_t continuations;
  // Range of the second byte; narrower than 80 to BF to exclude overlong and too large forms.
  unsigned char low;
  unsigned char high;
};

constexpr Form kNotALead{0, 1, 0};

constexpr Form form_of(unsigned char lead) {
  if (lead < 0x80) return {0, 0, 0};
  if (lead < 0xC2) return kNotALead;
  if (lead < 0xE0) return {1, 0x80, 0xBF};
  if (lead == 0xE0) return {2, 0xA0, 0xBF};
  if (lead == 0xED) return {2, 0x80, 0x9F};
  if (lead < 0xF0) return {2, 0x80, 0xBF};
  if (lead == 0xF0) return {3, 0x90, 0xBF};
  if (lead < 0xF4) return {3, 0x80, 0xBF};
  if (lead == 0xF4) return {3, 0x80, 0x8F};
  return kNotALead;
}

// Returns the length in bytes of the first character of `text`, or 0.
std::size_t first_length(std::string_view text) {
  const auto byte = [text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const Form form = form_of(byte(0));
  if (form.low > form.high || form.continuations >= text.size()) return 0;
  for (std::size_t i = 1; i <= form.continuations; ++i) {
    const unsigned char low = i == 1 ? form.low : 0x80;
    const unsigned char high = i == 1 ? form.high : 0xBF;
    if (byte(i) < low || byte(i) > high) return 0;
  }
  return form.continuations + 1;
}

}  // namespace

Utf8Character first_character(std::string_view text) {
  const std::size_t length = first_length(text);
  if (length == 0) return {kReplacementCharacter, 1};
  const auto lead = static_cast<unsigned char>(text[0]);
  if (length == 1) return {lead, 1};
  char32_t code_point = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    code_point = code_point << 6U | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  return {code_point, length};
}

void append_utf8(std::string& text, char32_t code_point) {
  const auto tail = [&](unsigned shift) {
    text.push_back(static_cast<char>(0x80U | (code_point >> shift & 0x3FU)));
  };
  if (code_point < 0x80) {
    text.push_back(static_cast<char>(code_point));
  } else if (code_point < 0x800) {
    text.push_back(static_cast<char>(0xC0U | code_point >> 6U));
    tail(0);
  } else if (code_point < 0x10000) {
    text.push_back(static_cast<char>(0xE0U | code_point >> 12U));
    tail(6);
    tail(0);
  } else {
    text.push_back(static_cast<char>(0xF0U | code_point >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = first_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace tacho
