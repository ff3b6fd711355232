#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>

#include "base/home.h"
#include "base/table.h"
#include "base/units.h"
#include "cli/commands.h"
#include "core/record/run_options.h"
#include "experiments/predictions/prediction_recorder.h"
#include "machine/probe/host_probe.h"

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
const std::vector<RunSettings>& workloads_on(Device device) {
  static const std::vector<RunSettings> cpu = {
      {{"model", "lenet5"}, {"batch", "64"}},
      {{"model", "mlp"}, {"batch", "512"}},
      {{"model", "lenet5"}, {"batch", "512"}},
      {{"model", "mnist-cnn"}, {"batch", "32"}},
      {{"model", "mlp"}, {"batch", "64"}},
      {{"model", "resnet18"}, {"batch", "8"}, {"input", "3x32x32"}},
      {{"model", "mnist-cnn"}, {"batch", "128"}},
      {{"model", "lstm"}, {"batch", "16"}, {"length", "50"}},
      {{"model", "resnet18"}, {"batch", "32"}, {"input", "3x32x32"}},
      {{"model", "distilbert"}, {"batch", "2"}, {"length", "32"}}};
  static const std::vector<RunSettings> cuda = {
      {{"model", "resnet50"}, {"batch", "64"}, {"precision", "bf16"}},
      {{"model", "distilbert"}, {"batch", "32"}, {"precision", "bf16"}},
      {{"model", "mlp"}, {"batch", "512"}, {"precision", "tf32"}},
      {{"model", "distilbert"}, {"batch", "8"}, {"precision", "bf16"}},
      {{"model", "distilbert"}, {"batch", "32"}, {"precision", "tf32"}},
      {{"model", "lenet5"}, {"batch", "512"}, {"graphs", "off"}},
      {{"model", "lstm"}, {"batch", "128"}, {"precision", "bf16"}},
      {{"model", "distilbert"}, {"batch", "32"}, {"precision", "bf16"}, {"graphs", "off"}},
      {{"model", "resnet50"}, {"batch", "16"}, {"precision", "bf16"}}};
  return device == Device::cuda ? cuda : cpu;
}

// "lstm, batch 16, length 50"
std::string name_of(const RunSettings& workload) {
  std::string name;
  for (const auto& [option, value] : workload) {
    name += option == "model" ? value : fmt::format(", {} {}", option, value);
  }
  return name;
}

Result<RunSpec> spec_of(RunSettings workload, Device device) {
  workload.insert(workload.end(), {{"data", "synthetic"},
                                   {"steps", "25"},
                                   {"eval-samples", "64"},
                                   {"no-checkpoints", "true"},
                                   {"no-tensorboard", "true"},
                                   {"device", std::string(kDevices.of(device))}});
  TACHO_TRY(request, train_request(workload));
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
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(store, context.open_store());
  PredictionRecorder predictions(store, home / "tacho.db",
                                 [&](const std::string& problem) { context.warn(problem); });
  Runner runner = context.runner(store, home, &predictions);
  catch_interrupts();
  Table table({{"workload", Align::left}, {"step"}, {"samples/s"}, {"memory"}});
  Json list = Json::array();
  double product_gflops = 0;
  const auto began = std::chrono::steady_clock::now();
  for (const RunSettings& workload : workloads_on(parsed)) {
    const std::string text = name_of(workload);
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - began;
    if (gone.count() > o.seconds || interrupts() > 0) break;
    context.say(fmt::format("{} of {} s: {}", static_cast<int>(gone.count()), o.seconds, text));
    TACHO_TRY(spec, spec_of(workload, parsed));
    SilentView view;
    TACHO_TRY(finished, runner.run(new_order(spec), Standing{}, view));
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
    table.add({text, human(metric::kStepS, step), human_count(speed),
               human(metric::kPeakMemory, memory)});
    list.push_back(Json{{"run", finished.id},
                        {"workload", text},
                        {"step_seconds", step},
                        {"samples_per_s", speed},
                        {"memory_bytes", memory}});
  }
  predictions.settle();
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
