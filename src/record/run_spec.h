#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_object.h"
#include "base/names.h"
#include "base/result.h"
#include "record/dist_spec.h"
#include "record/precision.h"

namespace tacho {

enum class Device { cpu, cuda };
inline constexpr Names<Device, 2> kDevices{"device",
                                           {{{Device::cpu, "cpu"}, {Device::cuda, "cuda"}}}};

enum class Switch { automatic, on, off };
inline constexpr Names<Switch, 3> kSwitches{
    "choice", {{{Switch::automatic, "auto"}, {Switch::on, "on"}, {Switch::off, "off"}}}};

// On a GPU: Tacho's kernels where they fit, torch's alone, or the faster for each shape.
enum class KernelKind { automatic, fused, torch };
inline constexpr Names<KernelKind, 3> kKernelKinds{"kernels",
                                                   {{{KernelKind::automatic, "auto"},
                                                     {KernelKind::fused, "fused"},
                                                     {KernelKind::torch, "torch"}}}};

enum class OptimizerKind { sgd, adam, adamw };
inline constexpr Names<OptimizerKind, 3> kOptimizers{"optimizer",
                                                     {{{OptimizerKind::sgd, "sgd"},
                                                       {OptimizerKind::adam, "adam"},
                                                       {OptimizerKind::adamw, "adamw"}}}};

enum class ScheduleKind { constant, step, cosine, one_cycle };
inline constexpr Names<ScheduleKind, 4> kSchedules{"schedule",
                                                   {{{ScheduleKind::constant, "constant"},
                                                     {ScheduleKind::step, "step"},
                                                     {ScheduleKind::cosine, "cosine"},
                                                     {ScheduleKind::one_cycle, "one-cycle"}}}};

// Meanings and defaults as in torch.optim.
struct OptimizerSpec {
  OptimizerKind kind = OptimizerKind::sgd;
  double learning_rate = 0.01;
  double momentum = 0;  // sgd
  bool nesterov = false;
  double weight_decay = 0;
  double beta1 = 0.9;  // adam, adamw
  double beta2 = 0.999;
  double epsilon = 1e-8;
  bool operator==(const OptimizerSpec&) const = default;
};

struct ScheduleSpec {
  ScheduleKind kind = ScheduleKind::constant;
  double warmup_epochs = 0;  // the rate climbs linearly from 0 over these
  double step_epochs = 30;   // step: every so many epochs …
  double step_factor = 0.1;  // … the rate is multiplied by this
  bool operator==(const ScheduleSpec&) const = default;
};

// Of one image, as the command line writes it: 3x224x224.
struct InputSize {
  std::int64_t channels = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  bool operator==(const InputSize&) const = default;
};
Result<InputSize> parse_input_size(std::string_view text);
std::string to_text(const InputSize& size);

// What was asked for. Two runs of one spec differ by nothing but the machine and chance.
struct RunSpec {
  std::string model;
  std::string data;
  std::string data_folder;  // "" takes the dataset's own place
  std::int64_t batch = 64;  // of each rank
  std::int64_t epochs = 1;
  std::optional<std::int64_t> steps;          // ends the run early
  std::optional<std::int64_t> train_samples;  // takes the first so many of the training part
  std::optional<std::int64_t> eval_samples;   // … and of the evaluation part
  std::optional<InputSize> input;       // absent: the data's own, or what the model is made for
  std::optional<std::int64_t> classes;  // of synthetic data; absent: the model's usual number
  std::optional<std::int64_t> length;   // tokens a text is cut to; of synthetic text, its length
  std::string vocabulary;               // a vocab.txt; "" learns one from the training text
  std::string weights;                  // a safetensors file to begin with; "" draws them
  bool weights_partial = false;         // takes of it what fits the model
  Switch augment = Switch::automatic;   // random crops and flips: on for colour images
  std::optional<std::int64_t> workers;  // threads that make batches
  OptimizerSpec optimizer;
  ScheduleSpec schedule;
  double label_smoothing = 0;
  std::optional<double> clip_norm;  // gradients are scaled down to this norm
  std::int64_t accumulate = 1;      // batches whose gradients are added before weights change
  bool dropout = true;              // false: the model's dropouts let everything through
  Precision precision = Precision::fp32;
  Switch channels_last = Switch::automatic;
  Switch graphs = Switch::automatic;  // one CUDA graph for the whole step
  KernelKind kernels = KernelKind::automatic;
  std::int64_t seed = 0;
  Device device = Device::cpu;
  std::optional<std::int64_t> threads;  // absent: the cores it may use, or what the model says
  Switch mkldnn = Switch::automatic;
  bool stock = false;  // torch's own defaults: no path chosen, no allocator tuned
  std::optional<double> target_top1;
  bool checkpoints = true;
  bool tensorboard = true;
  bool trace = false;  // of what it does on GPUs
  bool ops = false;    // times torch's operators
  DistSpec dist;
  bool operator==(const RunSpec&) const = default;
};

// Random numbers of the right shape instead of a dataset: for speed runs.
inline constexpr std::string_view kSyntheticData = "synthetic";
inline bool is_synthetic(const RunSpec& spec) { return spec.data == kSyntheticData; }

// Says what makes no sense, in the words of the command line.
Result<void> check(const RunSpec& spec);

// Of all ranks. A step is one batch of each, also where several share an update of the weights.
std::int64_t samples_a_step(const RunSpec& spec);

Json to_json(const RunSpec& spec);
// Strict: an unknown or missing key is an error. Does not check() the values.
Result<RunSpec> run_spec_from_json(const Json& json);

}  // namespace tacho
