#include "data/utf8.h"

#include <cstddef>

namespace tacho {
namespace {

struct Form {
  std::size_t continuations;
  // The second byte's range; narrower than 80 to BF where a form would be overlong or too high.
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

}  // namespace

bool is_utf8(std::string_view text) {
  const auto byte = [text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const Form form = form_of(byte(at));
    if (form.low > form.high || form.continuations >= text.size() - at) return false;
    for (std::size_t i = 1; i <= form.continuations; ++i) {
      const unsigned char low = i == 1 ? form.low : 0x80;
      const unsigned char high = i == 1 ? form.high : 0xBF;
      if (byte(at + i) < low || byte(at + i) > high) return false;
    }
    at += form.continuations;
  }
  return true;
}

}  // namespace tacho
