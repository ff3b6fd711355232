#include "experiments/trials/trial_start.h"

#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/json_object.h"
#include "experiments/trials/sitecustomize_py.h"
#include "experiments/trials/tacho_changes_py.h"
#include "experiments/trials/tacho_trial_py.h"

namespace tacho {

Result<void> write_trial_hook(const std::filesystem::path& folder) {
  for (const auto& [name, text] :
       {std::pair("sitecustomize.py", kSitecustomizePy), std::pair("tacho_trial.py", kTachoTrialPy),
        std::pair("tacho_changes.py", kTachoChangesPy)}) {
    TACHO_CHECK(write_file_atomically(folder / name, text));
  }
  return {};
}

std::map<std::string, std::string> trial_variables(const std::filesystem::path& hook,
                                                   std::span<const TrialChange> changes,
                                                   std::int64_t seed, const TrialLength& length) {
  std::map<std::string, std::string> variables;
  Json names = Json::array();
  for (const TrialChange& change : changes) {
    variables.insert(change.variables.begin(), change.variables.end());
    if (change.in_python) names.push_back(change.name);
  }
  const Json plan = {{"changes", std::move(names)},
                     {"seed", seed},
                     {"steps", length.steps},
                     {"seconds", length.measured},
                     {"most_seconds", length.most}};
  variables["TACHO_TRIAL"] = json_text(plan);
  const char* path = std::getenv("PYTHONPATH");
  variables["PYTHONPATH"] =
      hook.string() + (path != nullptr && *path != '\0' ? ":" + std::string(path) : "");
  variables["PYTHONDONTWRITEBYTECODE"] = "1";
  return variables;
}

}  // namespace tacho
