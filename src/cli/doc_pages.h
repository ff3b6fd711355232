#pragma once

#include <span>
#include <string_view>

namespace tacho {

// The pages of docs/, compiled into the binary; pages that answer a question of docs/README.md come
// first.
struct DocPage {
  std::string_view topic;
  std::string_view text;
  std::string_view question;  // keyword of the question it answers, such as "why"; or ""
};
std::span<const DocPage> doc_pages();

}  // namespace tacho
