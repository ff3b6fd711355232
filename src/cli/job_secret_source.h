#pragma once

#include "cli/context.h"
#include "cli/rank_options.h"

namespace tacho {

// Sets the job's secret for plan_launch(): that of --job-secret-file, else of the environment.
// Ranks that a launcher started on one node derive a common one from a key in Tacho's home. Machine
// 0 of several makes a new one and prints the command for the others; with a rendezvous file,
// plan_launch() makes one for each attempt.
Result<void> settle_secret(Standing& standing, const RankOptions& options, const DistSpec& dist,
                           const Context& context);

// Returns the command line for another machine: with the secret, if any, and the machine's
// --node-rank.
std::string command_for_machine(int node, const std::string& secret,
                                std::vector<std::string> words);

}  // namespace tacho
