#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "base/units.h"
#include "record/dist_spec.h"

namespace tacho::bandwidth {

// What 'tacho lab comms' asks its ranks to measure; the same for all of them.
struct CommsRequest {
  DistBackend backend = DistBackend::automatic;  // automatic: every one that reaches all ranks
  bool quick = false;
  Bytes largest{256 << 20};  // of a collective
  bool with_gradients = true;
  double timeout_s = 15;
  std::optional<double> peak_bytes_per_s = {};  // by the line's data sheet
  bool operator==(const CommsRequest&) const = default;
};

Result<void> check(const CommsRequest& request);
Json to_json(const CommsRequest& request);
Result<CommsRequest> comms_request_from_json(const Json& json);

// From 8 bytes to the largest, each eight times the one before; a few of them when quick.
std::vector<std::int64_t> sizes_of(const CommsRequest& request);

// How large a call's buffers may be, given what a machine has and how many ranks share it: each
// rank holds a message twice, and a copy to check it by.
Bytes largest_within(Bytes memory, std::int64_t ranks_a_node);

inline constexpr Bytes kLargestMessage{256 << 20};

}  // namespace tacho::bandwidth
