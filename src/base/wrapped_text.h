#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tacho {

// Lines of at most so many columns, broken at blanks; a word that is longer stands alone. All but
// the first begin with `indent`. It ends with a line's end.
std::string wrapped(std::string_view text, std::size_t columns, std::string_view indent = "");

}  // namespace tacho
