#include "microbench/memory/comms_request.h"

#include <algorithm>

#include "base/json_fields.h"

namespace tacho::bandwidth {
namespace {

constexpr std::int64_t kSmallest = 8;

}  // namespace

Result<void> check(const CommsRequest& request) {
  constexpr std::int64_t kMost = std::int64_t{4} << 30;
  if (request.largest.count < kSmallest || request.largest.count > kMost) {
    return Error{ErrorCode::usage, "--max-size must be between 8 bytes and 4 GiB"};
  }
  if (!(request.timeout_s >= 1 && request.timeout_s <= 3600)) {
    return Error{ErrorCode::usage, "--timeout: must be between 1 and 3600 seconds"};
  }
  if (request.peak_bytes_per_s && !(*request.peak_bytes_per_s > 0)) {
    return Error{ErrorCode::usage, "--peak must be above 0 GB/s"};
  }
  return {};
}

void describe(auto&& f, Is<CommsRequest> auto& r) {
  f("backend", Named{r.backend, kDistBackends});
  f("quick", r.quick);
  f("largest_bytes", r.largest.count);
  f("with_gradients", r.with_gradients);
  f("timeout_s", r.timeout_s);
  f("peak_bytes_per_s", r.peak_bytes_per_s);
}

Json to_json(const CommsRequest& request) { return json_of(request); }

Result<CommsRequest> comms_request_from_json(const Json& json) {
  TACHO_TRY(request, read_json<CommsRequest>(json, "request"));
  TACHO_CHECK(check(request));
  return request;
}

std::vector<std::int64_t> sizes_of(const CommsRequest& request) {
  const std::int64_t factor = request.quick ? 256 : 8;
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = kSmallest; size < request.largest.count; size *= factor) {
    sizes.push_back(size);
  }
  sizes.push_back(request.largest.count / kSmallest * kSmallest);
  return sizes;
}

Bytes largest_within(Bytes memory, std::int64_t ranks_per_node) {
  constexpr std::int64_t kCopies = 6;  // three, and as much for other programs
  if (memory.count <= 0) return kLargestMessage;
  const std::int64_t most = memory.count / (kCopies * std::max<std::int64_t>(1, ranks_per_node));
  return Bytes{std::clamp(most, kSmallest, kLargestMessage.count)};
}

}  // namespace tacho::bandwidth
