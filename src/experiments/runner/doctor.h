#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/names.h"

namespace tacho {

enum class Health { good, missing, trouble };
inline constexpr Names<Health, 3> kHealth{
    "health", {{{Health::good, "ok"}, {Health::missing, "missing"}, {Health::trouble, "trouble"}}}};

// One component that Tacho can use, or the command that installs it.
struct HealthFinding {
  std::string area;  // "machine", "torch", "containers", …
  std::string name;
  Health health = Health::good;
  std::string text;
  std::string fix;  // "" if good
};

// Checks the whole machine. A `missing` component is not an error.
std::vector<HealthFinding> examine(const std::filesystem::path& home);

Json to_json(const std::vector<HealthFinding>& findings);

}  // namespace tacho
