#pragma once

#include <string>

#include "store/run_row.h"

namespace tacho::serve {

// One run as the list has it. Written by hand: a page of them is what the server does most.
void append_run(std::string& out, const RunRow& row);

}  // namespace tacho::serve
