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

// The rendezvous is complete and the backend is chosen.
struct RanksReady {
  std::string backend;  // "shm", "gloo", "nccl", "shm+gloo"
  std::vector<RankInfo> ranks;
  double seconds = 0;
  bool operator==(const RanksReady&) const = default;
};

// Measurements of one rank; the lists have one entry per step. In a record, steps that the rank did
// not report are NaN and 0.
struct RankSteps {
  std::int64_t rank = 0;
  std::vector<double> seconds;
  std::vector<double> input_seconds;
  std::vector<double> backward_seconds;
  std::vector<double> comm_seconds;         // an exchange of this rank was in progress
  std::vector<double> exposed_seconds;      // and the rank only waited for it
  std::vector<std::int64_t> wire_bytes;     // sent by this rank
  std::vector<std::int64_t> payload_bytes;  // of gradients, before compression
  bool operator==(const RankSteps&) const = default;

  [[nodiscard]] bool one_length() const;
};

struct RanksDone {
  std::int64_t first_step = 1;  // within the run, from 1
  std::vector<RankSteps> ranks;
  bool operator==(const RanksDone&) const = default;
};

// Returns what is wrong: a negative or duplicate rank, lists of different lengths; "" if nothing
// is.
std::string problem_of(const RanksReady& ready);
std::string problem_of(const RanksDone& done);

// Collects the reports of the ranks into one series per rank.
class RankLog {
 public:
  void add(RanksDone done) { chunks_.push_back(std::move(done)); }
  // Drops everything after step `last`, which will be repeated.
  void keep_until(std::int64_t last);
  // Returns one series of `steps` entries per rank, ordered by rank. Later reports replace earlier
  // ones.
  [[nodiscard]] std::vector<RankSteps> series(std::size_t steps) const;

 private:
  std::vector<RanksDone> chunks_;
};

}  // namespace tacho
