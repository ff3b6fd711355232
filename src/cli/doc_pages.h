#pragma once

#include <span>
#include <string_view>

namespace tacho {

// The pages of docs/, as they are compiled in.
struct DocPage {
  std::string_view topic;
  std::string_view text;
};
std::span<const DocPage> doc_pages();

}  // namespace tacho
