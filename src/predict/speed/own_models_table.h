#pragma once

#include <span>
#include <string>

#include "base/terminal.h"
#include "predict/speed/evaluate_own_speed.h"

namespace tacho {

std::string own_models_table(std::span<const OwnSpeedScore> scores, const Terminal& terminal);

}  // namespace tacho
