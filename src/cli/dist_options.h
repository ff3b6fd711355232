#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "lab/launch.h"
#include "record/dist_spec.h"

namespace CLI {
class App;
}

namespace tacho {

inline constexpr const char* kSecretFileHelp =
    "the job's secret, for several machines ($TACHO_JOB_SECRET)";

// What was typed of several processes or machines.
struct DistOptions {
  DistSpec spec;
  std::optional<std::int64_t> ranks_a_node;
  std::optional<std::int64_t> nodes;
  std::optional<std::int64_t> node_rank;
  std::string rendezvous;
  std::string job_secret_file;
  std::optional<double> line_mbit;
  std::string backend = "auto";
  std::string compress = "none";
  std::optional<double> topk_share;
  std::string lr_scale = "none";
  bool no_overlap = false;
};

void declare(CLI::App& command, DistOptions& options);

// Whether an option says where ranks run, not what they do: a resumed run may have others.
bool places_ranks(std::string_view option);

// `given`: by torchrun or srun.
Result<DistSpec> dist_of(const DistOptions& options, const std::optional<Place>& given);
Result<Standing> standing_of(const DistOptions& options, const std::optional<Place>& given);

}  // namespace tacho
