// Prints the Kubernetes Jobs for all kinds of options, one per line.
#include <fmt/format.h>

#include <vector>

#include "machine/launch/kubernetes_manifest.h"

int main() {
  using Options = std::map<std::string, std::string>;
  const std::vector<Options> all{
      {{"image", "tacho:1"}, {"claim", "runs"}, {"mount", "/shared"}},
      {{"image", "tacho:1"}, {"host-path", "/srv/tacho"}, {"mount", "/shared"}, {"user", "1234"}},
      {{"image", "registry.example/tacho:1"},
       {"claim", "runs"},
       {"mount", "/shared"},
       {"namespace", "lab"},
       {"node-selector", "disk:ssd,zone:a"},
       {"pull-policy", "IfNotPresent"},
       {"pull-secret", "registry"},
       {"priority-class", "low"},
       {"runtime-class", "nvidia"},
       {"service-account", "tacho"},
       {"group", "100"}}};
  for (const Options& options : all) {
    const auto read = tacho::kubernetes_options(options);
    if (!read.ok()) {
      fmt::print(stderr, "{}\n", read.error().message);
      return 1;
    }
    const tacho::Json job =
        tacho::job_manifest({.options = *read,
                             .name = "tacho-b1-00000000",
                             .folder = "/shared/sweeps/1/b1",
                             .tasks = 20,
                             .needs = {.cores = 1.5, .memory_bytes = 4LL << 30, .gpus = 1},
                             .at_once = 4});
    fmt::print("{}\n", tacho::json_text(job));
  }
}
