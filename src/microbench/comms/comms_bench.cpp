#include "microbench/comms/comms_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <set>

#include "base/units.h"
#include "microbench/comms/gather_numbers.h"
#include "microbench/comms/gpu_apis.h"
#include "microbench/comms/gradient_bench.h"
#include "microbench/comms/link_rate.h"
#include "microbench/comms/nccl_carrier.h"
#include "microbench/comms/network_card.h"
#include "microbench/comms/rounds.h"
#include "microbench/comms/shm_carrier.h"

namespace tacho {
namespace {

using bandwidth::Collective;
using bandwidth::CommsSurvey;

std::int64_t machines_of(const Rendezvous& rendezvous) {
  std::set<std::string> machines;
  for (const Member& member : rendezvous.members()) machines.insert(member.machine);
  return std::ssize(machines);
}

class CommsBench {
 public:
  CommsBench(const CommsBenchOptions& options, Rendezvous& rendezvous)
      : options_(options),
        request_(options.request),
        place_(options.place),
        rendezvous_(rendezvous),
        rounds_(rendezvous, place_.rank, place_.size, options.stop) {}

  Result<CommsSurvey> measure() {
    survey_.ranks = place_.size;
    survey_.machines = machines_of(rendezvous_);
    survey_.quick = request_.quick;
    TACHO_TRY(job, rendezvous_.share("job name", fmt::format("comms-{}", own_pid())));
    job_ = job;
    report_progress("link rates");
    const std::chrono::milliseconds each(request_.quick ? 200 : 500);
    TACHO_TRY(lines, measure_links(rendezvous_, place_.rank, place_.size, each));
    survey_.lines = lines;
    set_peak();
    for (const DistBackend backend : requested_backends()) {
      TACHO_TRY(may_continue, measure_backend(backend));
      if (!may_continue) {
        survey_.complete = false;
        return survey_;
      }
    }
    if (place_.rank == 0 && survey_.collectives.empty()) {
      return Error{ErrorCode::unavailable,
                   survey_.absent.empty() ? "nothing was measured" : survey_.absent.front()};
    }
    return survey_;
  }

 private:
  [[nodiscard]] std::int64_t own_pid() const {
    return rendezvous_.members()[static_cast<std::size_t>(place_.rank)].pid;
  }

  void report_progress(const std::string& what) {
    if (place_.rank == 0) options_.on_progress(what);
  }

  void set_peak() {
    if (request_.peak_bytes_per_s) {
      survey_.lines.peak_bytes_per_s = request_.peak_bytes_per_s;
      survey_.lines.peak_source = "--peak";
    } else if (survey_.machines > 1) {
      const auto card = card_with(rendezvous_.members().front().address);
      if (!card) return;
      survey_.lines.peak_bytes_per_s = card->bytes_per_s;
      survey_.lines.peak_source = card->name;
    }
  }

  [[nodiscard]] std::vector<DistBackend> requested_backends() const {
    if (request_.backend != DistBackend::automatic) return {request_.backend};
    return {DistBackend::shm, DistBackend::gloo, DistBackend::nccl};
  }

  // Returns false once the user has interrupted it.
  Result<bool> measure_backend(DistBackend backend) {
    TACHO_TRY(why_not, agreed_reason(backend));
    const std::string name(kDistBackends.of(backend));
    if (!why_not.empty()) {
      survey_.absent.push_back(name + ": " + why_not);
      return true;
    }
    {
      TACHO_TRY(carrier, connect(backend).in(name));
      for (const Collective collective :
           {Collective::all_reduce, Collective::broadcast, Collective::all_gather}) {
        for (const std::int64_t size : sizes_of(request_)) {
          TACHO_TRY(may_continue, rounds_.may_continue());
          if (!may_continue) return false;
          TACHO_CHECK(measure_one(*carrier, backend, collective, size).in(name));
        }
      }
    }
    if (!request_.with_gradients || backend == DistBackend::nccl) return true;
    return GradientBench({place_, request_.quick, options_.torch, job_, options_.on_progress},
                         rendezvous_, rounds_)
        .measure(backend, survey_);
  }

