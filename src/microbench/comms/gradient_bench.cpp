#include "microbench/comms/gradient_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/units.h"
#include "microbench/comms/gather_numbers.h"

namespace tacho {
namespace {

using bandwidth::CommsSurvey;
using bandwidth::GradientTime;

constexpr double kMb = 1 << 20;  // as --bucket-mb counts
constexpr std::array kBucketsMb = {1., 4., 25., 100.};
constexpr double kUsualMb = 25;

struct Case {
  Compression compress;
  double bucket_mb;
};

std::vector<Case> cases_of(DistBackend backend, std::int64_t payload, bool quick) {
  std::vector<Case> cases;
  for (const double bucket : kBucketsMb) {
    const bool fits = bucket * kMb < 1.1 * static_cast<double>(payload) || cases.empty();
    if (fits && !(quick && bucket != 1 && bucket != kUsualMb)) {
      cases.push_back({Compression::none, bucket});
    }
  }
  if (backend != DistBackend::gloo) return cases;
  const double bucket = std::min(kUsualMb, static_cast<double>(payload) / kMb);
  for (const Compression compress : {Compression::bf16, Compression::fp16, Compression::topk}) {
    cases.push_back({compress, bucket});
  }
  return cases;
}

}  // namespace

std::int64_t gradient_bytes(const CommsSurvey& survey, DistBackend backend, bool quick) {
  constexpr std::int64_t kWanted = 100'000'000;
  const double patience = quick ? 0.2 : 2;  // seconds
  double rate = 0;
  for (const auto& one : survey.collectives) {
    if (one.backend != backend || one.collective != bandwidth::Collective::all_reduce) continue;
    rate = std::max(rate, one.algorithm_bytes_per_s());
  }
  constexpr std::int64_t kLeast = 1 << 20;
  const double most = std::min(rate * patience, static_cast<double>(kWanted));
  return std::max(kLeast, static_cast<std::int64_t>(most) / 4 * 4);
}

Result<bool> GradientBench::measure(DistBackend backend, CommsSurvey& survey) {
  // The survey is equal on all ranks, because it contains the times of the slowest rank.
  const std::int64_t payload = gradient_bytes(survey, backend, options_.quick);
  for (const Case& one : cases_of(backend, payload, options_.quick)) {
    TACHO_TRY(may_continue, rounds_.may_continue());
    if (!may_continue) return false;
    DistSpec dist;
    dist.backend = backend;
    dist.compress = one.compress;
    dist.bucket_mb = one.bucket_mb;
    if (options_.place.rank == 0) {
      options_.on_progress(fmt::format("{}: {} of gradients in buckets of {:.4g} MiB, {}",
                                       kDistBackends.of(backend), human(Bytes{payload}),
                                       one.bucket_mb, kCompressions.of(one.compress)));
    }
    TACHO_TRY(time, measure_one(dist, payload));
    survey.gradients.push_back(time);
  }
  return true;
}

Result<GradientTime> GradientBench::measure_one(const DistSpec& dist, std::int64_t payload) {
  const std::string job = fmt::format("{}-{}-{:.0f}", options_.job, kCompressions.of(dist.compress),
                                      1000 * dist.bucket_mb);
  const int rank = options_.place.rank;
  TACHO_TRY(trial, options_.torch.gradient(dist, payload, rank, rendezvous_, job));
  GradientTime found{.backend = dist.backend,
                     .compress = dist.compress,
                     .payload_bytes = payload,
                     .bucket_bytes = static_cast<std::int64_t>(dist.bucket_mb * kMb)};
  const int rounds = options_.quick ? 3 : 5;
  const auto exchange = [&]() -> Result<double> {
    TACHO_TRY(once, trial->exchange());
    found.wire_bytes = once.wire_bytes;
    return once.seconds;
  };
  TACHO_CHECK(exchange());  // warm-up: the first one takes page faults
  TACHO_TRY(alone, rounds_.time_in_turn({exchange}, rounds));
  found.exchange = alone[0];
  if (dist.compress != Compression::none) return found;

  const double work_seconds = alone[0].seconds;  // a backward pass as long as the exchange
  const auto timed = [](const Result<GradientTrial::Once>& once) -> Result<double> {
    if (!once.ok()) return once.error();
    return once->seconds;
  };
  const auto work = [&] { return timed(trial->work(work_seconds)); };
  const auto both = [&] { return timed(trial->overlapped(work_seconds)); };
  TACHO_TRY(times, rounds_.time_in_turn({exchange, work, both}, rounds));
  found.exchange = times[0];
  found.work_seconds = times[1].seconds;
  found.overlapped_seconds = times[2].seconds;
  return found;
}

}  // namespace tacho
