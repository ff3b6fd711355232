#include "experiments/runner/doctor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <map>
#include <system_error>

#include "base/split.h"
#include "base/subprocess.h"
#include "base/units.h"
#include "core/record/event.h"
#include "core/record/event_fields.h"
#include "experiments/runner/worker_program.h"
#include "machine/probe/contention_watch.h"
#include "machine/probe/host_probe.h"
#include "machine/probe/nvml_probe.h"
#include "machine/probe/perf_counters.h"
#include "machine/probe/pressure_probe.h"
#include "machine/probe/process_tree_probe.h"
#include "training/data/catalog.h"
#include "training/data/locate.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

using Findings = std::vector<HealthFinding>;

void examine_machine(Findings& out, const Host& host, const fs::path& home) {
  out.push_back({"machine", "cpu", Health::good,
                 fmt::format("{}, {} cores usable, {}", host.cpu, host.cores, host.architecture)});
  out.push_back({"machine", "memory", Health::good, human(Bytes{host.memory_bytes}) + " usable"});
  out.push_back({"machine", "system", Health::good, host.system + ", Linux " + host.kernel});

  fs::path existing = home;
  std::error_code unreadable;
  while (existing.has_relative_path() && !fs::exists(existing, unreadable)) {
    existing = existing.parent_path();
  }
  struct statvfs disk {};
  if (::statvfs(existing.c_str(), &disk) == 0) {
    const Bytes left{static_cast<std::int64_t>(disk.f_bavail) *
                     static_cast<std::int64_t>(disk.f_frsize)};
    const bool writable =
        fs::is_directory(existing, unreadable) && ::access(existing.c_str(), W_OK) == 0;
    out.push_back({"machine", "home", writable ? Health::good : Health::trouble,
                   fmt::format("{}, {} free", home.string(), human(left)),
                   writable ? "" : "not writable; set TACHO_HOME to a folder of yours"});
  }
}

// The result of 'tacho-worker describe'.
struct TorchFound {
  std::string version;
  std::int64_t gpus = 0;
  std::string problem;  // "" if there is none; then `paths` is valid
  ComputePaths paths;
};

Result<TorchFound> find_torch(const fs::path& worker) {
  TACHO_TRY(description, describe_worker(worker));
  TorchFound found;
  JsonObject object(description, worker.string());
  object.read("torch_version", found.version);
  object.read("cuda_devices", found.gpus);
  object.read_optional("problem", found.problem);
  for (const char* other : {"tacho_version", "tacho_commit", "host"}) object.part(other);
  const Json* paths = object.part("paths", found.problem.empty());
  TACHO_CHECK(object.finish());
  if (paths == nullptr) return found;
  TACHO_TRY(read, read_json<ComputePaths>(*paths, worker.string() + ": paths"));
  found.paths = std::move(read);
  return found;
}

std::string path_words(const ComputePaths& paths) {
  const auto word = [](bool on) { return on ? "on" : "off"; };
  return fmt::format("oneDNN {} for convolutions, {} for products, {} for LSTM ({})",
                     word(paths.mkldnn_convolution), word(paths.mkldnn_product),
                     word(paths.mkldnn_recurrent), paths.why);
}

void examine_torch(Findings& out) {
  const auto worker = find_worker();
  if (!worker.ok()) {
    out.push_back({"torch", "worker", Health::missing, "no tacho-worker", worker.error().message});
    return;
  }
  const auto torch = find_torch(*worker);
  if (!torch.ok()) {
    out.push_back({"torch", "worker", Health::trouble, torch.error().message,
                   "try again when no other programs run; if it fails then, rebuild it with "
                   "script/build"});
    return;
  }
  out.push_back({"torch", "version", Health::good,
                 fmt::format("{} in {}", torch->version, worker->string())});
  if (!torch->problem.empty()) {
    out.push_back(
        {"torch", "blas", Health::trouble, torch->problem, "apt-get install libopenblas0-openmp"});
  } else {
    const ComputePaths& paths = torch->paths;
    out.push_back({"torch", "blas", Health::good,
                   fmt::format("{}, {:.0f} GFLOP/s on {} threads", paths.blas, paths.product_gflops,
                               paths.threads)});
    out.push_back({"torch", "path", Health::good, path_words(paths)});
  }
  const bool cuda = torch->gpus > 0;
  out.push_back({"torch", "cuda", cuda ? Health::good : Health::missing,
                 cuda ? fmt::format("{} devices", torch->gpus) : "torch sees no CUDA device",
                 cuda ? "" : "on a machine with a GPU: script/build --preset cuda"});
}

void examine_gpu(Findings& out, const Host& host) {
  if (host.gpu_driver.empty()) {
    out.push_back({"gpu", "driver", Health::missing, "no NVIDIA driver",
                   "apt-get install nvidia-driver (non-free)"});
    return;
  }
  out.push_back(
      {"gpu", "driver", Health::good, fmt::format("{}, driver {}", host.gpu, host.gpu_driver)});
}

