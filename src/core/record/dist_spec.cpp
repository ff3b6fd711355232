#include "core/record/dist_spec.h"

#include "core/record/run_options.h"

namespace tacho {
namespace {

Error usage(std::string message) { return {ErrorCode::usage, std::move(message)}; }

}  // namespace

Result<void> check(const DistSpec& dist) {
  RunSpec spec;
  spec.dist = dist;
  TACHO_CHECK(check_ranges(spec));
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

}  // namespace tacho
