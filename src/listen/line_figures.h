#pragma once

#include <optional>
#include <string_view>

#include "record/event.h"

namespace tacho {

// The figures in one line of a program's output, if it has any:
//
//   step=120 loss=0.412, lr=1e-3        any words around them; "loss: 0.412" as well
//   {"step": 120, "loss": 0.412}        a JSON object or a Python dict alone on its line
//   :::MLLOG {"key": "eval_accuracy", "value": 0.9, …}
//
// What is called step, global_step, iteration or iter numbers the line. A unit becomes part of the
// name: time=3.2ms is time_ms. Numbers that are not finite are left out.
std::optional<FiguresSeen> figures_of_line(std::string_view line);

}  // namespace tacho
