#include "core/record/run_secrets.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <utility>

#include "base/confined_file.h"
#include "base/json_object.h"
#include "base/secrets.h"

namespace tacho {

RunOrder without_secrets(RunOrder order) {
  if (order.command) order.command->argv = without_secrets(std::move(order.command->argv));
  for (auto& [name, value] : order.environment.variables) value = kMasked;
  return order;
}

Result<void> keep_secrets(const RunFolder& folder, const RunOrder& order) {
  Json json = Json::object();
  const RunOrder shown = without_secrets(order);
  if (order.command && shown.command->argv != order.command->argv) {
    json["argv"] = order.command->argv;
  }
  for (const auto& [name, value] : order.environment.variables) json["variables"][name] = value;
  if (json.empty()) return {};
  const std::filesystem::path file = folder.path() / kSecretsFile;
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  const UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return system_error(file, errno);
  return write_all(fd.get(), json_text(json, 2) + "\n", file);
}

Result<void> add_secrets(const RunFolder& folder, RunOrder& order) {
  constexpr Bytes kLargest{1 << 20};
  const auto text = read_confined(folder.path(), kSecretsFile, kLargest);
  if (!text.ok() && text.error().code == ErrorCode::not_found) {
    for (const auto& [name, value] : order.environment.variables) {
      if (value != kMasked) continue;
      return Error{ErrorCode::usage,
                   fmt::format("{}: the values of --env-var are not in the folder ({} is missing); "
                               "start the run again",
                               folder.path().string(), kSecretsFile)};
    }
    return {};
  }
  if (!text.ok()) return text.error();
  TACHO_TRY(json, parse_json(*text).in(kSecretsFile));
  JsonObject object(json, kSecretsFile);
  std::vector<std::string> argv;
  const Json* variables = object.part("variables", false);
  const Json* words = object.part("argv", false);
  TACHO_CHECK(object.finish());
  for (const Json& word : words != nullptr ? *words : Json::array()) {
    if (word.is_string()) argv.push_back(word.get<std::string>());
  }
  if (order.command && !argv.empty()) order.command->argv = std::move(argv);
  if (variables == nullptr || !variables->is_object()) return {};
  for (auto& [name, value] : order.environment.variables) {
    const auto kept = variables->find(name);
    if (kept != variables->end() && kept->is_string()) value = kept->get<std::string>();
  }
  return {};
}

}  // namespace tacho
