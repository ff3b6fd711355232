#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <memory>

#include "base/home.h"
#include "base/table.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/train_options.h"
#include "probe/host_probe.h"

namespace tacho {
namespace {

struct ProbeOptions {
  std::string device;
  double seconds = 60;
  bool json = false;
};

// Small and different: kernel launches, matrix products, convolutions, recurrence, attention. Most
// have two batch sizes, which separates fixed costs from those that grow. Ordered by how much they
// contribute to predictions.
constexpr std::array<std::string_view, 10> kOnCpu = {"lenet5 -b 64",
                                                     "mlp -b 512",
                                                     "lenet5 -b 512",
                                                     "mnist-cnn -b 32",
                                                     "mlp -b 64",
                                                     "resnet18 -b 8 --input 3x32x32",
                                                     "mnist-cnn -b 128",
                                                     "lstm -b 16 --length 50",
                                                     "resnet18 -b 32 --input 3x32x32",
                                                     "distilbert -b 2 --length 32"};
constexpr std::array<std::string_view, 9> kOnCuda = {
    "resnet50 -b 64 --precision bf16",   "distilbert -b 32 --precision bf16",
    "mlp -b 512 --precision tf32",       "distilbert -b 8 --precision bf16",
    "distilbert -b 32 --precision tf32", "lenet5 -b 512 --graphs off",
    "lstm -b 128 --precision bf16",      "distilbert -b 32 --precision bf16 --graphs off",
    "resnet50 -b 16 --precision bf16"};

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

Result<RunSpec> workload(std::string_view text, const std::string& device) {
  auto words = words_in(text);
  for (const char* word : {"--data=synthetic", "--steps=25", "--eval-samples=64",
                           "--no-checkpoints", "--no-tensorboard"}) {
    words.emplace_back(word);
  }
  words.push_back("--device=" + device);
  TACHO_TRY(request, read_train_words(words));
  return request.spec;
}

class SilentView final : public RunView {
 public:
  void started(std::int64_t, const RunOrder&) override {}
  void event(const Event&) override {}
  void tick() override {}
};

double metric_of(const RunRecord& record, const Metric& wanted) {
  for (const auto& [metric, value] : metrics_of(record)) {
    if (metric->key == wanted.key) return value;
  }
  return 0;
}

Result<int> probe(const ProbeOptions& o, const Context& context) {
  if (!(o.seconds >= 5 && o.seconds <= 3600)) {
    return Error{ErrorCode::usage, "--seconds must be between 5 and 3600"};
  }
  const Host here = read_host();
  const std::string device = o.device.empty() ? (here.gpu.empty() ? "cpu" : "cuda") : o.device;
  TACHO_TRY(parsed, kDevices.parse(device));
  const auto workloads = parsed == Device::cuda ? std::span<const std::string_view>(kOnCuda)
                                                : std::span<const std::string_view>(kOnCpu);
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(store, context.open_store());
  Lab lab = context.lab(store, home);
  catch_interrupts();
  Table table({{"workload", Align::left}, {"step"}, {"samples/s"}, {"memory"}});
  Json list = Json::array();
  double product_gflops = 0;
  const auto began = std::chrono::steady_clock::now();
  for (const std::string_view text : workloads) {
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - began;
    if (gone.count() > o.seconds || interrupts() > 0) break;
    context.say(fmt::format("{} of {} s: {}", static_cast<int>(gone.count()), o.seconds, text));
    TACHO_TRY(spec, workload(text, device));
    SilentView view;
    TACHO_TRY(finished, lab.run(new_order(spec), Standing{}, view));
    const RunRecord& record = finished.record;
    if (record.outcome != Outcome::ok) {
      context.warn(fmt::format("{}: {}", text, record.reason));
      continue;
    }
    const double step = metric_of(record, metric::kStepS);
    const double memory =
        metric_of(record, parsed == Device::cuda ? metric::kDeviceMemory : metric::kPeakMemory);
    product_gflops = std::max(product_gflops, metric_of(record, metric::kProductGflops));
    const double speed = metric_of(record, metric::kSamplesPerS);
    table.add({std::string(text), human(metric::kStepS, step), human_count(speed),
               human(metric::kPeakMemory, memory)});
    list.push_back(Json{{"run", finished.id},
                        {"workload", text},
                        {"step_seconds", step},
                        {"samples_per_s", speed},
                        {"memory_bytes", memory}});
  }
  if (list.empty()) {
    return Error{ErrorCode::failed,
                 interrupts() > 0 ? "interrupted before a workload was measured"
                                  : "no workload could be measured; 'tacho doctor' may say why"};
  }
  const std::string& machine = parsed == Device::cuda ? here.gpu : here.cpu;
  if (o.json) {
    context.print(json_text(Json{{"machine", machine},
                                 {"product_gflops", product_gflops},
                                 {"workloads", std::move(list)}},
                            1) +
                  "\n");
    return interrupts() > 0 ? kFailure : kSuccess;
  }
  context.print(table.text(context.out));
  context.print(
      fmt::format("{}: {:.0f} GFLOP/s in an fp32 matrix product on the CPU; recorded as runs for "
                  "'tacho predict' and 'tacho recommend'\n",
                  machine, product_gflops));
  return interrupts() > 0 ? kFailure : kSuccess;
}

}  // namespace

void add_bench_command(CLI::App& app, Context& context) {
  CLI::App* bench =
      app.add_subcommand("bench", "measure this machine: workloads, memory, communication");
  bench->alias("lab");  // the former name; neither help nor completions show aliases
  bench->require_subcommand(1);
  CLI::App* command = bench->add_subcommand(
      "probe", "run small workloads for a minute, to predict for this machine");
  auto o = std::make_shared<ProbeOptions>();
  command->add_option("--device", o->device,
                      "device: cpu or cuda (default: the GPU if there is one)");
  command->add_option("--seconds", o->seconds, "start no workload after this time")
      ->capture_default_str();
  command->add_flag("--json", o->json, "print JSON");
  command->callback([o, &context] { context.run([&] { return probe(*o, context); }); });
  add_bench_memory_command(*bench, context);
  add_bench_comms_command(*bench, context);
  add_bench_records_commands(*bench, context);
}

}  // namespace tacho
