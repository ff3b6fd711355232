#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <optional>

#include "base/home.h"
#include "base/quantity.h"
#include "cli/commands.h"
#include "cli/job_secret_source.h"
#include "cli/load_view.h"
#include "cli/rank_options.h"
#include "cli/take_part.h"
#include "cli/train_options.h"
#include "core/record/run_folder.h"
#include "experiments/runner/attempt_search.h"
#include "experiments/runner/comms_ranks.h"
#include "machine/comm/place.h"
#include "machine/probe/contention_watch.h"
#include "machine/probe/host_probe.h"
#include "microbench/memory/comms_request.h"
#include "microbench/memory/comms_view.h"
#include "microbench/memory/survey_store.h"

namespace tacho {
namespace {

struct CommsOptions {
  RankOptions ranks;
  bool quick = false;
  bool no_gradients = false;
  std::string largest;
  std::optional<double> peak;
  bool json = false;
};

constexpr std::int64_t kRanks = 2;
constexpr const char* kCommsFooter =
    "Measures all-reduce, broadcast and all-gather for a range of message sizes over shared\n"
    "memory, Gloo and, with one GPU per rank, NCCL; then the exchange of a gradient of up to\n"
    "100 MB: in buckets, compressed, and overlapped with computation. Every result is checked\n"
    "before it is timed. Bus bandwidth is defined as in nccl-tests. It is compared with plain\n"
    "sockets and copies that are measured in the same run.\n"
    "\n"
    "  tacho bench comms --quick  a few seconds, two processes\n"
    "  tacho bench comms --nproc 4 --backend gloo\n"
    "  tacho bench comms --nnodes 2 --node-rank 0 --rendezvous host0:29500 --nproc 1  "
    "on host0; prints the command for the other machine\n"
    "  torchrun --nproc-per-node 4 --no-python tacho bench comms  or srun";

Result<bandwidth::CommsRequest> request_of(const CommsOptions& o, const DistSpec& dist) {
  bandwidth::CommsRequest request{.backend = dist.backend,
                                  .quick = o.quick,
                                  .with_gradients = !o.no_gradients,
                                  .timeout_s = dist.timeout_s};
  request.largest = o.quick ? Bytes{16 << 20} : bandwidth::kLargestMessage;
  const Bytes fits = bandwidth::largest_within(usable_memory(), dist.ranks_per_node);
  request.largest = std::min(request.largest, fits);
  if (!o.largest.empty()) {
    TACHO_TRY(size, parse_bytes(o.largest).in("--max-size"));
    request.largest = size;
  }
  if (o.peak) request.peak_bytes_per_s = *o.peak * 1e9;
  TACHO_CHECK(check(request));
  return request;
}

// All ranks of the measurement, and those that this process starts.
struct Ranks {
  DistSpec dist;
  Launch launch;
};

Result<Ranks> ranks_of(const CommsOptions& o, const RunSettings& settings, const Context& context) {
  TACHO_TRY(given, place_from_environment(process_environment()));
  TrainRequest request;
  request.spec.dist.ranks_per_node = kRanks;
  TACHO_CHECK(apply_settings(settings, request));
  TACHO_CHECK(check_ranges(request.spec));
  const DistSpec dist = given ? as_given(request.spec.dist, *given) : request.spec.dist;
  TACHO_TRY(standing, standing_of(o.ranks, settings, given));
  DistSpec started = dist;
  // A single rank needs a backend, too.
  if (started.backend == DistBackend::automatic) started.backend = DistBackend::gloo;
  TACHO_CHECK(settle_secret(standing, o.ranks, started, context));
  const AttemptSearch::Say say = [&](const std::string& words) { context.warn(words); };
  AttemptSearch search(started, standing, interrupts(), say);
  TACHO_TRY(launch, keeps_record(standing) ? plan_launch(started, standing) : search.next());
  return Ranks{dist, launch};
}

Result<int> measure_comms(const CommsOptions& o, const RunSettings& settings, Context& context) {
  catch_interrupts();
  TACHO_TRY(ranks, ranks_of(o, settings, context));
  TACHO_TRY(request, request_of(o, ranks.dist));
  TACHO_TRY(home, tacho_home());
  const auto now = std::chrono::system_clock::now();
  if (ranks.launch.places.front().rank != 0) context.warn(part_line(ranks.launch));
  ContentionWatch others;
  LoadLine line(context.err, o.json);
  TACHO_TRY(said, run_comms_ranks({to_json(request), ranks.dist, ranks.launch, home}, interrupts(),
                                  [&](const std::string& what) { line.show(what); }));
  line.clear();
  if (!said) return kSuccess;
  TACHO_TRY(survey, bandwidth::comms_survey_from_json(*said));
  if (survey.collectives.empty()) {
    return Error{ErrorCode::failed, "interrupted before anything was measured"};
  }
  if (const auto reasons = disturbances(others.look()); !reasons.empty()) {
    context.warn("disturbed: " + disturbance_text(reasons));
    survey.facts += "; disturbed: " + disturbance_text(reasons);
  }
  survey.key = new_run_key();
  survey.at = utc_text(now);
  TACHO_CHECK(bandwidth::SurveyStore(home).put(survey));
  context.print(o.json ? json_text(to_json(survey), 1) + "\n" : survey_text(survey, context.out));
  return interrupts() > 0 ? kFailure : kSuccess;
}

}  // namespace

void add_bench_comms_command(CLI::App& bench, Context& context) {
  CLI::App* comms = bench.add_subcommand("comms", "measure the communication between ranks");
  auto o = std::make_shared<CommsOptions>();
  comms->add_flag("--quick", o->quick, "measure a part, in less than 20 seconds");
  comms->add_option("--max-size", o->largest,
                    "largest message, such as 64M (default: 256M, less if memory is short)");
  comms->add_flag("--no-gradients", o->no_gradients,
                  "measure collectives only, no gradient exchange");
  declare_run_options(*comms, [](const RunOption& option) {
    constexpr std::array kOptions{"backend", "nproc", "nnodes", "timeout"};
    return std::ranges::find(kOptions, option.name) != kOptions.end();
  });
  for (CLI::Option* option : comms->get_options()) option->group("Options");
  comms->get_option("--nproc")->default_str(std::to_string(kRanks));
  comms->get_option("--backend")->description("backends: auto (all available), shm, gloo or nccl");
  declare(*comms, o->ranks);
  comms->add_option("--peak", o->peak, "peak GB/s by the data sheet (default: the network card's)");
  comms->add_flag("--json", o->json, "print JSON");
  comms->footer(kCommsFooter);
  comms->callback([comms, o, &context] {
    context.run([&] { return measure_comms(*o, given_settings(*comms, any_option), context); });
  });
}

}  // namespace tacho
