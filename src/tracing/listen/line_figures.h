#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/record/event.h"

namespace tacho {

// Returns the figures in one line of a program's output, if there are any:
//
//   step=120 loss=0.412, lr=1e-3        between any words; also "loss: 0.412"
//   {"step": 120, "loss": 0.412}        a JSON object or a Python dict on its own line
//   :::MLLOG {"key": "eval_accuracy", "value": 0.9, …}
//
// step, global_step, iteration or iter is the number of the line, also in "step 120". A unit
// becomes part of the name: time=3.2ms is time_ms. Numbers that are not finite are left out.
std::optional<FiguresSeen> figures_of_line(std::string_view line);

// Returns the line without terminal colours; nothing if it is not text.
std::optional<std::string> plain_text(std::string_view line);

}  // namespace tacho