// Checks the probes that measure the resource usage of a run.
void examine_probes(Findings& out) {
  const auto add = [&out](const char* name, const std::string& text, const std::string& problem) {
    const bool good = problem.empty();
    out.push_back(
        {"probes", name, good ? Health::good : Health::missing, good ? text : "not here", problem});
  };
  auto api = load_nvml();
  const auto nvml = api.ok() ? NvmlProbe::open(*std::move(api)) : Result<NvmlProbe>(api.error());
  add("gpu samples", nvml.ok() ? fmt::format("NVML: {}", fmt::join(nvml->names(), ", ")) : "",
      nvml.ok() ? "" : nvml.error().message);

  const auto counters = PerfCounters::open(::getpid());
  const auto& lacking = counters.unavailable();
  const auto reason = [&lacking](const char* name) {
    const auto found = lacking.find(name);
    return found == lacking.end() ? std::string() : found->second;
  };
  add("counters", "cycles, instructions, cache misses", reason("cycles"));
  const bool reads = counters.read().contains("memory_read_bytes");
  const std::string refused = reason("memory_read_bytes");
  add("bandwidth", "bytes read and written by the memory controllers",
      reads             ? ""
      : refused.empty() ? reason("memory_bandwidth")
                        : refused);

  add("pressure", "time stalled on CPU, memory and storage", PressureProbe(::getpid()).problem());
  ProcessTreeProbe self({::getpid()});
  UsageSample sample;
  self.look(sample);
  add("process io", "bytes read and written, by /proc/PID/io", self.io_problem());
}

struct Program {
  const char* area;
  const char* name;
  std::vector<std::string> version;  // command that prints the version
  const char* fix;
};

void examine_programs(Findings& out) {
  const std::array programs = {
      Program{"containers", "docker", {"docker", "--version"}, "apt-get install docker.io"},
      Program{"containers", "podman", {"podman", "--version"}, "apt-get install podman runc"},
      Program{"containers",
              "apptainer",
              {"apptainer", "--version"},
              "not in Debian 12; see https://apptainer.org"},
      Program{
          "containers", "singularity", {"singularity", "--version"}, "Apptainer is its successor"},
      Program{
          "containers", "charliecloud", {"ch-run", "--version"}, "apt-get install charliecloud"},
      Program{"cluster", "slurm", {"sinfo", "--version"}, "apt-get install slurm-client"},
      Program{"cluster",
              "kubernetes",
              {"kubectl", "version", "--client"},
              "apt-get install kubernetes-client"},
      Program{"serving", "redis", {"redis-server", "--version"}, "apt-get install redis-server"},
      Program{"tools", "npm", {"npm", "--version"}, "apt-get install npm"},
  };
  // Without USER, as in a container, ch-run does not even print its version.
  std::map<std::string, std::string> environment;
  if (std::getenv("USER") == nullptr) environment["USER"] = "nobody";
  constexpr std::chrono::minutes kPatience{1};
  for (const Program& program : programs) {
    const auto output = capture({.argv = program.version, .environment = environment}, kPatience);
    if (output.ok() && output->status.success()) {
      const std::string& text = output->out.empty() ? output->err : output->out;
      out.push_back({program.area, program.name, Health::good, std::string(first_line(text))});
    } else if (!output.ok() && output.error().code == ErrorCode::not_found) {
      out.push_back({program.area, program.name, Health::missing, "not installed", program.fix});
    } else {
      out.push_back({program.area, program.name, Health::trouble,
                     std::string(output.ok() ? first_line(output->err) : output.error().message),
                     "installed, but it fails; check its configuration"});
    }
  }
}

void examine_datasets(Findings& out, const fs::path& home) {
  for (const DatasetInfo& dataset : dataset_catalog()) {
    const auto folder = locate(dataset, home, "");
    if (folder.ok()) {
      out.push_back({"data", std::string(dataset.name), Health::good, folder->string()});
    } else if (dataset.packing != Packing::in_place) {  // else --data-dir names the user's files
      out.push_back(
          {"data", std::string(dataset.name), Health::missing, "not here", how_to_get(dataset)});
    }
  }
}

}  // namespace

Findings examine(const fs::path& home) {
  Findings findings;
  ContentionWatch others;
  const Host host = read_host();
  examine_machine(findings, host, home);
  const auto after_machine = std::ssize(findings);
  examine_torch(findings);
  examine_gpu(findings, host);
  examine_probes(findings);
  examine_programs(findings);
  examine_datasets(findings, home);
  // The check of torch took long enough to detect other programs.
  const auto reasons = disturbances(others.look());
  const HealthFinding load = reasons.empty()
                                 ? HealthFinding{"machine", "quiet", Health::good,
                                                 "no other programs that would disturb a run"}
                                 : HealthFinding{"machine", "quiet", Health::missing,
                                                 reasons.front(), "measure when nothing else runs"};
  findings.insert(findings.begin() + after_machine, load);
  return findings;
}

Json to_json(const Findings& findings) {
  Json list = Json::array();
  for (const HealthFinding& finding : findings) {
    list.push_back({{"area", finding.area},
                    {"name", finding.name},
                    {"health", kHealth.of(finding.health)},
                    {"text", finding.text},
                    {"fix", finding.fix}});
  }
  return list;
}

}  // namespace tacho
