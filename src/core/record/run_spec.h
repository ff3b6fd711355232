#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_object.h"
#include "base/names.h"
#include "base/result.h"
#include "core/record/dist_spec.h"
#include "core/record/precision.h"

namespace tacho {

enum class Device { cpu, cuda };
inline constexpr Names<Device, 2> kDevices{"device",
                                           {{{Device::cpu, "cpu"}, {Device::cuda, "cuda"}}}};

enum class Switch { automatic, on, off };
inline constexpr Names<Switch, 3> kSwitches{
    "choice", {{{Switch::automatic, "auto"}, {Switch::on, "on"}, {Switch::off, "off"}}}};

// Kernels on a GPU: fused uses Tacho's where possible, torch only torch's, automatic the faster one
// for each shape.
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

enum class ScheduleKind { constant, step, cosine, one_cycle, linear, milestones };
inline constexpr Names<ScheduleKind, 6> kSchedules{"schedule",
                                                   {{{ScheduleKind::constant, "constant"},
                                                     {ScheduleKind::step, "step"},
                                                     {ScheduleKind::cosine, "cosine"},
                                                     {ScheduleKind::one_cycle, "one-cycle"},
                                                     {ScheduleKind::linear, "linear"},
                                                     {ScheduleKind::milestones, "milestones"}}}};

// A checkpoint that a run keeps: that of its newest epoch, or that of its best one.
enum class CheckpointKind { last, best };
inline constexpr Names<CheckpointKind, 2> kCheckpointKinds{
    "checkpoint", {{{CheckpointKind::last, "last"}, {CheckpointKind::best, "best"}}}};

// What makes an epoch the best: the highest top-1 accuracy or the lowest loss of its evaluation.
enum class BestBy { top1, loss };
inline constexpr Names<BestBy, 2> kBestBys{"metric",
                                           {{{BestBy::top1, "top1"}, {BestBy::loss, "loss"}}}};

// The first layers of a ResNet: a 7x7 convolution of stride 2 with max-pool, or a 3x3 convolution;
// automatic: 3x3 up to 32 pixels.
enum class Stem { automatic, imagenet, cifar };
inline constexpr Names<Stem, 3> kStems{
    "stem", {{{Stem::automatic, "auto"}, {Stem::imagenet, "imagenet"}, {Stem::cifar, "cifar"}}}};

// Tokens that a language model learns from its text.
enum class TextTokens { bpe, characters };
inline constexpr Names<TextTokens, 2> kTextTokens{
    "kind of token", {{{TextTokens::bpe, "bpe"}, {TextTokens::characters, "characters"}}}};

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
  double warmup_epochs = 0;                       // the rate rises linearly from 0
  double step_epochs = 30;                        // step: epochs between two reductions of the rate
  double step_factor = 0.1;                       // step, milestones: factor of each reduction
  std::optional<std::int64_t> warmup_steps = {};  // instead of warmup_epochs
  std::vector<std::int64_t> milestones = {};      // epochs after which the rate is reduced
  bool operator==(const ScheduleSpec&) const = default;
};

// Size of one image; 3x224x224 on the command line.
struct InputSize {
  std::int64_t channels = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  bool operator==(const InputSize&) const = default;
};
Result<InputSize> parse_input_size(std::string_view text);
std::string to_text(const InputSize& size);

