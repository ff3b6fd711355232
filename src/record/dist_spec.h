#pragma once

#include <cstdint>

#include "base/json_object.h"
#include "base/names.h"
#include "base/result.h"

namespace tacho {

// Which way gradients take between ranks. automatic: shared memory within a machine, NCCL between
// GPUs, Gloo between machines.
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

// How a run is spread over processes. A machine's own number and the address where the ranks meet
// are not in here: they differ from machine to machine and from day to day.
struct DistSpec {
  std::int64_t ranks_a_node = 1;
  std::int64_t nodes = 1;
  DistBackend backend = DistBackend::automatic;
  double bucket_mb = 25;  // gradients are sent in parts of about this many MiB
  bool overlap = true;    // … while the backward pass still makes the next
  Compression compress = Compression::none;
  double topk_share = 0.01;     // of a gradient's entries, the largest so many are sent
  bool replicate_data = false;  // every rank sees all samples instead of its share
  RateScaling lr_scale = RateScaling::none;  // the rate times the number of ranks, or its root
  double timeout_s = 15;                     // a rank that is silent for so long is lost
  bool operator==(const DistSpec&) const = default;

  // As ordered. How many there are in an attempt, the workers' environment says: torchrun, srun or
  // a resume with another --nproc may have decided otherwise.
  [[nodiscard]] std::int64_t ranks() const { return ranks_a_node * nodes; }
};

// Says what makes no sense, in the words of the command line.
Result<void> check(const DistSpec& dist);

Json to_json(const DistSpec& dist);
Result<DistSpec> dist_spec_from_json(const Json& json);

}  // namespace tacho
