#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/file.h"
#include "base/json_object.h"
#include "cli/commands.h"
#include "cli/own_prediction.h"
#include "cli/own_runs_here.h"
#include "cli/prediction_view.h"
#include "cli/speed_model_files.h"
#include "predict/gpu_spec_file.h"
#include "probe/host_probe.h"
#include "record/model_catalog.h"

namespace tacho {
namespace {

struct PredictOptions {
  TrainingJob job;
  std::vector<std::string> gpu_specs;
  std::optional<std::string> from;
  std::optional<std::string> out;
  std::optional<std::string> speed_model;
  std::string data;
  std::string device;
  bool json = false;
  bool include_disturbed = false;
  std::vector<std::string> words;  // behind --
};

Result<std::vector<GpuSpec>> read_gpu_specs(const std::vector<std::string>& files) {
  std::vector<GpuSpec> specs;
  for (const std::string& file : files) {
    TACHO_TRY(text, read_file(file));
    TACHO_TRY(gpu, read_gpu_spec(text, file));
    specs.push_back(std::move(gpu));
  }
  return specs;
}

Result<Predictor> predictor_for(const PredictOptions& o, const std::vector<GpuSpec>& gpu_specs,
                                const Context& context) {
  TACHO_TRY(predictor, open_predictor(o.speed_model));
  for (const GpuSpec& gpu : gpu_specs) predictor.add_gpu(gpu);
  TACHO_TRY(store, context.open_store());
  TACHO_TRY(own, own_measurements(store, predictor.gpus(), o.include_disturbed));
  if (!own.empty()) TACHO_CHECK(predictor.calibrate(own, worker_threads()));
  return std::move(predictor);
}

Result<int> predict_file(const PredictOptions& o, const Context& context) {
  if (!o.job.model.empty()) {
    return Error{ErrorCode::usage, "either a model is named or --from, not both"};
  }
  if (o.json) return Error{ErrorCode::usage, "--json is for one job; --from writes CSV"};
  TACHO_TRY(text, read_file(*o.from));
  TACHO_TRY(records, bad_input(read_csv(text).in(*o.from)));
  TACHO_TRY(gpu_specs, read_gpu_specs(o.gpu_specs));
  TACHO_TRY(predictor, predictor_for(o, gpu_specs, context));
  TACHO_TRY(jobs, bad_input(read_jobs(records, predictor.gpus()).in(*o.from)));
  TACHO_TRY(predictions, predictor.predict(jobs, worker_threads()));
  const std::string csv = predictions_csv(records, predictions);
  if (!o.out) {
    context.print(csv);
    return kSuccess;
  }
  TACHO_CHECK(write_file_atomically(*o.out, csv));
  context.say(fmt::format("{}: {} jobs", *o.out, jobs.size()));
  return kSuccess;
}

// By the runs of this machine.
Result<int> predict_own(const PredictOptions& o, const Context& context) {
  const Host here = read_host();
  TACHO_TRY(store, context.open_store());
  TACHO_TRY(known, known_own_runs(store, o.include_disturbed));
  TACHO_TRY(spec, own_spec({.model = o.job.model,
                            .batch = o.job.batch_per_gpu,
                            .precision = o.job.precision,
                            .data = o.data,
                            .device = o.device,
                            .words = context.behind_dashes},
                           known, here));
  TACHO_TRY(costs, shipped_own_model_costs());
  TACHO_TRY(own, OwnRuns::learn(known, here, costs));
  TACHO_TRY(forecast, own.predict(spec));
  context.print(o.json ? json_text(own_prediction_json(spec, here, forecast), 1) + "\n"
                       : own_prediction_text(spec, here, forecast));
  return kSuccess;
}

Result<int> predict_one(PredictOptions o, const Context& context) {
  if (o.job.model.empty()) {
    return Error{ErrorCode::usage, "name a model, or a file of jobs with --from"};
  }
  if (o.out) return Error{ErrorCode::usage, "--out goes with --from"};
  if (o.words.size() > context.behind_dashes.size()) {
    return Error{ErrorCode::usage,
                 fmt::format("'{}' is one word too many: one model at a time, and words of 'tacho "
                             "train' behind --",
                             o.words.front())};
  }
  if (o.job.gpu.empty() && o.gpu_specs.empty()) {
    if (!find_model(o.job.model).ok()) {
      return Error{ErrorCode::usage,
                   fmt::format("name a GPU with --gpu or --gpu-spec: '{}' is none of Tacho's own "
                               "models, whose runs on this machine would tell",
                               o.job.model)};
    }
    auto own = predict_own(o, context);
    if (own.ok() || own.error().code != ErrorCode::unavailable) return own;
    return Error{ErrorCode::unavailable,
                 own.error().message + "; --gpu NAME asks what was published"};
  }
  TACHO_TRY(gpu_specs, read_gpu_specs(o.gpu_specs));
  if (o.job.gpu.empty()) o.job.gpu = gpu_specs.back().name;
  TACHO_TRY(predictor, predictor_for(o, gpu_specs, context));
  TACHO_TRY(gpu, predictor.gpus().find(o.job.gpu));
  o.job.gpu = gpu->name;
  TACHO_CHECK(check(o.job));
  TACHO_TRY(predictions, predictor.predict(std::span(&o.job, 1), 1));
  const Prediction& prediction = *predictions.front();
  context.print(o.json ? json_text(prediction_json(o.job, prediction), 1) + "\n"
                       : prediction_text(o.job, *gpu, prediction));
  return kSuccess;
}

Result<int> predict_for_user(const PredictOptions& o, const Context& context) {
  return o.from ? predict_file(o, context) : predict_one(o, context);
}

}  // namespace

void add_predict_command(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("predict", "how fast a training would be that was not run");
  auto o = std::make_shared<PredictOptions>();
  TrainingJob& job = o->job;
  command->add_option("model", job.model, "its name, as published figures call it: resnet50");
  command->add_option("--gpu", job.gpu,
                      "the GPU: H100, RTX3090, … (none: this machine, by its runs)");
  command->add_option("--batch,-b", job.batch_per_gpu, "samples a step on each GPU");
  command->add_option("--precision", job.precision, "fp32, tf32, amp, fp16, bf16, fp8 (fp32)");
  command->add_option("--num-gpus", job.num_gpus, "in all")->capture_default_str();
  command->add_option("--num-nodes", job.num_nodes, "machines they stand in")
      ->capture_default_str();
  job.framework = kUsualFramework;
  command->add_option("--framework", job.framework, "and whose scripts: 'PyTorch 1.12 (timm)'")
      ->capture_default_str();
  command->add_option("--layout", job.layout, "nchw, nhwc");
  command->add_option("--family", job.family, "cnn, transformer, rnn, other");
  command->add_option("--input-shape", job.input_shape, "3x224x224, seq512");
  command->add_option("--data-kind", job.data_kind, "real, synthetic");
  command->add_option("--gmacs", job.gmacs, "10⁹ multiply-adds of a sample's forward pass");
  command->add_option("--macts", job.macts_m, "10⁶ activations of it");
  command->add_option("--params", job.params_m, "10⁶ parameters");
  command->add_option("--gpu-spec", o->gpu_specs, "a GPU's data sheet in YAML; see below");
  command->add_option("--from", o->from, "a CSV file of jobs instead of one");
  command->add_option("--out,-o", o->out, "where to write it with predictions (standard output)");
  command->add_option("--speed-model", o->speed_model,
                      "of 'tacho fit' (its last one, else the shipped one)");
  command->add_option("--data,-d", o->data, "on this machine: the dataset (that of most runs)");
  command->add_option("--device", o->device, "on this machine: cpu, cuda (the GPU if it has one)");
  command->add_flag("--json", o->json, "one job for programs");
  command
      ->add_flag("--include-disturbed", o->include_disturbed,
                 "learn also from runs that the machine was too busy for")
      ->envname("TACHO_INCLUDE_DISTURBED");
  command->add_option("words", o->words, "behind --, on this machine: words of 'tacho train'");
  command->footer(
      "Without --gpu, one of Tacho's own models on this machine, by the runs made here; words of\n"
      "'tacho train' may follow: tacho predict resnet18 -b 96 -- --graphs off --workers 4\n"
      "--from takes the columns model, family, framework, precision, layout, gpu, num_gpus,\n"
      "num_nodes, batch_per_gpu, gmacs, macts_M, params_M, input_shape, data_kind; cells may be\n"
      "empty: not known. It adds samples_per_s, low90, high90 (a 90 % interval), in_domain and\n"
      "reason, in place of columns of these names.\n"
      "--gpu-spec needs name, multiprocessors, fp32_tflops, memory_gb, memory_gb_per_s, and takes\n"
      "architecture, tf32_tflops, half_tflops, nvlink_gb_per_s, pcie_generation, peers (nvlink,\n"
      "pcie, or host for GPUs that cannot read each other's memory), power_w.");
  command->callback([o, &context] { context.run([&] { return predict_for_user(*o, context); }); });
}

}  // namespace tacho
