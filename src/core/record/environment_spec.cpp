#include "core/record/environment_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/json_fields.h"
#include "base/split.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr double kMostCpus = 65536;
// Docker refuses less, and no training program starts with less.
constexpr std::int64_t kLeastMemory = 6 << 20;

Error no_sense(std::string message) { return {ErrorCode::usage, std::move(message)}; }

std::string absolute_path(std::string_view path) {
  std::error_code no_working_folder;
  return fs::absolute(path, no_working_folder).lexically_normal().string();
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Accepts one number or a range: "3", "0-7".
bool is_range(std::string_view text) {
  const auto dash = text.find('-');
  const auto is_number = [](std::string_view part) {
    return !part.empty() && part.size() <= 6 && std::all_of(part.begin(), part.end(), is_digit);
  };
  if (dash == std::string_view::npos) return is_number(text);
  return is_number(text.substr(0, dash)) && is_number(text.substr(dash + 1));
}

bool is_list_of_ranges(std::string_view text) {
  return std::ranges::all_of(split(text, ','), is_range);
}

Result<void> check_limits(const EnvironmentSpec& spec) {
  // Written so that NaN fails too.
  if (spec.cpus && !(*spec.cpus >= 0.01 && *spec.cpus <= kMostCpus)) {
    return no_sense(
        fmt::format("--env-cpus must be between 0.01 and {}, not {}", kMostCpus, *spec.cpus));
  }
  if (!spec.cpuset.empty() && !is_list_of_ranges(spec.cpuset)) {
    return no_sense(
        fmt::format("--env-cpuset takes processors as in '0-3,6', not '{}'", spec.cpuset));
  }
  if (spec.memory_bytes && *spec.memory_bytes < kLeastMemory) {
    return no_sense(
        fmt::format("--env-memory must be at least 6 MiB, not {} bytes", *spec.memory_bytes));
  }
  if (spec.shared_memory_bytes && *spec.shared_memory_bytes < 1) {
    return no_sense("--env-shm must be above 0");
  }
  const bool numbered = is_list_of_ranges(spec.gpus) && spec.gpus.find('-') == std::string::npos;
  if (!spec.gpus.empty() && spec.gpus != "all" && !numbered) {
    return no_sense(
        fmt::format("--env-gpus takes 'all' or numbers as in '0,2', not '{}'", spec.gpus));
  }
  return {};
}

// System calls would cut the text at a NUL.
bool is_whole(std::string_view text) { return text.find('\0') == std::string_view::npos; }

Result<void> check_bind(const Bind& bind) {
  const auto is_absolute = [](const std::string& path) {
    return path.starts_with('/') && is_whole(path);
  };
  if (!is_absolute(bind.source) || !is_absolute(bind.target)) {
    return no_sense(fmt::format("--env-bind takes absolute paths, not '{}' and '{}'", bind.source,
                                bind.target));
  }
  if (bind.target.find_first_not_of('/') == std::string::npos) {
    return no_sense("--env-bind cannot replace the root of the file system");
  }
  return {};
}

}  // namespace

Result<void> check(const EnvironmentSpec& spec) {
  const std::string_view kind = kEnvironmentKinds.of(spec.kind);
  const bool bare = spec.kind == EnvironmentKind::bare;
  if (bare && !spec.image.empty()) return no_sense("'bare' has no image; leave it out");
  if (!bare && spec.image.empty()) {
    return no_sense(fmt::format("'{0}' needs an image: {0}:IMAGE", kind));
  }
  // An engine would read it as an option.
  if (spec.image.starts_with('-') || !is_whole(spec.image)) {
    return no_sense(fmt::format("'{}' is not a valid image name", spec.image.substr(0, 80)));
  }
  TACHO_CHECK(check_limits(spec));
  for (const Bind& bind : spec.binds) TACHO_CHECK(check_bind(bind));
  for (const auto& [name, value] : spec.variables) {
    if (name.empty() || name.find('=') != std::string::npos || !is_whole(name)) {
      return no_sense(fmt::format("--env-var takes NAME=VALUE; '{}' is not a valid name", name));
    }
    if (!is_whole(value)) {
      return no_sense(fmt::format("--env-var {}: the value contains a NUL byte", name));
    }
  }
  return {};
}

Result<EnvironmentSpec> parse_environment(std::string_view words) {
  EnvironmentSpec spec;
  const auto colon = words.find(':');
  TACHO_TRY(kind, kEnvironmentKinds.parse(words.substr(0, colon)));
  spec.kind = kind;
  if (colon != std::string_view::npos) {
    spec.image = words.substr(colon + 1);
  } else if (kind != EnvironmentKind::bare) {
    spec.image = kTachoImage;
  }
  const bool takes_files = kind == EnvironmentKind::apptainer ||
                           kind == EnvironmentKind::singularity ||
                           kind == EnvironmentKind::charliecloud;
  std::error_code absent;
  if (takes_files && fs::exists(spec.image, absent)) spec.image = absolute_path(spec.image);
  TACHO_CHECK(check(spec));
  return spec;
}

Result<Bind> parse_bind(std::string_view text) {
  std::string_view rest = text;
  Bind bind;
  if (rest.ends_with(":ro")) {
    bind.read_only = true;
    rest.remove_suffix(3);
  }
  const auto colon = rest.find(':');
  const std::string_view source = rest.substr(0, colon);
  const std::string_view target =
      colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
  const bool ambiguous = target.find(':') != std::string_view::npos;
  if (source.empty() || ambiguous ||
      (colon != std::string_view::npos && !target.starts_with('/'))) {
    return no_sense(fmt::format(
        "'{}' is not a valid mount; write SOURCE, SOURCE:/TARGET or SOURCE:/TARGET:ro", text));
  }
  bind.source = absolute_path(source);
  bind.target = target.empty() ? bind.source : fs::path(target).lexically_normal().string();
  return bind;
}

std::string environment_name(const EnvironmentSpec& spec) {
  const std::string kind(kEnvironmentKinds.of(spec.kind));
  return spec.image.empty() ? kind : kind + ":" + spec.image;
}

void describe(auto&& f, Is<Bind> auto& b) {
  f("source", b.source);
  f("target", b.target);
  f("read_only", Added{b.read_only});
}

void describe(auto&& f, Is<EnvironmentSpec> auto& s) {
  f("kind", Named{s.kind, kEnvironmentKinds});
  f("image", Added{s.image});
  f("cpus", OrNull{s.cpus});
  f("cpuset", Added{s.cpuset});
  f("memory_bytes", OrNull{s.memory_bytes});
  f("gpus", Added{s.gpus});
  f("binds", Added{s.binds});
  f("shared_memory_bytes", OrNull{s.shared_memory_bytes});
  f("network", Added{Named{s.network, kNetworkAccesses}});
  f("variables", Added{s.variables});
}

Json to_json(const EnvironmentSpec& spec) { return json_of(spec); }

Result<EnvironmentSpec> environment_spec_from_json(const Json& json) {
  TACHO_TRY(spec, read_json<EnvironmentSpec>(json, "environment"));
  TACHO_CHECK(check(spec).in("environment"));
  return std::move(spec);
}

}  // namespace tacho
