#include "machine/launch/slurm_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/nearest.h"
#include "machine/launch/option_value.h"

namespace tacho {
namespace {

// Options of sbatch that say where and when tasks run, but not what they are. The last three are
// Tacho's.
constexpr std::array<std::string_view, 26> kSlurmOptions{
    "account", "begin", "comment",  "constraint",   "cpu-freq",  "exclude", "gpu-freq",
    "gres",    "hint",  "licenses", "mail-type",    "mail-user", "mem",     "mem-per-cpu",
    "mincpus", "nice",  "nodelist", "partition",    "priority",  "qos",     "reservation",
    "time",    "tmp",   "requeue",  "poll-seconds", "tacho"};

Error bad_slurm(const std::string& name, const std::string& value, const char* what) {
  return {ErrorCode::usage, fmt::format("slurm: option {}={}: {}", name, value, what)};
}

bool is_passed_on(const SlurmOptions& options, std::string_view name) {
  const std::string start = fmt::format("--{}=", name);
  return std::any_of(options.passed_on.begin(), options.passed_on.end(),
                     [&](const std::string& word) { return word.starts_with(start); });
}

// Time between a task's limit and that of Slurm, for handling SIGTERM and writing the status.
constexpr Seconds kSlack{60};

}  // namespace

Result<SlurmOptions> slurm_options(const std::map<std::string, std::string>& options) {
  SlurmOptions read;
  for (const auto& [name, value] : options) {
    if (std::find(kSlurmOptions.begin(), kSlurmOptions.end(), name) == kSlurmOptions.end()) {
      return Error{ErrorCode::usage, "slurm: " + unknown_name("option", name, kSlurmOptions)};
    }
    TACHO_CHECK(check_value(name, value).in("slurm"));
    if (name == "requeue") {
      if (value != "yes" && value != "no") return bad_slurm(name, value, "must be yes or no");
      read.requeue = value == "yes";
    } else if (name == "poll-seconds") {
      TACHO_TRY(seconds, read_count(name, value).in("slurm"));
      if (seconds > 3600) return bad_slurm(name, value, "must be at most 3600");
      read.poll_interval = std::chrono::seconds(seconds);
    } else if (name == "tacho") {
      if (value.front() != '/') return bad_slurm(name, value, "must be an absolute path");
      read.tacho = value;
    } else {
      read.passed_on.push_back(fmt::format("--{}={}", name, value));
    }
  }
  return read;
}

std::vector<std::string> needs_as_options(const Resources& needs,
                                          const std::optional<Seconds>& limit,
                                          const SlurmOptions& options) {
  std::vector<std::string> words{
      "--nodes=1", "--ntasks=1",
      fmt::format("--cpus-per-task={}", static_cast<std::int64_t>(std::ceil(needs.cores)))};
  if (needs.memory_bytes && !is_passed_on(options, "mem") &&
      !is_passed_on(options, "mem-per-cpu")) {
    words.push_back(fmt::format("--mem={}K", (*needs.memory_bytes + 1023) / 1024));
  }
  if (needs.gpus > 0 && !is_passed_on(options, "gres")) {
    words.push_back(fmt::format("--gres=gpu:{}", needs.gpus));
  }
  if (limit && !is_passed_on(options, "time")) {  // in minutes
    words.push_back(fmt::format("--time={:.0f}", std::ceil((*limit + kSlack).count() / 60)));
  }
  return words;
}

}  // namespace tacho
