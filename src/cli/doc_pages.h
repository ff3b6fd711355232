#pragma once

#include <span>
#include <string_view>

namespace tacho {

// The pages of docs/, as they are compiled in; those that answer a question of docs/README.md
// first.
struct DocPage {
  std::string_view topic;
  std::string_view text;
  std::string_view question;  // the word of the question it answers: "why"; else empty
};
std::span<const DocPage> doc_pages();

}  // namespace tacho
