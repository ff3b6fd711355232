#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "base/units.h"
#include "core/record/dist_spec.h"

namespace tacho::bandwidth {

// Parameters of 'tacho bench comms', equal for all ranks.
struct CommsRequest {
  DistBackend backend = DistBackend::automatic;  // automatic: all that connect every rank
  bool quick = false;
  Bytes largest{256 << 20};  // collective
  bool with_gradients = true;
  double timeout_s = 15;
  std::optional<double> peak_bytes_per_s = {};  // nominal rate of the link
  bool operator==(const CommsRequest&) const = default;
};

Result<void> check(const CommsRequest& request);
Json to_json(const CommsRequest& request);
Result<CommsRequest> comms_request_from_json(const Json& json);

// Returns sizes from 8 bytes to the largest, each eight times the previous one; fewer if quick.
std::vector<std::int64_t> sizes_of(const CommsRequest& request);

// Returns the largest message that fits in a machine's memory. Each rank holds a message twice, and
// a copy to verify it.
Bytes largest_within(Bytes memory, std::int64_t ranks_per_node);

inline constexpr Bytes kLargestMessage{256 << 20};

}  // namespace tacho::bandwidth
