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

// Options of a job with several processes or machines.
struct DistOptions {
  DistSpec spec;
  std::optional<std::int64_t> ranks_per_node;
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
// Declares those for ranks on one or several machines; help shows `default_ranks` for --nproc.
void declare_ranks(CLI::App& command, DistOptions& options, std::string_view default_ranks);

// Returns true if an option says where ranks run. A resumed run may change these options alone.
bool places_ranks(std::string_view option);

// `given` is the place that torchrun or srun assigned to this process.
Result<DistSpec> dist_of(const DistOptions& options, const std::optional<Place>& given);
Result<Standing> standing_of(const DistOptions& options, const std::optional<Place>& given);

}  // namespace tacho
