#pragma once

#include <atomic>
#include <filesystem>
#include <functional>

#include "base/result.h"
#include "core/record/run_folder.h"
#include "experiments/runner/launch.h"

namespace tacho {

// Runs ranks whose record another tacho keeps, the one that starts rank 0. Their workers get a
// temporary folder; if they fail, the folder is kept and the Error names it. `interrupts` counts
// Ctrl-C, as for Runner. Sets `met` if the ranks have found each other; until then they are ended
// once `superseded` returns true.
Result<void> run_separate_ranks(const RunOrder& order, const Launch& launch,
                                const std::filesystem::path& home,
                                const std::atomic<int>& interrupts, bool& met,
                                const std::function<bool()>& superseded);

}  // namespace tacho
