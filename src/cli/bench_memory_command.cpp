#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>

#include "base/file.h"
#include "base/home.h"
#include "base/quantity.h"
#include "base/subprocess.h"
#include "base/version.h"
#include "cli/commands.h"
#include "cli/load_view.h"
#include "core/record/run_folder.h"
#include "machine/probe/contention_watch.h"
#include "machine/probe/host_probe.h"
#include "machine/probe/perf_counters.h"
#include "microbench/memory/cpu_bench.h"
#include "microbench/memory/gpu_counts.h"
#include "microbench/memory/memory_view.h"
#include "microbench/memory/survey_store.h"

namespace tacho {
namespace {

using bandwidth::Survey;

struct MemoryOptions {
  std::string device = "cpu";
  bool quick = false;
  std::string only;
  std::optional<int> threads;
  std::string size;
  std::optional<double> peak;
  bool counters = false;
  bool json = false;
};

constexpr const char* kMemoryFooter =
    "Measures copy, scale, triad, reduction, transpose, gather, scatter, stencil and row-wise\n"
    "normalisation, each in several forms from naive to best, in every cache level and in memory.\n"
    "Each form is compared with the fastest of its level, and its loss is split into bytes moved\n"
    "beyond the necessary ones and the rest.\n"
    "\n"
    "  tacho bench memory --quick  a few seconds\n"
    "  tacho bench memory --peak 204.8  relative to the data sheet's bandwidth in GB/s\n"
    "  tacho bench memory --device cuda --counters  the first GPU, with the counters of ncu";

std::string cache_words(const std::vector<bandwidth::CacheLevel>& caches) {
  std::string words;
  for (const auto& cache : caches) {
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", cache.name, human(cache.size));
  }
  return words.empty() ? "caches unknown" : words;
}

// Returns why the CPU's counters cannot be read, or "".
std::string uncounted_reason(const PerfCounters& counters) {
  const auto why = counters.unavailable().find("cycles");
  return why == counters.unavailable().end() ? "" : why->second;
}

Result<Survey> survey_cpu(const MemoryOptions& o, Context& context) {
  const Host here = read_host();
  bandwidth::CpuBenchRequest request{.quick = o.quick,
                                     .threads = o.threads.value_or(static_cast<int>(here.cores)),
                                     .cpus = bandwidth::allowed_cpus(),
                                     .caches = bandwidth::read_caches(),
                                     .nodes = bandwidth::read_nodes()};
  if (request.threads < 1 || request.threads > std::ssize(request.cpus)) {
    return Error{ErrorCode::usage,
                 fmt::format("--threads must be between 1 and {}, the number of processors",
                             request.cpus.size())};
  }
  if (!o.only.empty()) {
    TACHO_TRY(only, bandwidth::kOperations.parse(o.only).in("--only"));
    request.only = only;
  }
  request.array = array_beyond_caches(request.caches, usable_memory());
  if (!o.size.empty()) {
    TACHO_TRY(size, parse_bytes(o.size).in("--size"));
    constexpr std::int64_t kLeast = 1 << 20;
    if (size.count < kLeast || size.count > usable_memory().count / 5) {
      return Error{ErrorCode::usage,
                   fmt::format("--size must be between 1 MiB and a fifth of memory, {}",
                               human(Bytes{usable_memory().count / 5}))};
    }
    request.array = size;
  }
  // Opened before the first thread starts: only later threads inherit the counters.
  const PerfCounters counters = PerfCounters::open(::getpid());
  if (!counters.read().empty()) request.counted = [&] { return counters.read(); };
  ContentionWatch others;
  LoadLine line(context.err, o.json);
  TACHO_TRY(found, bandwidth::measure_cpu(
                       request, interrupts(),
                       [&](std::int64_t done, std::int64_t all, const std::string& what) {
                         line.show(fmt::format("{} of {}: {}", done, all, what));
                       }));
  line.clear();
  if (found.empty()) {
    return Error{ErrorCode::failed, interrupts() > 0 ? "interrupted before anything was measured"
                                                     : "--only: not measured on a CPU"};
  }
  const bool all = found.size() == plan_cpu(request).size();
  const std::string disturbed = disturbance_text(disturbances(others.look()));
  if (!disturbed.empty()) context.warn("disturbed: " + disturbed);
  return Survey{
      .device = "cpu",
      .machine = here.cpu,
      .facts = fmt::format("{}; {} threads on {} node{} of memory{}{}", cache_words(request.caches),
                           request.threads, std::max<std::size_t>(1, request.nodes.size()),
                           request.nodes.size() > 1 ? "s" : "",
                           disturbed.empty() ? "" : "; disturbed: ", disturbed),
      .complete = all,
      .uncounted = uncounted_reason(counters),
      .measurements = std::move(found)};
}

// Runs each form again under ncu, which slows its kernels down but counts their bytes.
Result<std::vector<bandwidth::Counts>> count_gpu(const std::filesystem::path& gpubench,
                                                 const std::vector<std::string>& size) {
  auto ncu = find_program("ncu");
  if (!ncu.ok()) ncu = find_program("/usr/local/cuda/bin/ncu");
  if (!ncu.ok()) {
    return Error{ErrorCode::unavailable, "ncu is not in $PATH; it is part of the CUDA toolkit"};
  }
  Command command{.argv = {ncu->string(), "--csv", "--page", "raw", "--print-units", "base",
                           "--metrics", bandwidth::gpu_metrics(), gpubench.string(), "--once"}};
  command.argv.insert(command.argv.end(), size.begin(), size.end());
  constexpr std::chrono::minutes kLimit{5};
  TACHO_TRY(done, capture(command, kLimit).in("ncu"));
  if ((done.out + done.err).find("ERR_NVGPUCTRPERM") != std::string::npos) {
    return Error{
        ErrorCode::unavailable,
        "only root may read the GPU's counters; run as root, or load the nvidia module with "
        "NVreg_RestrictProfilingToAdminUsers=0"};
  }
  if (!done.status.success()) {
    return Error{ErrorCode::failed, "ncu ended with " + describe(done.status)};
  }
  return bandwidth::counts_of_cases(done.out);
}

// Starts tacho-gpubench, because this program does not link CUDA.
Result<Survey> survey_gpu(const MemoryOptions& o, const std::filesystem::path& home) {
  const char* named = std::getenv("TACHO_GPUBENCH");
  const std::filesystem::path program =
      named != nullptr ? std::filesystem::path(named) : program_folder() / "tacho-gpubench";
  if (!std::filesystem::exists(program)) {
    return Error{ErrorCode::unavailable,
                 program.string() +
                     " is missing; build Tacho with the preset 'cuda' on a machine with nvcc"};
  }
  TACHO_CHECK(make_folders(home / "lab"));
  const std::filesystem::path out = home / "lab" / (new_run_key() + ".part");
  Command command{.argv = {program.string(), "--out", out.string()}, .dies_with_parent = true};
  if (o.quick) command.argv.emplace_back("--quick");
  std::vector<std::string> size_words;
  if (!o.size.empty()) {
    TACHO_TRY(size, parse_bytes(o.size).in("--size"));
    size_words = {"--size", std::to_string(size.count)};
  }
  command.argv.insert(command.argv.end(), size_words.begin(), size_words.end());
  if (o.json) command.argv.emplace_back("--quiet");
  TACHO_TRY(process, Process::start(command));
  const ExitStatus status = process.wait();
  if (!status.success()) {
    return Error{ErrorCode::failed, "tacho-gpubench ended with " + describe(status)};
  }
  TACHO_TRY(text, read_file(out));
  std::error_code ignored;
  std::filesystem::remove(out, ignored);
  TACHO_TRY(json, parse_json(text));
  TACHO_TRY(survey, bandwidth::survey_from_json(json));
  if (!o.counters || !survey.complete) return survey;
  const auto counted = count_gpu(program, size_words);
  const Result<void> added =
      counted.ok() ? add_counts(*counted, survey) : Result<void>(counted.error());
  if (!added.ok()) survey.uncounted = added.error().message;
  return survey;
}

Result<int> measure_memory(const MemoryOptions& o, Context& context) {
  if (o.peak && !(*o.peak > 0)) return Error{ErrorCode::usage, "--peak must be above 0"};
  TACHO_TRY(device, kDevices.parse(o.device));
  if (device == Device::cuda && (!o.only.empty() || o.threads)) {
    return Error{ErrorCode::usage, "--only and --threads are for a CPU"};
  }
  if (device == Device::cpu && o.counters) {
    return Error{ErrorCode::usage,
                 "--counters is for a GPU; on a CPU, counters are shown if the kernel allows it"};
  }
  TACHO_TRY(home, tacho_home());
  catch_interrupts();
  const auto now = std::chrono::system_clock::now();
  TACHO_TRY(survey, device == Device::cuda ? survey_gpu(o, home) : survey_cpu(o, context));
  survey.key = new_run_key();
  survey.at = utc_text(now);
  survey.tacho_commit = kCommit;
  survey.quick = o.quick;
  if (o.peak) survey.theoretical_bytes_per_s = *o.peak * 1e9;
  TACHO_CHECK(bandwidth::SurveyStore(home).put(survey));
  context.print(o.json ? json_text(to_json(survey), 1) + "\n" : survey_text(survey, context.out));
  return interrupts() > 0 ? kFailure : kSuccess;
}

}  // namespace

void add_bench_memory_command(CLI::App& bench, Context& context) {
  CLI::App* memory = bench.add_subcommand("memory", "measure memory bandwidth by access pattern");
  auto o = std::make_shared<MemoryOptions>();
  memory->add_option("--device", o->device, "device: cpu or cuda")->capture_default_str();
  memory->add_flag("--quick", o->quick, "measure a part, in less than 20 seconds");
  memory->add_option("--only", o->only, "one operation, on a CPU: triad, …");
  memory->add_option("--threads", o->threads,
                     "largest number of threads (default: number of processors)");
  memory->add_option(
      "--size", o->size,
      "size of each array in memory, such as 256M (default: 4 times the last cache)");
  memory->add_option("--peak", o->peak, "peak GB/s by the data sheet");
  memory->add_flag("--counters", o->counters,
                   "count the GPU's memory traffic with ncu, in a second run");
  memory->add_flag("--json", o->json, "print JSON");
  memory->footer(kMemoryFooter);
  memory->callback([o, &context] { context.run([&] { return measure_memory(*o, context); }); });
}

}  // namespace tacho
