#include <fmt/format.h>

#include "base/home.h"
#include "base/json_object.h"
#include "base/version.h"
#include "core/record/event_fields.h"
#include "machine/probe/host_probe.h"
#include "programs/worker/commands.h"
#include "training/train/cpu_paths.h"
#include "training/train/torch_facts.h"

namespace tacho {

int describe_machine() {
  const Host host = read_host();
  const auto home = tacho_home();
  CpuRequest request{.threads = host.cores, .cpu = host.cpu};
  if (home.ok()) request.cache_file = *home / "cache" / "cpu-paths.json";
  tune_process();
  const auto paths = choose_cpu_paths(request);

  Json json = {{"tacho_version", kVersion},
               {"tacho_commit", kCommit},
               {"torch_version", torch_version()},
               {"cuda_devices", cuda_device_count()},
               {"host", json_of(host)}};
  if (paths.ok()) {
    json["paths"] = json_of(*paths);
  } else {
    json["problem"] = paths.error().message;
  }
  fmt::print("{}\n", json_text(json, 2));
  return 0;
}

}  // namespace tacho
