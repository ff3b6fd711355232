#pragma once

#include "base/result.h"
#include "record/run_folder.h"

namespace tacho {

// The order as it is shown, stored and exported: every value of --env-var and what looks like a
// secret among the program's words is masked (base/secrets.h).
RunOrder without_secrets(RunOrder order);

// What is masked lies in the run's folder, in a file that this user alone may read and that is
// neither served nor exported. An order without secrets has none.
inline constexpr const char* kSecretsFile = "secrets.json";
Result<void> keep_secrets(const RunFolder& folder, const RunOrder& order);
// In place of the masks. An error where the file is missing, as in a folder that was handed on.
Result<void> add_secrets(const RunFolder& folder, RunOrder& order);

// RunFolder::read_order() as it is to be carried out, secrets and all.
Result<RunOrder> read_true_order(const RunFolder& folder);

}  // namespace tacho