// The options of a training. Runs with the same spec differ only by machine and random noise.
struct RunSpec {
  std::string model;
  std::string data;
  std::string data_folder;  // "": the default folder of the dataset
  std::int64_t batch = 64;  // per rank
  std::int64_t epochs = 1;
  std::optional<std::int64_t> steps;          // ends the run early
  std::optional<std::int64_t> train_samples;  // use only the first samples of the training part
  std::optional<std::int64_t> eval_samples;   // and of the evaluation part
  std::optional<InputSize> input;       // absent: that of the data, or the default of the model
  std::optional<std::int64_t> classes;  // of synthetic data; absent: the default of the model
  std::optional<std::int64_t> length;   // maximum tokens of a text; length of synthetic text
  std::string vocabulary;               // a vocab.txt or tokenizer.json; "": learned from the text
  TextTokens tokens = TextTokens::bpe;  // of documents, if learned
  std::int64_t vocabulary_size = 8000;  // of learned byte pairs
  std::optional<std::int64_t> layers;   // of a language model; absent: those of the model
  std::optional<std::int64_t> width;
  std::optional<std::int64_t> heads;
  std::optional<std::int64_t> kv_heads;
  std::optional<std::int64_t> inner;
  std::string weights;                 // a safetensors file with initial weights; "": random
  bool weights_partial = false;        // load only the weights that fit the model
  Switch augment = Switch::automatic;  // random crops and flips; on for colour images
  Switch crop = Switch::automatic;     // automatic: as augment
  Switch flip = Switch::automatic;
  bool trivial_augment = false;    // one random operation per image, before crop and flip
  double erase = 0;                // probability that a random rectangle is erased
  std::vector<double> pixel_mean;  // one per channel; empty: those of the data or of ImageNet
  std::vector<double> pixel_std;
  Stem stem = Stem::automatic;
  std::optional<std::int64_t> workers;  // threads that prepare batches
  OptimizerSpec optimizer;
  ScheduleSpec schedule;
  double label_smoothing = 0;
  std::optional<double> clip_norm;                 // maximum norm of the gradients
  std::int64_t accumulate = 1;                     // batches per update of the weights
  std::optional<std::int64_t> accumulate_samples;  // of all ranks; determines `accumulate`
  std::vector<std::string> freeze;                 // beginnings of names of fixed parameters
  std::optional<double> head_learning_rate;        // absent: that of the optimizer
  std::int64_t lora_rank = 0;                      // of the adapters (LoRA); 0: none
  std::optional<double> lora_alpha;                // absent: 2 × lora_rank
  std::vector<std::string> lora_layers;            // names or their ends; empty: as in peft
  std::optional<double> ema_decay;                 // averages the weights over the updates
  bool dropout = true;                             // false: dropout layers do nothing
  Precision precision = Precision::fp32;
  Switch channels_last = Switch::automatic;
  Switch graphs = Switch::automatic;  // one CUDA graph for the whole step
  KernelKind kernels = KernelKind::automatic;
  std::int64_t seed = 0;
  Device device = Device::cpu;
  std::optional<std::int64_t> threads;  // absent: the available cores, or as the model prefers
  Switch mkldnn = Switch::automatic;
  bool stock = false;  // torch's defaults: no path chosen, no allocator tuned
  std::optional<double> target_top1;
  std::optional<std::int64_t> patience;  // epochs without a better one until training ends
  BestBy best_by = BestBy::top1;
  CheckpointKind keep = CheckpointKind::last;  // best: besides the last
  bool checkpoints = true;
  bool tensorboard = true;
  bool trace = false;  // record the GPU activity
  bool ops = false;    // time torch's operators
  DistSpec dist;
  bool operator==(const RunSpec&) const = default;
};

// Random numbers of the right shape instead of a dataset, for speed measurements.
inline constexpr std::string_view kSyntheticData = "synthetic";
inline bool is_synthetic(const RunSpec& spec) { return spec.data == kSyntheticData; }

// Returns an error that names the option if a value makes no sense.
Result<void> check(const RunSpec& spec);

// Returns the samples per step of all ranks. A step is one batch per rank, also if several batches
// share an update of the weights.
std::int64_t samples_per_step(const RunSpec& spec);

// Sets `accumulate` from accumulate_samples, if given. Call again if the number of ranks changes.
Result<void> settle_accumulation(RunSpec& spec);

Json to_json(const RunSpec& spec);
// An unknown or missing key is an error. Does not check() the values.
Result<RunSpec> run_spec_from_json(const Json& json);

}  // namespace tacho
