#include "cli/dist_options.h"

#include <CLI/CLI.hpp>

namespace tacho {

void declare(CLI::App& command, DistOptions& o) {
  command.option_defaults()->group("Several processes (each trains with batches of its own)");
  command.add_option("--nproc", o.ranks_a_node, "processes on this machine, one a GPU (1)");
  command.add_option("--nnodes", o.nodes, "machines; start the same command on each (1)");
  command.add_option("--node-rank", o.node_rank, "this machine's number, from 0");
  command.add_option("--rendezvous", o.rendezvous, "HOST:PORT on machine 0, where all meet");
  command.add_option("--job-secret-file", o.job_secret_file, kSecretFileHelp);
  command.add_option("--line-mbit", o.line_mbit,
                     "--nnodes on this one: network namespaces, lines of Mbit/s");
  command.add_option("--backend", o.backend, "what carries gradients: auto, nccl, gloo, shm")
      ->capture_default_str();
  command.add_option("--bucket-mb", o.spec.bucket_mb, "MiB of gradients sent at a time")
      ->capture_default_str();
  command.add_flag("--no-overlap", o.no_overlap, "send only after the backward pass");
  command.add_option("--compress", o.compress, "gradients as none, bf16, fp16 or topk")
      ->capture_default_str();
  command.add_option("--topk", o.topk_share, "share of the gradient topk sends, 0 to 1 (0.01)");
  command.add_flag("--replicate-data", o.spec.replicate_data,
                   "every process sees all samples, not its share");
  command.add_option("--lr-scale", o.lr_scale, "rate times processes: none, linear, sqrt")
      ->capture_default_str();
  command
      .add_option("--timeout", o.spec.timeout_s, "seconds until a silent process counts as lost")
      ->capture_default_str();
}

bool places_ranks(std::string_view option) {
  return option == "--nproc" || option == "--nnodes" || option == "--node-rank" ||
         option == "--rendezvous" || option == "--job-secret-file" || option == "--line-mbit";
}

Result<DistSpec> dist_of(const DistOptions& o, const std::optional<Place>& given) {
  DistSpec dist = o.spec;
  TACHO_TRY(backend, kDistBackends.parse(o.backend));
  TACHO_TRY(compress, kCompressions.parse(o.compress).in("--compress"));
  TACHO_TRY(lr_scale, kRateScalings.parse(o.lr_scale).in("--lr-scale"));
  if (o.topk_share && compress != Compression::topk) {
    return Error{ErrorCode::usage, "--topk needs --compress topk"};
  }
  dist.ranks_a_node = o.ranks_a_node.value_or(1);
  dist.nodes = o.nodes.value_or(1);
  dist.backend = backend;
  dist.compress = compress;
  dist.topk_share = o.topk_share.value_or(dist.topk_share);
  dist.lr_scale = lr_scale;
  dist.overlap = !o.no_overlap;
  return given ? as_given(dist, *given) : dist;
}

Result<Standing> standing_of(const DistOptions& o, const std::optional<Place>& given) {
  Standing standing{.given = given,
                    .ranks_a_node = o.ranks_a_node,
                    .nodes = o.nodes,
                    .node_rank = o.node_rank,
                    .rendezvous = {},
                    .line_mbit = o.line_mbit};
  if (!o.rendezvous.empty()) {
    TACHO_TRY(address, parse_address(o.rendezvous).in("--rendezvous"));
    standing.rendezvous = address;
  }
  return standing;
}

}  // namespace tacho
