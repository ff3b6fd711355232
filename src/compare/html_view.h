#pragma once

#include <string>

#include "compare/comparison.h"

namespace tacho {

// One file that needs no network: for each metric all runs of each variant as dots, beside them the
// interval of its ratio on an axis they share, and the words.
std::string comparison_html(const Comparison& comparison);

}  // namespace tacho
