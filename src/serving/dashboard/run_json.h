#pragma once

#include <string>

#include "core/store/run_row.h"

namespace tacho::serve {

// Appends one run of a list. Written by hand: the server spends most of its time on lists.
void append_run(std::string& out, const RunRow& row);

}  // namespace tacho::serve
