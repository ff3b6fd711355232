#pragma once

// Results of tacho bench comms: collectives of several sizes, a gradient in buckets, and the
// link rates that they are compared with.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "core/record/dist_spec.h"
#include "microbench/memory/collective.h"

namespace tacho::bandwidth {

// Time per call over several rounds. The time of a round is that of its slowest rank.
struct RoundTimes {
  double seconds = 0;  // the median
  double fastest_seconds = 0;
  double slowest_seconds = 0;
  std::int64_t samples = 0;
  bool operator==(const RoundTimes&) const = default;
};
RoundTimes round_times(std::span<const double> seconds);

// One collective of one size.
struct CollectiveTime {
  DistBackend backend = DistBackend::gloo;
  Collective collective = Collective::all_reduce;
  std::int64_t bytes = 0;
  RoundTimes time = {};

  [[nodiscard]] double algorithm_bytes_per_s() const {
    return static_cast<double>(bytes) / time.seconds;
  }
  [[nodiscard]] double bus_bytes_per_s(int ranks) const {
    return algorithm_bytes_per_s() * bus_factor(collective, ranks);
  }
  bool operator==(const CollectiveTime&) const = default;
};

// A whole gradient, summed bucket by bucket.
struct GradientTime {
  DistBackend backend = DistBackend::gloo;
  Compression compress = Compression::none;
  std::int64_t payload_bytes = 0;  // before compression
  std::int64_t bucket_bytes = 0;
  std::int64_t wire_bytes = 0;  // sent by one rank
  RoundTimes exchange = {};     // without computation in parallel
  // A simulated backward pass that produces the gradient piece by piece, and the same pass that
  // sends each bucket as soon as it is full.
  std::optional<double> work_seconds = {};
  std::optional<double> overlapped_seconds = {};

  // Share of the shorter of work and exchange that the overlap hides. Negative if overlapping takes
  // longer than running both in sequence.
  [[nodiscard]] std::optional<double> hidden() const;
  bool operator==(const GradientTime&) const = default;
};

// Rates that the collectives are compared with, measured in the same run; 0 if not measured.
struct LinkRates {
  double copy_bytes_per_s = 0;    // memory copy, per rank while all ranks copy
  double stream_bytes_per_s = 0;  // one TCP stream, from the last rank to rank 0
  double ring_bytes_per_s = 0;    // per TCP stream while every rank sends to the next
  // Nominal rate of the network card, from the kernel or from --peak.
  std::optional<double> peak_bytes_per_s = {};
  std::string peak_source = {};  // "eth0", "--peak"
  bool operator==(const LinkRates&) const = default;
};

struct CommsSurvey {
  std::string key = {};  // unique; sorts by time
  std::string at = {};   // UTC
  std::string tacho_commit = {};
  std::string machine = {};  // CPU or GPU of rank 0
  std::string facts = {};
  std::int64_t ranks = 1;
  std::int64_t machines = 1;
  bool quick = false;
  bool complete = true;
  LinkRates lines = {};
  std::vector<std::string> absent = {};  // what could not be measured, and why
  std::vector<CollectiveTime> collectives = {};
  std::vector<GradientTime> gradients = {};
  bool operator==(const CommsSurvey&) const = default;
};

Json to_json(const CommsSurvey& survey);
Result<CommsSurvey> comms_survey_from_json(const Json& json);

// Returns the rate to compare a bus bandwidth with: a memory copy for shm; over TCP the ring of
// streams, or a single stream for a broadcast. 0 if nothing comparable was measured.
double line_of(const LinkRates& lines, const CollectiveTime& one);

// Returns the time of the smallest all-reduce of a backend, in seconds; nothing if that was not
// measured.
std::optional<double> latency_of(const CommsSurvey& survey, DistBackend backend);

// Returns the backends in the order of measurement.
std::vector<DistBackend> backends_of(const CommsSurvey& survey);

}  // namespace tacho::bandwidth
