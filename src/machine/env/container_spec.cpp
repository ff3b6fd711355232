#include "machine/env/container_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace tacho {
namespace {

namespace fs = std::filesystem;

Result<void> check_source(const Bind& bind) {
  std::error_code problem;
  if (fs::exists(bind.source, problem)) return {};
  return Error{ErrorCode::not_found,
               fmt::format("{}: cannot be bound into the environment: no such file or folder; "
                           "create it or leave it out",
                           bind.source)};
}

// Returns true if `binds`, sorted from outer to inner, already include `bind`.
bool is_shown(const std::vector<Bind>& binds, const Bind& bind) {
  // The innermost bind around its target hides the others.
  const auto around = std::find_if(binds.rbegin(), binds.rend(), [&](const Bind& outer) {
    return bind.target.starts_with(outer.target + "/");
  });
  return around != binds.rend() && around->source == around->target && bind.source == bind.target &&
         (bind.read_only || !around->read_only);
}

}  // namespace

fs::path working_folder(const Command& command) {
  if (command.folder) return fs::absolute(*command.folder).lexically_normal();
  std::error_code gone;
  return fs::current_path(gone);
}

Result<std::vector<Bind>> all_binds(const EnvironmentSpec& spec, const Command& command,
                                    const ContainerSpec& container) {
  std::map<std::string, Bind> by_target;  // sorted: outer before inner
  const auto add = [&](const fs::path& folder, bool read_only) {
    if (folder.empty()) return;
    std::string place = fs::absolute(folder).lexically_normal().string();
    if (place.size() > 1 && place.ends_with('/')) place.pop_back();
    by_target.try_emplace(place, Bind{place, place, read_only});
  };
  for (const Bind& bind : spec.binds) by_target.try_emplace(bind.target, bind);
  const fs::path folder = working_folder(command);
  if (folder == folder.root_path()) {
    return Error{ErrorCode::usage,
                 "the root of the file system cannot be bound into an environment as the working "
                 "folder; start in another folder"};
  }
  add(folder, false);
  add(container.run_folder, false);
  add(container.home, false);
  for (const fs::path& read : container.reads) add(read, true);
  std::vector<Bind> binds;
  for (const auto& [target, bind] : by_target) {
    TACHO_CHECK(check_source(bind));
    if (!is_shown(binds, bind)) binds.push_back(bind);
  }
  return binds;
}

std::map<std::string, std::string> all_variables(const EnvironmentSpec& spec,
                                                 const Command& command,
                                                 const ContainerSpec& container) {
  auto variables = command.environment;
  variables.insert(spec.variables.begin(), spec.variables.end());
  if (!container.home.empty())
    variables.emplace("TACHO_HOME", fs::absolute(container.home).string());
  variables[kMarkVariable] = container.key;
  return variables;
}

bool is_secret(std::string_view variable) { return variable == "TACHO_JOB_SECRET"; }

Result<void> check_key(const std::string& key) {
  const bool fits = !key.empty() && key.size() <= 100 && key.front() != '.' &&
                    std::all_of(key.begin(), key.end(), [](unsigned char c) {
                      return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
                    });
  if (fits) return {};
  return Error{
      ErrorCode::usage,
      fmt::format("'{}' is not a valid container name; use letters, digits, '-', '_' and '.'",
                  key)};
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

}  // namespace tacho
