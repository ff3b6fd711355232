#pragma once

#include <string>

#include "base/estimate.h"

namespace tacho {

// "1.42", "142": three significant figures.
std::string three_figures(double value);

// "7.70 h (4.78-12.4)": a time in seconds with its interval, in ms, s, min, h or d as fits.
std::string duration_text(const Estimate& seconds);

}  // namespace tacho
