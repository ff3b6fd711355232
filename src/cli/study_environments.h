#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "store/study_table.h"

namespace tacho {

struct EnvironmentsHere {
  std::vector<std::string> usable;  // as they were named
  std::vector<AbsentThing> absent;  // the others
};

// Which of them a run could live in on this machine. Where an engine has no image of this very
// Tacho, one is built: a container with another worker would be compared to other programs.
Result<EnvironmentsHere> environments_here(const std::vector<std::string>& names,
                                           const std::filesystem::path& home,
                                           const Context& context);

}  // namespace tacho
