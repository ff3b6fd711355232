#include "cli/environment_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "base/quantity.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

std::string whole_path(const std::string& path) {
  return fs::absolute(path).lexically_normal().string();
}

// "SOURCE", "SOURCE:TARGET", "SOURCE:TARGET:ro", "SOURCE:ro".
Result<Bind> parse_bind(const std::string& text) {
  std::string rest = text;
  Bind bind;
  if (rest.ends_with(":ro")) {
    bind.read_only = true;
    rest.resize(rest.size() - 3);
  }
  const auto colon = rest.find(':');
  const std::string source = rest.substr(0, colon);
  const std::string target = colon == std::string::npos ? "" : rest.substr(colon + 1);
  const bool ambiguous = target.find(':') != std::string::npos;
  if (source.empty() || ambiguous || (colon != std::string::npos && !target.starts_with('/'))) {
    return Error{ErrorCode::usage,
                 fmt::format("--env-bind takes SOURCE, SOURCE:/TARGET or SOURCE:/TARGET:ro, not "
                             "'{}'",
                             text)};
  }
  bind.source = whole_path(source);
  bind.target = target.empty() ? bind.source : fs::path(target).lexically_normal().string();
  return bind;
}

Result<std::optional<std::int64_t>> bytes_of(const std::string& text, const char* option) {
  if (text.empty()) return std::optional<std::int64_t>();
  TACHO_TRY(bytes, parse_bytes(text).in(option));
  return std::optional(bytes.count);
}

// Makes the path of an image absolute. The name of an image stays as it is.
void name_in_full(EnvironmentSpec& spec) {
  const bool takes_files = spec.kind == EnvironmentKind::apptainer ||
                           spec.kind == EnvironmentKind::singularity ||
                           spec.kind == EnvironmentKind::charliecloud;
  std::error_code absent;
  if (takes_files && fs::exists(spec.image, absent)) spec.image = whole_path(spec.image);
}

}  // namespace

void declare(CLI::App& command, EnvironmentOptions& o) {
  command.option_defaults()->group("Environment");
  command
      .add_option(
          "--env,-E", o.environment,
          "environment: bare, podman:IMAGE, docker:IMAGE, apptainer:FILE or charliecloud:FOLDER")
      ->capture_default_str();
  command.add_option("--env-cpus", o.cpus, "CPU limit in processors, such as 1.5");
  command.add_option("--env-cpuset", o.cpuset, "processors to run on, such as 0-3,6");
  command.add_option(
      "--env-memory", o.memory,
      "memory limit, such as 512M or 2G; a run that exceeds it ends as out_of_memory");
  command.add_option("--env-gpus", o.gpus, "GPUs of a container: all, or a list such as 0,2");
  command
      .add_option("--env-bind", o.binds, "mount SOURCE[:TARGET[:ro]] in the container (repeatable)")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->expected(1)
      ->allow_extra_args(false);
  command.add_option("--env-shm", o.shared_memory,
                     "size of a separate /dev/shm, such as 64M (default: the machine's /dev/shm)");
  command.add_option("--env-network", o.network, "network access: host or none")
      ->capture_default_str();
  command
      .add_option("--env-var", o.variables,
                  "set NAME=VALUE for the program (repeatable); records contain the name only")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->expected(1)
      ->allow_extra_args(false);
  command.add_option("--time-limit", o.time_limit,
                     "end the run after this time, such as 90s, 10m or 1h30m");
}

Result<EnvironmentSpec> environment_of(const EnvironmentOptions& o) {
  TACHO_TRY(spec, parse_environment(o.environment).in("--env"));
  name_in_full(spec);
  spec.cpus = o.cpus;
  spec.cpuset = o.cpuset;
  spec.gpus = o.gpus;
  TACHO_TRY(memory, bytes_of(o.memory, "--env-memory"));
  spec.memory_bytes = memory;
  TACHO_TRY(shared_memory, bytes_of(o.shared_memory, "--env-shm"));
  spec.shared_memory_bytes = shared_memory;
  TACHO_TRY(network, kNetworkAccesses.parse(o.network).in("--env-network"));
  spec.network = network;
  for (const std::string& text : o.binds) {
    TACHO_TRY(bind, parse_bind(text));
    spec.binds.push_back(std::move(bind));
  }
  for (const std::string& text : o.variables) {
    const auto equals = text.find('=');
    if (equals == std::string::npos) {
      return Error{ErrorCode::usage, fmt::format("--env-var takes NAME=VALUE, not '{}'", text)};
    }
    spec.variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  TACHO_CHECK(check(spec));
  return spec;
}

Result<std::optional<double>> time_limit_of(const EnvironmentOptions& o) {
  if (o.time_limit.empty()) return std::optional<double>();
  TACHO_TRY(limit, parse_duration(o.time_limit).in("--time-limit"));
  if (limit.count() <= 0) return Error{ErrorCode::usage, "--time-limit must be above 0"};
  return std::optional(limit.count());
}

}  // namespace tacho
