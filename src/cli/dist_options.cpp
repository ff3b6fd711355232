#include "cli/dist_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace tacho {

void declare_ranks(CLI::App& command, DistOptions& o, std::string_view default_ranks) {
  command.add_option(
      "--nproc", o.ranks_per_node,
      fmt::format("processes on this machine, one per GPU (default: {})", default_ranks));
  command.add_option("--nnodes", o.nodes,
                     "number of machines; start the same command on each (default: 1)");
  command.add_option("--node-rank", o.node_rank, "number of this machine, from 0");
  command
      .add_option("--rendezvous", o.rendezvous, "HOST:PORT on machine 0 where all ranks connect")
      ->type_name("ADDRESS");
  command
      .add_option("--job-secret-file", o.job_secret_file,
                  "file with the secret of a job on several machines (or set TACHO_JOB_SECRET)")
      ->type_name("FILE");
  command
      .add_option("--timeout", o.spec.timeout_s,
                  "seconds until a process that does not respond counts as lost")
      ->capture_default_str();
}

void declare(CLI::App& command, DistOptions& o) {
  command.option_defaults()->group("Distributed training");
  declare_ranks(command, o, "1");
  command.add_option("--line-mbit", o.line_mbit,
                     "simulate --nnodes on this machine: network namespaces with N Mbit/s");
  command.add_option("--backend", o.backend, "gradient exchange: auto, nccl, gloo or shm")
      ->capture_default_str();
  command.add_option("--bucket-mb", o.spec.bucket_mb, "size of a gradient bucket in MiB")
      ->capture_default_str();
  command.add_flag("--no-overlap", o.no_overlap, "exchange gradients after the backward pass");
  command.add_option("--compress", o.compress, "gradient compression: none, bf16, fp16 or topk")
      ->capture_default_str();
  command.add_option("--topk", o.topk_share,
                     "share of the gradient that topk sends, 0 to 1 (default: 0.01)");
  command.add_flag("--replicate-data", o.spec.replicate_data,
                   "train every process on all samples instead of its share");
  command
      .add_option("--lr-scale", o.lr_scale,
                  "scale the learning rate with the number of processes: none, linear or sqrt")
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
  dist.ranks_per_node = o.ranks_per_node.value_or(1);
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
                    .ranks_per_node = o.ranks_per_node,
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
