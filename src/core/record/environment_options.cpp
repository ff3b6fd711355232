#include "base/quantity.h"
#include "core/record/run_option_fields.h"

namespace tacho {
namespace {

using namespace run_option_fields;

// An option of the environment, which spec.json holds separately.
template <class Set>
RunOption custom(std::string_view names, std::string_view help, Set set, unsigned uses = kLocal) {
  RunOption out = described("", names, help, {}, uses | kPerRank);
  out.set = set;
  out.get = [](const TrainRequest&) { return Json(nullptr); };
  return out;
}

RunOption bytes(std::optional<std::int64_t> EnvironmentSpec::*member, std::string_view names,
                std::string_view help) {
  return custom(names, help,
                [member](TrainRequest& request, std::string_view text) -> Result<void> {
                  TACHO_TRY(size, parse_bytes(text));
                  request.environment.*member = size.count;
                  return {};
                });
}

Result<void> set_environment(TrainRequest& request, std::string_view text) {
  TACHO_TRY(environment, parse_environment(text));
  request.environment.kind = environment.kind;
  request.environment.image = std::move(environment.image);
  return {};
}

RunOption environment_kind() {
  RunOption out =
      custom("env,E",
             "environment: bare, podman:IMAGE, docker:IMAGE, apptainer:FILE or charliecloud:FOLDER",
             set_environment);
  out.get = [](const TrainRequest& request) { return Json(environment_name(request.environment)); };
  return out;
}

Result<void> add_bind(TrainRequest& request, std::string_view text) {
  TACHO_TRY(bind, parse_bind(text));
  request.environment.binds.push_back(std::move(bind));
  return {};
}

Result<void> add_variable(TrainRequest& request, std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) {
    return usage(fmt::format("'{}' is not a valid variable; write NAME=VALUE", text));
  }
  request.environment.variables[std::string(text.substr(0, equals))] = text.substr(equals + 1);
  return {};
}

Result<void> set_time_limit(TrainRequest& request, std::string_view text) {
  TACHO_TRY(limit, parse_duration(text));
  if (limit.count() <= 0) return usage("must be above 0");
  request.time_limit_s = limit.count();
  return {};
}

}  // namespace

std::vector<RunOption> run_option_fields::environment_options() {
  constexpr unsigned kUses = kLocal | kPerRank;
  return {
      environment_kind(),
      option(TACHO_FIELD(environment.cpus), "env-cpus", "CPU limit in processors, such as 1.5", {},
             kUses),
      option(TACHO_FIELD(environment.cpuset), "env-cpuset", "processors to run on, such as 0-3,6",
             {}, kUses),
      bytes(&EnvironmentSpec::memory_bytes, "env-memory",
            "memory limit, such as 512M or 2G; a run that exceeds it ends as out_of_memory"),
      option(TACHO_FIELD(environment.gpus), "env-gpus",
             "GPUs of a container: all, or a list such as 0,2", {}, kUses),
      custom("env-bind", "mount SOURCE[:TARGET[:ro]] in the container (repeatable)", add_bind,
             kLocal | kRepeatable),
      bytes(&EnvironmentSpec::shared_memory_bytes, "env-shm",
            "size of a separate /dev/shm, such as 64M (default: the machine's /dev/shm)"),
      option(TACHO_FIELD(environment.network), "env-network", "network access: host or none", {},
             kUses),
      custom("env-var",
             "set NAME=VALUE for the program (repeatable); records contain the name only",
             add_variable, kLocal | kRepeatable),
      custom("time-limit", "end the run after this time, such as 90s, 10m or 1h30m", set_time_limit,
             0),
  };
}

}  // namespace tacho
