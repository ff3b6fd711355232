#pragma once

#include "base/result.h"
#include "core/record/run_folder.h"

namespace tacho {

// Returns the order for display, storage and export: masks all values of --env-var and everything
// that looks like a secret in the program's arguments (base/secrets.h).
RunOrder without_secrets(RunOrder order);

// The masked values are in a file of the run's folder that only this user can read and that is
// neither served nor exported. An order without secrets has no such file.
inline constexpr const char* kSecretsFile = "secrets.json";
Result<void> keep_secrets(const RunFolder& folder, const RunOrder& order);
// Restores the masked values. Returns an error if the file is missing, as in a copied folder.
Result<void> add_secrets(const RunFolder& folder, RunOrder& order);

// Reads the order with its secrets, for executing it; RunFolder::read_order() masks them.
Result<RunOrder> read_true_order(const RunFolder& folder);

}  // namespace tacho
