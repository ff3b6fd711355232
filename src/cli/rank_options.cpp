#include "cli/rank_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace tacho {

void declare(CLI::App& command, RankOptions& o) {
  command.add_option("--node-rank", o.node_rank, "number of this machine, from 0");
  command
      .add_option("--rendezvous", o.rendezvous,
                  "where all ranks meet: HOST:PORT on machine 0, or file:PATH in a "
                  "folder that all machines share")
      ->type_name("ADDRESS");
  command
      .add_option("--job-secret-file", o.job_secret_file,
                  "file with the secret of a job on several machines (or set TACHO_JOB_SECRET)")
      ->type_name("FILE");
}

bool places_ranks(std::string_view option) {
  return option == "--nproc" || option == "--nnodes" || option == "--node-rank" ||
         option == "--rendezvous" || option == "--job-secret-file" || option == "--line-mbit";
}

Result<Standing> standing_of(const RankOptions& o, const RunSettings& settings,
                             const std::optional<Place>& given) {
  TrainRequest request;
  TACHO_CHECK(apply_settings(settings, request));
  const auto if_set = [&settings](std::string_view name, std::int64_t value) {
    const auto found = std::ranges::find(settings, name, &RunSettings::value_type::first);
    return found == settings.end() ? std::nullopt : std::optional(value);
  };
  Standing standing{.given = given,
                    .ranks_per_node = if_set("nproc", request.spec.dist.ranks_per_node),
                    .nodes = if_set("nnodes", request.spec.dist.nodes),
                    .node_rank = o.node_rank,
                    .rendezvous = {},
                    .line_mbit = request.line_mbit,
                    .secret = {},
                    .file = {}};
  TACHO_TRY(file, RendezvousFile::parse(o.rendezvous).in("--rendezvous"));
  standing.file = file;
  if (!o.rendezvous.empty() && !file) {
    TACHO_TRY(address, parse_address(o.rendezvous).in("--rendezvous"));
    standing.rendezvous = address;
  }
  return standing;
}

}  // namespace tacho
