#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "core/store/study_table.h"

namespace tacho {

struct EnvironmentsHere {
  std::vector<std::string> usable;  // as given
  std::vector<AbsentThing> absent;  // the others
};

// Returns the environments that can run on this machine. If an engine has no image of this build,
// one is built: otherwise different programs would be compared.
Result<EnvironmentsHere> environments_here(const std::vector<std::string>& names,
                                           const std::filesystem::path& home,
                                           const Context& context);

}  // namespace tacho
