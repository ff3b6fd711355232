#pragma once

#include "cli/context.h"
#include "cli/dist_options.h"

namespace tacho {

// Puts the job's secret where plan_launch() takes it from: that of --job-secret-file, else of the
// environment. Ranks of one node that a launcher started have one in common through Tacho's home.
// Machine 0 of several makes one and shows the command for the others.
Result<void> settle_secret(Standing& standing, const DistOptions& options, const DistSpec& dist,
                           const Context& context);

// The command that was typed, for another machine: with the secret before it and its --node-rank.
std::string command_for_machine(int node, const std::string& secret,
                                std::vector<std::string> words);

}  // namespace tacho
