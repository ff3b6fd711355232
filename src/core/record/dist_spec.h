#pragma once

#include <cstdint>

#include "base/names.h"
#include "base/result.h"

namespace tacho {

// The backend that exchanges gradients between ranks. automatic: shared memory within a machine,
// NCCL between GPUs, Gloo between machines.
enum class DistBackend { automatic, nccl, gloo, shm };
inline constexpr Names<DistBackend, 4> kDistBackends{"backend",
                                                     {{{DistBackend::automatic, "auto"},
                                                       {DistBackend::nccl, "nccl"},
                                                       {DistBackend::gloo, "gloo"},
                                                       {DistBackend::shm, "shm"}}}};

enum class Compression { none, bf16, fp16, topk };
inline constexpr Names<Compression, 4> kCompressions{"compression",
                                                     {{{Compression::none, "none"},
                                                       {Compression::bf16, "bf16"},
                                                       {Compression::fp16, "fp16"},
                                                       {Compression::topk, "topk"}}}};

enum class RateScaling { none, linear, sqrt };
inline constexpr Names<RateScaling, 3> kRateScalings{
    "learning-rate scaling",
    {{{RateScaling::none, "none"}, {RateScaling::linear, "linear"}, {RateScaling::sqrt, "sqrt"}}}};

// The processes of a run. Does not contain the rank of a node or the address of the rendezvous:
// they differ between machines and between attempts.
struct DistSpec {
  std::int64_t ranks_per_node = 1;
  std::int64_t nodes = 1;
  DistBackend backend = DistBackend::automatic;
  double bucket_mb = 25;  // size of a bucket of gradients, in MiB
  bool overlap = true;    // exchange buckets during the backward pass
  Compression compress = Compression::none;
  double topk_share = 0.01;     // with topk: share of a gradient's entries that is sent
  bool replicate_data = false;  // every rank sees all samples instead of its share
  RateScaling lr_scale = RateScaling::none;  // learning rate times the number of ranks, or its root
  double timeout_s = 15;                     // a rank that is silent for longer is lost
  bool operator==(const DistSpec&) const = default;

  // Returns the requested number of ranks. An attempt may have another number: torchrun, srun or a
  // resume with another --nproc decide, and the workers read it from their environment variables.
  [[nodiscard]] std::int64_t ranks() const { return ranks_per_node * nodes; }
};

// Returns an error that names the option if a value makes no sense.
Result<void> check(const DistSpec& dist);

}  // namespace tacho
