#pragma once

// What the communication lab found: collectives over sizes, a gradient in buckets, and the rates of
// the lines that they are held against. A record of its own kind.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bandwidth/collective.h"
#include "base/json_object.h"
#include "base/result.h"
#include "record/dist_spec.h"

namespace tacho::bandwidth {

// Of several rounds, each as long as its slowest rank took, divided by the calls in it.
struct RoundTimes {
  double seconds = 0;  // the median
  double fastest_seconds = 0;
  double slowest_seconds = 0;
  std::int64_t samples = 0;
  bool operator==(const RoundTimes&) const = default;
};
RoundTimes round_times(std::span<const double> seconds);

// One collective at one size.
struct CollectiveTime {
  DistBackend backend = DistBackend::gloo;
  Collective collective = Collective::all_reduce;
  std::int64_t bytes = 0;
  RoundTimes time = {};

  // What a caller gets: the size over the time.
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
  std::int64_t payload_bytes = 0;  // of the gradient, before compression
  std::int64_t bucket_bytes = 0;
  std::int64_t wire_bytes = 0;  // what a rank sent of it
  RoundTimes exchange = {};     // nothing else is done meanwhile
  // A stand-in for the backward pass: work that makes the gradient piece by piece, and the same
  // with each bucket sent as soon as it is full.
  std::optional<double> work_seconds = {};
  std::optional<double> overlapped_seconds = {};

  // Of what could be hidden behind the work or behind the exchange, whichever is shorter. Below 0
  // where doing both at once takes longer than one after the other.
  [[nodiscard]] std::optional<double> hidden() const;
  bool operator==(const GradientTime&) const = default;
};

// What the collectives are held against, all measured in the same run; 0: not measured.
struct LineRates {
  double copy_bytes_per_s = 0;    // memory to memory, of each rank while all do it
  double stream_bytes_per_s = 0;  // one plain TCP stream, from the last rank to rank 0
  double ring_bytes_per_s = 0;    // of each such stream while every rank sends to the next
  // By the data sheet: a network card's, as the system tells it, or as the user does.
  std::optional<double> peak_bytes_per_s = {};
  std::string peak_source = {};  // "eth0", "--peak"
  bool operator==(const LineRates&) const = default;
};

struct CommsSurvey {
  std::string key = {};  // unique, and in the order of time
  std::string at = {};   // UTC
  std::string tacho_commit = {};
  std::string machine = {};  // rank 0's processor, or GPU
  std::string facts = {};
  std::int64_t ranks = 1;
  std::int64_t machines = 1;
  bool quick = false;
  bool complete = true;
  LineRates lines = {};
  std::vector<std::string> absent = {};  // what could not be measured, and why
  std::vector<CollectiveTime> collectives = {};
  std::vector<GradientTime> gradients = {};
  bool operator==(const CommsSurvey&) const = default;
};

Json to_json(const CommsSurvey& survey);
Result<CommsSurvey> comms_survey_from_json(const Json& json);

// What a collective's bus bandwidth is held against: a copy through memory where ranks share it;
// the ring of streams, or one for a broadcast, over TCP. 0 where nothing comparable was measured.
double line_of(const LineRates& lines, const CollectiveTime& one);

// The time of the smallest message of a backend's all-reduce, in seconds; nothing where
// that was not measured.
std::optional<double> latency_of(const CommsSurvey& survey, DistBackend backend);

// The backends in the order in which they were measured.
std::vector<DistBackend> backends_of(const CommsSurvey& survey);

}  // namespace tacho::bandwidth
