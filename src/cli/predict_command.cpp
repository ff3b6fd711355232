#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>

#include "base/file.h"
#include "base/home.h"
#include "base/json_object.h"
#include "cli/commands.h"
#include "cli/decoder_prediction.h"
#include "cli/predict_training.h"
#include "cli/train_options.h"
#include "core/record/model_catalog.h"
#include "experiments/predictions/dataset_fit.h"
#include "experiments/predictions/own_prediction.h"
#include "experiments/predictions/own_runs_here.h"
#include "experiments/predictions/speed_model_files.h"
#include "machine/probe/host_probe.h"
#include "predict/rent/catalog.h"
#include "predict/speed/gpu_spec_file.h"
#include "predict/speed/own_model_costs.h"
#include "predict/speed/prediction_view.h"
#include "predict/speed/software.h"

namespace tacho {
namespace {

struct PredictOptions {
  TrainingJob job;
  TrainingOptions training;
  DecoderOptions decoder;
  std::vector<std::string> gpu_specs;
  std::optional<std::string> from;
  std::optional<std::string> out;
  std::optional<std::string> speed_model;
  std::string data;
  std::string device;
  std::string instance;
  bool json = false;
  bool include_disturbed = false;
  std::vector<std::string> words;  // after --
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
  TACHO_TRY(store, context.open_store());
  return open_calibrated_predictor(store, o.speed_model, gpu_specs, o.include_disturbed);
}

Result<int> predict_file(const PredictOptions& o, const Context& context) {
  if (!o.job.model.empty()) {
    return Error{ErrorCode::usage, "a model and --from exclude each other; leave one out"};
  }
  if (o.json) return Error{ErrorCode::usage, "--json is for a single job; --from writes CSV"};
  TACHO_TRY(whole_training, o.training.asked());
  if (whole_training) return Error{ErrorCode::usage, "--epochs is for a single job, not --from"};
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

OwnQuestion question_of(const PredictOptions& o, RunSettings further) {
  return {.model = o.job.model,
          .batch = o.job.batch_per_gpu,
          .precision = o.job.precision,
          .data = o.data,
          .device = o.device,
          .further = std::move(further)};
}

// Prints the prediction, or that of the whole training.
Result<int> answer_run(const PredictOptions& o, const RunSpec& spec, const Host& on,
                       const RunPrediction& prediction, const Context& context) {
  TACHO_TRY(whole_training, o.training.asked());
  if (whole_training) return predict_training_of(o.training, spec, on, prediction, o.json, context);
  context.print(o.json ? json_text(own_prediction_json(spec, on, prediction), 1) + "\n"
                       : own_prediction_text(spec, on, prediction,
                                             o.instance.empty() ? "this machine: " : ""));
  return kSuccess;
}

// Predicts on a machine for rent without a GPU.
Result<int> predict_on_instance(PredictOptions o, const Context& context) {
  if (!o.job.gpu.empty() || !o.gpu_specs.empty() || o.device == "cuda") {
    return Error{ErrorCode::usage,
                 "--instance is for machines without a GPU; leave out --gpu, --gpu-spec and "
                 "--device, or leave out --instance"};
  }
  o.device = "cpu";
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(instances, Catalog(home).instances());
  TACHO_TRY(instance, instance_without_gpu(instances, o.instance));
  TACHO_TRY(cpus, shipped_cpus());
  const auto machine = cpus.of_instance(instance.name, instance.vcpus);
  if (!machine) {
    return Error{ErrorCode::unavailable,
                 fmt::format("the CPU of {} is not known; run 'tacho bench probe' on it, then "
                             "'tacho predict' there",
                             instance.name)};
  }
  const Host host{.cpu = instance.name,
                  .cores = static_cast<std::int64_t>(machine->cores),
                  .memory_bytes = static_cast<std::int64_t>(instance.memory_gib * std::exp2(30))};
  TACHO_TRY(further, read_train_words(context.behind_dashes));
  TACHO_TRY(spec, own_spec(question_of(o, std::move(further)), {}, host));
  TACHO_TRY(cpu, shipped_cpu_speed_model());
  TACHO_TRY(prediction, cpu.predict(spec, {*machine}));
  return answer_run(o, spec, host, prediction, context);
}

// Predicts from the runs of this machine.
Result<int> predict_own(const PredictOptions& o, const Context& context) {
  const Host here = read_host();
  TACHO_TRY(store, context.open_store());
  std::size_t left_out = 0;
  TACHO_TRY(known, known_own_runs(store, o.include_disturbed, &left_out));
  TACHO_TRY(further, read_train_words(context.behind_dashes));
  TACHO_TRY(spec, own_spec(question_of(o, std::move(further)), known, here));
  TACHO_TRY(own, MachineRuns::learn(known, here));
  const auto prediction = own.predict(spec);
  if (!prediction.ok()) return with_left_out(prediction.error(), left_out);
  return answer_run(o, spec, here, *prediction, context);
}

Result<int> predict_one(PredictOptions o, const Context& context) {
  if (o.job.model.empty()) {
    return Error{ErrorCode::usage, "give a model, or a file of jobs with --from"};
  }
  if (o.out) return Error{ErrorCode::usage, "--out needs --from"};
  if (o.words.size() > context.behind_dashes.size()) {
    return Error{
        ErrorCode::usage,
        fmt::format("unexpected argument '{}': give one model, and options of 'tacho train' "
                    "after --",
                    o.words.front())};
  }
  TACHO_TRY(whole_training, o.training.asked());
  const bool on_gpu = !o.job.gpu.empty() || !o.gpu_specs.empty();
  if (!on_gpu && !o.job.framework.empty() && !is_tacho(framework_of(o.job.framework))) {
    return Error{ErrorCode::usage,
                 "--software is for a GPU that --gpu or --gpu-spec names; without one, trainings "
                 "by Tacho are predicted"};
  }
  if (!o.instance.empty()) return predict_on_instance(std::move(o), context);
  if (!on_gpu) {
    if (!find_model(o.job.model).ok()) {
      return Error{
          ErrorCode::usage,
          fmt::format("give a GPU with --gpu or --gpu-spec: '{}' is not one of Tacho's models, "
                      "which are predicted from runs on this machine",
                      o.job.model)};
    }
    auto own = predict_own(o, context);
    if (own.ok() || own.error().code != ErrorCode::unavailable) return own;
    return Error{ErrorCode::unavailable,
                 own.error().message + "; --gpu NAME predicts from published results"};
  }
  TACHO_TRY(gpu_specs, read_gpu_specs(o.gpu_specs));
  if (o.job.gpu.empty()) o.job.gpu = gpu_specs.back().name;
  TACHO_TRY(predictor, predictor_for(o, gpu_specs, context));
  TACHO_TRY(gpu, predictor.gpus().find(o.job.gpu));
  o.job.gpu = gpu->name;
  if (whole_training) {
    return predict_training(o.training, o.job, o.data, o.json, predictor, context);
  }
  TACHO_CHECK(check(o.job));
  TACHO_CHECK(predictor.check_software(o.job.framework));
  if (!o.data.empty()) {
    TACHO_CHECK(check_fit(o.job.model, o.data, predictor.costs()));
    if (o.job.input_shape.empty()) o.job.input_shape = input_shape_of(o.job.model, o.data);
  }
  TACHO_TRY(predictions, predictor.predict(std::span(&o.job, 1), 1));
  if (!predictions.front()) {
    return Error{ErrorCode::usage, fmt::format("{} is not a GPU; see 'tacho catalog'", o.job.gpu)};
  }
  const Prediction& prediction = *predictions.front();
  if (!prediction.known()) return Error{ErrorCode::usage, prediction.reason};
  context.print(o.json ? json_text(prediction_json(o.job, prediction), 1) + "\n"
                       : prediction_text(o.job, *gpu, prediction));
  return kSuccess;
}

Result<int> predict_for_user(const PredictOptions& o, const Context& context) {
  TACHO_TRY(decoder, is_decoder_job(o.decoder, o.job));
  if (decoder) {
    if (!o.job.framework.empty()) {
      return Error{ErrorCode::usage,
                   "--software is not for decoder models; leave it out, or the options of their "
                   "shape"};
    }
    if (o.from || o.out) {
      return Error{ErrorCode::usage, "--from and --out are not for decoder models; leave them out"};
    }
    TACHO_TRY(whole_training, o.training.asked());
    if (whole_training) {
      return Error{ErrorCode::usage, "--epochs is not for decoder models; leave it out"};
    }
    TACHO_TRY(gpu_specs, read_gpu_specs(o.gpu_specs));
    return predict_decoder(o.decoder, o.job, gpu_specs, o.json, context);
  }
  return o.from ? predict_file(o, context) : predict_one(o, context);
}

}  // namespace

void add_predict_command(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("predict", "predict the speed of a training on this or other hardware");
  auto o = std::make_shared<PredictOptions>();
  TrainingJob& job = o->job;
  command->add_option("model", job.model, "model, such as resnet50");
  command->add_option("--gpu", job.gpu,
                      "GPU: H100, RTX3090, … (default: this machine, from its runs)");
  command->add_option("--batch,-b", job.batch_per_gpu, "samples per step and GPU");
  command->add_option("--precision", job.precision,
                      "precision: fp32, tf32, amp, fp16, bf16 or fp8 (default: fp32)");
  command->add_option("--num-gpus", job.num_gpus, "total number of GPUs")->capture_default_str();
  command->add_option("--num-nodes", job.num_nodes, "number of machines")->capture_default_str();
  command->add_option("--software,--framework", job.framework,
                      "tacho, pytorch, pytorch-compile, or as published results name it, such as "
                      "'PyTorch 1.12 (timm)' (default: tacho for its own models, else pytorch)");
  command->add_option("--layout", job.layout, "memory layout: nchw or nhwc");
  command->add_option("--family", job.family, "model family: cnn, transformer, rnn or other");
  command->add_option("--input-shape", job.input_shape, "input, such as 3x224x224 or seq512");
  command->add_option("--data-kind", job.data_kind, "data: real or synthetic");
  command->add_option("--gmacs", job.gmacs, "multiply-adds per sample in the forward pass, in 10⁹");
  command->add_option("--macts", job.macts_m, "activations per sample in the forward pass, in 10⁶");
  command->add_option("--params", job.params_m, "parameters, in 10⁶");
  command
      ->add_option("--gpu-spec", o->gpu_specs,
                   "YAML file with the data sheet of a GPU, see below (repeatable)")
      ->type_name("FILE");
  command->add_option("--from", o->from, "CSV file of jobs, see below")->type_name("FILE");
  command->add_option("--out,-o", o->out, "write to this file")->type_name("FILE");
  command
      ->add_option("--speed-model", o->speed_model,
                   "file of 'tacho fit' (default: the last one, else the built-in one)")
      ->type_name("FILE");
  command->add_option("--data,-d", o->data,
                      "dataset, with --epochs or on this machine (default: that of most runs)");
  add_training_options(*command, o->training);
  command->add_option("--device", o->device,
                      "device, on this machine: cpu or cuda (default: the GPU if there is one)");
  command->add_option(
      "--instance", o->instance,
      "machine for rent without a GPU, such as c7i.4xlarge (see 'tacho catalog ls')");
  command->add_flag("--json", o->json, "print JSON");
  add_decoder_options(*command, o->decoder);
  command
      ->add_flag("--include-disturbed", o->include_disturbed,
                 "include runs during which other programs used the machine")
      ->envname("TACHO_INCLUDE_DISTURBED");
  command->add_option("options", o->words, "after --, on this machine: options of 'tacho train'")
      ->option_text("[-- OPTION...]");
  command->footer(
      "Without --gpu, one of Tacho's models is predicted on this machine from the runs recorded\n"
      "here, and on a CPU without similar runs by a cost model, as with --instance. Options of\n"
      "'tacho train' may follow after --.\n"
      "\n"
      "--from reads the columns model, family, framework, precision, layout, gpu, num_gpus,\n"
      "num_nodes, batch_per_gpu, gmacs, macts_M, params_M, input_shape and data_kind; empty cells\n"
      "are unknown. It adds or replaces the columns samples_per_s, low90, high90 (the 90 %\n"
      "interval), in_domain and reason.\n"
      "\n"
      "--gpu-spec requires name, multiprocessors, fp32_tflops, memory_gb and memory_gb_per_s.\n"
      "Optional are architecture, tf32_tflops, half_tflops, nvlink_gb_per_s, pcie_generation, "
      "peers\n"
      "(nvlink, pcie, or host for GPUs that cannot read each other's memory) and power_w.\n"
      "\n"
      "  tacho predict resnet50 --gpu H100 -b 256\n"
      "  tacho predict resnet18 --data cifar10 --gpu V100 --num-gpus 2 -b 128 -e 30\n"
      "  tacho predict resnet18 --data cifar10 --instance c7i.4xlarge -b 64 -e 10\n"
      "  tacho predict resnet18 -b 96 -- --graphs off --workers 4");
  command->callback([o, &context] { context.run([&] { return predict_for_user(*o, context); }); });
}

}  // namespace tacho
