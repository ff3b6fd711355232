#include <fmt/format.h>

#include "base/home.h"
#include "machine/probe/host_probe.h"
#include "programs/worker/commands.h"
#include "training/train/cpu_paths.h"
#include "training/train/describe/model_description.h"

namespace tacho {
namespace {

// Selects the faster path, because the traced steps are real ones. Failing to find it is not an
// error.
void use_faster_path(const DescribeRequest& request) {
  const Host host = read_host();
  CpuRequest cpu{.threads = host.cores, .cpu = host.cpu};
  if (const auto home = tacho_home(); home.ok())
    cpu.cache_file = *home / "cache" / "cpu-paths.json";
  tune_process();
  const auto info = find_model(request.model);
  if (const auto paths = choose_cpu_paths(cpu); paths.ok() && info.ok()) {
    take_path(*paths,
              (*info)->input == InputKind::image ? Workload::convolution : Workload::product);
  }
}

Result<Json> description_of(std::string_view text) {
  TACHO_TRY(json, parse_json(text).in("request"));
  TACHO_TRY(request, describe_request_from_json(json));
  TACHO_CHECK(check(request));
  use_faster_path(request);
  TACHO_TRY(description, describe_model(request));
  return to_json(request, description);
}

}  // namespace

int describe_model_for(std::string_view request) {
  const auto json = description_of(request);
  if (!json.ok()) {
    fmt::print(stderr, "{}\n", json.error().message);
    return json.error().code == ErrorCode::failed ? 1 : kCannotStart;
  }
  fmt::print("{}\n", json_text(*json));
  return 0;
}

}  // namespace tacho
