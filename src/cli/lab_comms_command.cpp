#include "cli/lab_comms_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <optional>

#include "bandwidth/comms_request.h"
#include "bandwidth/shelf.h"
#include "base/home.h"
#include "base/quantity.h"
#include "cli/comms_view.h"
#include "cli/dist_options.h"
#include "cli/job_secret_source.h"
#include "cli/load_view.h"
#include "cli/take_part.h"
#include "comm/place.h"
#include "lab/comms_ranks.h"
#include "probe/contention_watch.h"
#include "probe/host_probe.h"
#include "record/run_folder.h"

namespace tacho {
namespace {

struct CommsOptions {
  DistOptions dist;
  bool quick = false;
  bool no_gradients = false;
  std::string largest;
  std::optional<double> peak;
  bool json = false;
};

constexpr std::int64_t kRanks = 2;
constexpr const char* kFooter =
    "All-reduce, broadcast and all-gather over sizes by shared memory, Gloo and, with a GPU for\n"
    "each rank, NCCL; then one gradient of up to 100 MB in buckets, compressed, and sent while\n"
    "something is computed. Every answer is checked before it is timed. Bus bandwidth is what\n"
    "nccl-tests calls it. It is held against plain sockets and copies, measured in the same run.\n"
    "\n"
    "  tacho lab comms --quick                   a few seconds, two processes here\n"
    "  tacho lab comms --nproc 4 --backend gloo\n"
    "  tacho lab comms --nnodes 2 --node-rank 0 --rendezvous host0:29500 --nproc 1\n"
    "                                            on host0, which prints the other's command\n"
    "  torchrun --nproc-per-node 4 --no-python tacho lab comms      or srun";

Result<bandwidth::CommsRequest> request_of(const CommsOptions& o, const DistSpec& dist) {
  bandwidth::CommsRequest request{.backend = dist.backend,
                                  .quick = o.quick,
                                  .with_gradients = !o.no_gradients,
                                  .timeout_s = dist.timeout_s};
  request.largest = o.quick ? Bytes{16 << 20} : bandwidth::kLargestMessage;
  const Bytes fits = bandwidth::largest_within(usable_memory(), dist.ranks_a_node);
  request.largest = std::min(request.largest, fits);
  if (!o.largest.empty()) {
    TACHO_TRY(size, parse_bytes(o.largest).in("--max-size"));
    request.largest = size;
  }
  if (o.peak) request.peak_bytes_per_s = *o.peak * 1e9;
  TACHO_CHECK(check(request));
  return request;
}

// How many ranks there are, and which of them are here.
struct Crew {
  DistSpec dist;
  Launch launch;
};

Result<Crew> crew_of(const CommsOptions& o, const Context& context) {
  TACHO_TRY(given, place_from_environment(process_environment()));
  DistOptions words = o.dist;
  if (!given && !words.ranks_a_node) words.ranks_a_node = kRanks;
  TACHO_TRY(dist, dist_of(words, given));
  TACHO_TRY(standing, standing_of(o.dist, given));
  DistSpec started = dist;
  // A rank that is alone is one nevertheless.
  if (started.backend == DistBackend::automatic) started.backend = DistBackend::gloo;
  TACHO_CHECK(settle_secret(standing, o.dist, started, context));
  TACHO_TRY(launch, plan_launch(started, standing));
  return Crew{dist, launch};
}

Result<int> measure_comms(const CommsOptions& o, Context& context) {
  TACHO_TRY(crew, crew_of(o, context));
  TACHO_TRY(request, request_of(o, crew.dist));
  TACHO_TRY(home, tacho_home());
  catch_interrupts();
  const auto now = std::chrono::system_clock::now();
  if (crew.launch.places.front().rank != 0) context.warn(part_line(crew.launch));
  ContentionWatch others;
  LoadLine line(context.err, o.json);
  TACHO_TRY(said, run_comms_ranks({to_json(request), crew.dist, crew.launch, home}, interrupts(),
                                  [&](const std::string& what) { line.show(what); }));
  line.clear();
  if (!said) return kSuccess;
  TACHO_TRY(survey, bandwidth::comms_survey_from_json(*said));
  if (survey.collectives.empty()) {
    return Error{ErrorCode::failed, "ended before anything was measured"};
  }
  if (const auto reasons = disturbances(others.look()); !reasons.empty()) {
    context.warn("disturbed: " + disturbance_text(reasons));
    survey.facts += "; disturbed: " + disturbance_text(reasons);
  }
  survey.key = new_run_key();
  survey.at = utc_text(now);
  TACHO_CHECK(bandwidth::Shelf(home).put(survey));
  context.print(o.json ? json_text(to_json(survey), 1) + "\n" : survey_text(survey, context.out));
  return kSuccess;
}

}  // namespace

void add_lab_comms_command(CLI::App& lab, Context& context) {
  CLI::App* comms =
      lab.add_subcommand("comms", "what ranks exchange, over sizes, against the line between them");
  auto o = std::make_shared<CommsOptions>();
  comms->add_flag("--quick", o->quick, "a few sizes up to 16 MiB, in less than 20 seconds");
  comms->add_option("--backend", o->dist.backend, "auto (all there are), shm, gloo, nccl")
      ->capture_default_str();
  comms->add_option("--max-size", o->largest, "of a message: 64M (256 MiB, or what memory bears)");
  comms->add_flag("--no-gradients", o->no_gradients, "collectives alone, no gradient in buckets");
  comms->add_option("--nproc", o->dist.ranks_a_node, "processes on this machine (2)");
  comms->add_option("--nnodes", o->dist.nodes, "machines; start the same command on each (1)");
  comms->add_option("--node-rank", o->dist.node_rank, "this machine's number, from 0");
  comms->add_option("--rendezvous", o->dist.rendezvous, "HOST:PORT on machine 0, where all meet");
  comms->add_option("--job-secret-file", o->dist.job_secret_file, kSecretFileHelp);
  comms
      ->add_option("--timeout", o->dist.spec.timeout_s,
                   "seconds until a silent process counts as lost")
      ->capture_default_str();
  comms->add_option("--peak", o->peak, "GB/s of the line by its data sheet (a network card's own)");
  comms->add_flag("--json", o->json, "for programs");
  comms->footer(kFooter);
  comms->callback([o, &context] { context.run([&] { return measure_comms(*o, context); }); });
}

}  // namespace tacho
