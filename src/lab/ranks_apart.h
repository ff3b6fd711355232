#pragma once

#include <atomic>
#include <filesystem>

#include "base/result.h"
#include "lab/launch.h"
#include "record/run_folder.h"

namespace tacho {

// Carries out the part of ranks whose record another tacho keeps: the one that started rank 0.
// Their workers get a passing folder; it stays, and the Error names it, only where they failed.
// `interrupts` counts Ctrl-C, as for Lab.
Result<void> run_ranks_apart(const RunOrder& order, const Launch& launch,
                             const std::filesystem::path& home, const std::atomic<int>& interrupts);

}  // namespace tacho
