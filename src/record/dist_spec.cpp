#include "record/dist_spec.h"

#include <fmt/format.h>

namespace tacho {
namespace {

constexpr std::int64_t kMostRanksPerNode = 1024;
constexpr std::int64_t kMostNodes = 65536;
constexpr double kLargestBucketMb = 65536;
constexpr double kLongestTimeout = 86400;

Error usage(std::string message) { return {ErrorCode::usage, std::move(message)}; }

Result<void> counted(std::string_view what, std::int64_t value, std::int64_t most) {
  if (value >= 1 && value <= most) return {};
  return usage(fmt::format("{} must be between 1 and {}, not {}", what, most, value));
}

// Written so that NaN fails too.
Result<void> above_zero(std::string_view what, double value, double most) {
  if (value > 0 && value <= most) return {};
  return usage(fmt::format("{} must be above 0 and at most {}, not {}", what, most, value));
}

}  // namespace

Result<void> check(const DistSpec& dist) {
  TACHO_CHECK(counted("--nproc", dist.ranks_per_node, kMostRanksPerNode));
  TACHO_CHECK(counted("--nnodes", dist.nodes, kMostNodes));
  TACHO_CHECK(above_zero("--bucket-mb", dist.bucket_mb, kLargestBucketMb));
  TACHO_CHECK(above_zero("--topk", dist.topk_share, 1));
  TACHO_CHECK(above_zero("--timeout", dist.timeout_s, kLongestTimeout));
  if (dist.backend == DistBackend::shm && dist.nodes > 1) {
    return usage(
        "--backend shm works on one machine only; --backend auto uses shared memory within each "
        "machine and the network between them");
  }
  if (dist.backend == DistBackend::shm && dist.compress != Compression::none) {
    return usage(
        "--compress reduces network traffic; --backend shm has none, leave --compress out");
  }
  return {};
}

Json to_json(const DistSpec& dist) {
  return {
      {"ranks_per_node", dist.ranks_per_node},
      {"nodes", dist.nodes},
      {"backend", kDistBackends.of(dist.backend)},
      {"bucket_mb", dist.bucket_mb},
      {"overlap", dist.overlap},
      {"compress", kCompressions.of(dist.compress)},
      {"topk_share", dist.topk_share},
      {"replicate_data", dist.replicate_data},
      {"lr_scale", kRateScalings.of(dist.lr_scale)},
      {"timeout_s", dist.timeout_s},
  };
}

Result<DistSpec> dist_spec_from_json(const Json& json) {
  DistSpec dist;
  JsonObject object(json, "spec: dist");
  object.read("ranks_per_node", dist.ranks_per_node);
  object.read("nodes", dist.nodes);
  object.read_optional_name("backend", kDistBackends, dist.backend);
  object.read_optional("bucket_mb", dist.bucket_mb);
  object.read_optional("overlap", dist.overlap);
  object.read_optional_name("compress", kCompressions, dist.compress);
  object.read_optional("topk_share", dist.topk_share);
  object.read_optional("replicate_data", dist.replicate_data);
  object.read_optional_name("lr_scale", kRateScalings, dist.lr_scale);
  object.read_optional("timeout_s", dist.timeout_s);
  TACHO_CHECK(object.finish());
  return dist;
}

}  // namespace tacho
