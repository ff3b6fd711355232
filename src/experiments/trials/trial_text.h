#pragma once

#include <string>

#include "base/terminal.h"
#include "experiments/trials/trial_report.h"

namespace tacho {

std::string trial_text(const TrialReport& report, const Terminal& terminal);

// Describes all changes, for tacho try --list.
std::string change_list(std::span<const TrialChange> changes, const Terminal& terminal);

}  // namespace tacho