  Result<void> measure_one(Carrier& carrier, DistBackend backend, Collective collective,
                           std::int64_t size) {
    const std::int64_t bytes = whole_bytes(collective, size, place_.size);
    report_progress(fmt::format("{} {}, {}", kDistBackends.of(backend),
                                bandwidth::kCollectives.of(collective), human(Bytes{bytes})));
    TACHO_CHECK(carrier.open(collective, bytes));
    TACHO_CHECK(verify(carrier, collective, bytes, place_.rank, place_.size));
    const std::chrono::duration<double> budget(request_.quick ? 0.1 : 0.4);
    TACHO_TRY(time,
              rounds_.time([&] { return carrier.meet(); }, [&] { return carrier.call(); }, budget));
    survey_.collectives.push_back(
        {.backend = backend, .collective = collective, .bytes = bytes, .time = time});
    return {};
  }

  // Returns why this rank cannot use the backend; "" if it can.
  std::string reason_here(DistBackend backend) {
    if (backend == DistBackend::shm) {
      return survey_.machines == 1 ? "" : "the ranks are on several machines";
    }
    if (backend == DistBackend::gloo) return options_.torch.no_gloo;
    if (backend != DistBackend::nccl) return "";
    if (!apis_) {
      auto opened = open_gpu_apis();
      if (!opened.ok()) return opened.error().message;
      apis_ = *std::move(opened);
    }
    const auto gpus = gpu_count(apis_->cuda);
    if (!gpus.ok()) return gpus.error().message;
    if (*gpus >= place_.local_size) return "";
    return fmt::format(
        "{} ranks but only {} GPU{} per machine; use --backend nccl --nproc {} for one rank per "
        "GPU",
        place_.local_size, *gpus, *gpus == 1 ? "" : "s", std::max(1, *gpus));
  }

  // Ensures that either all ranks use the backend or none does.
  Result<std::string> agreed_reason(DistBackend backend) {
    const std::string here = reason_here(backend);
    TACHO_TRY(able,
              gather_numbers(rendezvous_, place_.rank, place_.size, {here.empty() ? 1. : 0.}));
    const auto unable = std::ranges::find_if(able, [](const auto& rank) { return rank[0] == 0; });
    if (unable == able.end()) return std::string();
    TACHO_TRY(shared, rendezvous_.share("why not", here));
    return shared.empty() ? fmt::format("unavailable on rank {}", unable - able.begin()) : shared;
  }

  Result<std::unique_ptr<Carrier>> connect(DistBackend backend) {
    if (backend == DistBackend::gloo) return options_.torch.gloo(place_.rank, rendezvous_);
    if (backend == DistBackend::shm) {
      TACHO_TRY(group, ShmGroup::join(
                           {.name = job_ + "-bench", .rank = place_.rank, .size = place_.size}));
      return std::unique_ptr<Carrier>(
          std::make_unique<ShmCarrier>(std::move(group), request_.largest.count));
    }
    std::string id;
    if (place_.rank == 0) {
      TACHO_TRY(made, NcclCarrier::make_id(apis_->nccl));
      id = made;
    }
    TACHO_TRY(shared, rendezvous_.share("NCCL id", id));
    TACHO_TRY(carrier,
              NcclCarrier::join(*apis_, {place_.rank, place_.size, place_.local_rank}, shared));
    return std::unique_ptr<Carrier>(std::move(carrier));
  }

  const CommsBenchOptions& options_;
  const bandwidth::CommsRequest& request_;
  const Place& place_;
  Rendezvous& rendezvous_;
  Rounds rounds_;
  std::string job_;
  std::optional<GpuApis> apis_;
  CommsSurvey survey_;
};

}  // namespace

Result<CommsSurvey> measure_comms(const CommsBenchOptions& options, Rendezvous& rendezvous) {
  return CommsBench(options, rendezvous).measure();
}

}  // namespace tacho
