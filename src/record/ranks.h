#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tacho {

struct RankInfo {
  std::int64_t rank = 0;
  std::int64_t node = 0;
  std::string host;
  std::int64_t pid = 0;
  bool operator==(const RankInfo&) const = default;
};

// All ranks have met, and know how they will exchange gradients.
struct RanksReady {
  std::string backend;  // "shm", "gloo", "nccl", "shm+gloo"
  std::vector<RankInfo> ranks;
  double seconds = 0;
  bool operator==(const RanksReady&) const = default;
};

// What one rank did in some steps; the lists have one entry a step. In a record a step that the
// rank did not tell of holds not-a-number and 0.
struct RankSteps {
  std::int64_t rank = 0;
  std::vector<double> seconds;
  std::vector<double> input_seconds;
  std::vector<double> backward_seconds;
  std::vector<double> comm_seconds;         // something of this rank was on its way
  std::vector<double> exposed_seconds;      // … and the rank did nothing but wait for it
  std::vector<std::int64_t> wire_bytes;     // sent by this rank
  std::vector<std::int64_t> payload_bytes;  // of gradients, before compression
  bool operator==(const RankSteps&) const = default;

  [[nodiscard]] bool one_length() const;
};

struct RanksDone {
  std::int64_t first_step = 1;  // of the whole run, counted from 1
  std::vector<RankSteps> ranks;
  bool operator==(const RanksDone&) const = default;
};

// Ranks that cannot be, one that is there twice, lists of different lengths; "" where all is well.
std::string problem_of(const RanksReady& ready);
std::string problem_of(const RanksDone& done);

// Puts what the ranks told of single steps into one series a rank.
class RankLog {
 public:
  void add(RanksDone done) { chunks_.push_back(std::move(done)); }
  // Forgets everything after step `last`: it will be made again.
  void keep_until(std::int64_t last);
  // One series a rank, in the order of the ranks, each of `steps` entries. What was told later
  // replaces what was told before.
  [[nodiscard]] std::vector<RankSteps> series(std::size_t steps) const;

 private:
  std::vector<RanksDone> chunks_;
};

}  // namespace tacho
