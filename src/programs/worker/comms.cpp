#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "base/file.h"
#include "base/signals.h"
#include "base/version.h"
#include "machine/probe/host_probe.h"
#include "microbench/comms/comms_bench.h"
#include "programs/worker/commands.h"
#include "training/train/comms/bucket_trial.h"
#include "training/train/comms/gloo_carrier.h"
#include "training/train/torch_facts.h"

namespace tacho {
namespace {

// Prefix of lines for the user; all other lines are progress.
const std::string kProblem = "tacho-worker: ";

void say(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

// Exits: a rank that waits in a collective for a lost one may never wake.
void end_when_a_rank_is_lost(Rendezvous& rendezvous) {
  rendezvous.on_failure([](const std::string& why) {
    say(kProblem + why);
    ::_exit(1);
  });
}

Result<bandwidth::CommsSurvey> measured(const CommsBenchOptions& options) {
  const std::chrono::milliseconds timeout(std::llround(1000 * options.request.timeout_s));
  TACHO_TRY(rendezvous, Rendezvous::meet({options.place, timeout, &stop_requested()},
                                         {fmt::format("tacho {} ({})", kVersion, kCommit),
                                          "request " + json_text(to_json(options.request))}));
  end_when_a_rank_is_lost(*rendezvous);
  auto survey = measure_comms(options, *rendezvous);
  rendezvous->leave(survey.ok() ? "" : survey.error().message);
  return survey;
}

Result<void> measure(const std::filesystem::path& folder) {
  TACHO_TRY(text, read_file(folder / "comms.json"));
  TACHO_TRY(json, parse_json(text).in("comms.json"));
  TACHO_TRY(request, bandwidth::comms_request_from_json(json));
  TACHO_TRY(place, place_from_environment(process_environment()));
  const CommsBenchOptions options{
      .place = place.value_or(Place{}),
      .request = request,
      .torch = {connect_gloo_carrier, why_no_gloo_carrier(), make_bucket_trial},
      .stop = stop_requested(),
      .on_progress = say};
  // As in training, a rank uses only its share of the machine's cores.
  const Host host = read_host();
  use_torch_threads(cores_of_rank(host.cores, options.place, process_environment()));
  TACHO_TRY(survey, measured(options));
  if (options.place.rank != 0) return {};
  const bool by_nccl = backends_of(survey) == std::vector{DistBackend::nccl};
  survey.machine = by_nccl && !host.gpu.empty() ? host.gpu : host.cpu;
  survey.facts = fmt::format("{} core{} per machine, torch {}", host.cores,
                             host.cores == 1 ? "" : "s", torch_version());
  survey.tacho_commit = kCommit;
  return write_file_atomically(folder / "survey.json", json_text(to_json(survey), 1) + "\n",
                               Outlives::kill);
}

}  // namespace

int measure_comms_in(const std::filesystem::path& folder) {
  catch_interrupts();
  const auto done = measure(folder);
  if (done.ok()) return 0;
  say(kProblem + done.error().message);
  return 1;
}

}  // namespace tacho
