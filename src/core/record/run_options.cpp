#include "core/record/run_options.h"

#include "core/record/run_option_fields.h"

namespace tacho {
namespace {

using namespace run_option_fields;

constexpr OptionRange kCount{1, 1e9};  // products of two fit 64 bits
constexpr OptionRange kPositive{.low = 0, .above = true};
constexpr OptionRange kShare{0, 1};

std::vector<RunOption> model_and_data() {
  return {
      option(TACHO_FIELD(spec.model), "model", "model to train, from the list below", {},
             kOnForm | kNeeded),
      option(TACHO_FIELD(spec.data), "data,d", "dataset, from the list below, or synthetic", {},
             kOnForm | kNeeded),
      path(TACHO_FIELD(spec.data_folder), "data-dir", "FOLDER",
           "folder with the dataset's files (default: where 'tacho data' stores them)"),
      option(TACHO_FIELD(spec.batch), "batch,b", "samples per step, per process", kCount,
             kOnForm | kNeeded),
      option(TACHO_FIELD(spec.epochs), "epochs,e", "number of epochs", kCount, kOnForm | kNeeded),
      option(TACHO_FIELD(spec.steps), "steps", "stop after this number of steps", {.low = 1},
             kOnForm),
      option(TACHO_FIELD(spec.train_samples), "train-samples",
             "train on the first N samples (default: all)", {.low = 1}, kOnForm),
      option(TACHO_FIELD(spec.eval_samples), "eval-samples",
             "evaluate on the first N samples (default: all)", {.low = 1}, kOnForm),
      option(TACHO_FIELD(spec.input), "input",
             "image size, such as 3x224x224 (default: the data's or the model's)"),
      option(TACHO_FIELD(spec.classes), "classes", "number of classes of synthetic data", kCount),
      option(TACHO_FIELD(spec.length), "length",
             "tokens per text, longer ones are cut; of a language model: tokens per sample", kCount,
             kRecipe),
      path(TACHO_FIELD(spec.vocabulary), "vocab", "FILE",
           "WordPiece vocab.txt, or a language model's tokenizer.json (default: learned from the "
           "data)"),
      option(TACHO_FIELD(spec.tokens), "tokens",
             "tokens of a language model: bpe (byte pairs learned from the text) or characters", {},
             kRecipe),
      option(TACHO_FIELD(spec.vocabulary_size), "vocab-size", "number of tokens to learn with bpe",
             {257, 1e6}, kRecipe),
      option(TACHO_FIELD(spec.layers), "layers",
             "layers of a language model (default: the model's)", {1, 1000}, kRecipe),
      option(TACHO_FIELD(spec.width), "width", "width of a language model (default: the model's)",
             {1, 1e5}, kRecipe),
      option(TACHO_FIELD(spec.heads), "heads",
             "attention heads of a language model (default: the model's)", {1, 1000}, kRecipe),
      option(TACHO_FIELD(spec.kv_heads), "kv-heads",
             "heads of keys and values, fewer for grouped-query attention", {1, 1000}, kRecipe),
      option(TACHO_FIELD(spec.inner), "inner",
             "width within the feed-forward layers of a language model", {1, 1e6}, kRecipe),
      option(TACHO_FIELD(spec.augment), "augment", "random crops and flips: auto, on or off", {},
             kRecipe),
      option(TACHO_FIELD(spec.crop), "crop", "random crops: auto (as --augment), on or off", {},
             kRecipe),
      option(TACHO_FIELD(spec.flip), "flip", "random flips: auto (as --augment), on or off", {},
             kRecipe),
      option(TACHO_FIELD(spec.trivial_augment), "trivial-augment",
             "change each image by one random operation (TrivialAugment) before crop and flip", {},
             kRecipe),
      option(TACHO_FIELD(spec.erase), "erase",
             "erase a random rectangle of 2 to 33 % of an image with this probability", kShare,
             kRecipe),
      with_value(option(TACHO_FIELD(spec.pixel_mean), "mean",
                        "mean of the pixels per channel, 0 to 1, such as 0.49,0.48,0.45 (default: "
                        "measured; for image files, ImageNet's)"),
                 "LIST"),
      with_value(option(TACHO_FIELD(spec.pixel_std), "std",
                        "standard deviation of the pixels per channel, such as 0.25,0.24,0.26"),
                 "LIST"),
      option(TACHO_FIELD(spec.stem), "stem",
             "first layers of a ResNet: auto, imagenet (7x7, stride 2, max-pool) or cifar (3x3)",
             {}, kRecipe),
      option(TACHO_FIELD(spec.target_top1), "target", "stop at this top-1 accuracy, 0 to 1",
             kShare),
      option(TACHO_FIELD(spec.patience), "patience",
             "stop after N epochs in a row without a better evaluation (see --best-by)", kCount),
      option(TACHO_FIELD(spec.best_by), "best-by",
             "what makes an evaluation better: top1 (higher accuracy) or loss (lower)"),
      option(TACHO_FIELD(spec.seed), "seed", "random seed", {.low = 0}, kOnForm),
  };
}

// Keeps the model's parameters if it is the model's optimizer.
Result<void> set_optimizer(TrainRequest& request, std::string_view text) {
  OptimizerSpec& chosen = request.spec.optimizer;
  TACHO_TRY(kind, kOptimizers.parse(text));
  if (kind == chosen.kind) return {};
  const bool sgd = kind == OptimizerKind::sgd;
  chosen = {.kind = kind, .learning_rate = sgd ? 0.01 : 1e-3, .momentum = sgd ? 0.9 : 0};
  return {};
}

RunOption optimizer() {
  RunOption out = option(TACHO_FIELD(spec.optimizer.kind), "optimizer",
                         "optimizer: sgd, adam or adamw (default: the model's)", {},
                         kOnForm | kFromModel | kNeeded | kRecipe);
  out.set = set_optimizer;
  return out;
}

std::vector<RunOption> optimization() {
  return {
      path(TACHO_FIELD(spec.weights), "weights", "PATH",
           "start from the weights in a safetensors file, a .pt or .pth state dict, or a Hugging "
           "Face folder"),
      option(TACHO_FIELD(spec.weights_partial), "weights-partial",
             "use those of --weights that fit the model, initialize the others"),
      with_value(option(TACHO_FIELD(spec.freeze), "freeze",
                        "do not train the parameters whose names begin with one of these, such as "
                        "conv1,layer1 (repeatable)",
                        {}, kRepeatable | kRecipe),
                 "NAMES"),
      optimizer(),
      option(TACHO_FIELD(spec.optimizer.learning_rate), "lr",
             "learning rate (default: the model's)", kPositive,
             kOnForm | kFromModel | kNeeded | kRecipe),
      option(TACHO_FIELD(spec.head_learning_rate), "head-lr",
             "learning rate of the layers that produce the classes (default: --lr)", kPositive,
             kRecipe),
      option(TACHO_FIELD(spec.lora_rank), "lora",
             "train only adapters (LoRA) of this rank, added to --weights of a language model",
             {0, 4096}, kRecipe),
      option(TACHO_FIELD(spec.lora_alpha), "lora-alpha",
             "scale the adapters by this value over their rank (default: twice the rank)",
             kPositive, kRecipe),
      with_value(option(TACHO_FIELD(spec.lora_layers), "lora-layers",
                        "layers that get adapters, by name or its end (default: c_attn in gpt2, "
                        "q_proj,v_proj in llama; repeatable)",
                        {}, kRepeatable | kRecipe),
                 "NAMES"),
      option(TACHO_FIELD(spec.optimizer.momentum), "momentum", "momentum of SGD", kShare,
             kFromModel | kRecipe),
      option(TACHO_FIELD(spec.optimizer.nesterov), "nesterov", "use Nesterov momentum", {},
             kRecipe),
      option(TACHO_FIELD(spec.optimizer.weight_decay), "weight-decay",
             "weight decay, decoupled for adamw (default: the model's)", {0, 1e3},
             kFromModel | kRecipe),
      option(TACHO_FIELD(spec.optimizer.beta1), "beta1", "beta1 of adam and adamw", {0, 0.999999},
             kFromModel | kRecipe),
      option(TACHO_FIELD(spec.optimizer.beta2), "beta2", "beta2 of adam and adamw", {0, 0.99999999},
             kFromModel | kRecipe),
      option(TACHO_FIELD(spec.optimizer.epsilon), "epsilon", "epsilon of adam and adamw", kShare,
             kFromModel | kRecipe),
      option(TACHO_FIELD(spec.schedule.kind), "schedule",
             "learning-rate schedule: constant, step, cosine, one-cycle, linear or milestones", {},
             kRecipe),
      option(TACHO_FIELD(spec.schedule.warmup_epochs), "warmup-epochs",
             "epochs of learning-rate warm-up", {.low = 0}, kRecipe),
      option(TACHO_FIELD(spec.schedule.warmup_steps), "warmup-steps",
             "steps of learning-rate warm-up, instead of --warmup-epochs", {0, 1e9}, kRecipe),
      option(TACHO_FIELD(spec.schedule.step_epochs), "step-epochs",
             "epochs between the steps of --schedule step", kPositive, kRecipe),
      option(TACHO_FIELD(spec.schedule.step_factor), "step-factor",
             "learning-rate factor per step of --schedule step, and per milestone", kShare,
             kRecipe),
      with_value(option(TACHO_FIELD(spec.schedule.milestones), "milestones",
                        "epochs after which the learning rate is multiplied by --step-factor, such "
                        "as 60,80; chooses --schedule milestones",
                        {}, kRecipe),
                 "LIST"),
      option(TACHO_FIELD(spec.label_smoothing), "label-smoothing", "label smoothing, 0 to 0.999",
             {0, 0.999}, kRecipe),
      option(TACHO_FIELD(spec.clip_norm), "clip", "clip gradients to this norm", kPositive,
             kRecipe),
      option(TACHO_FIELD(spec.accumulate), "accumulate",
             "batches whose gradients are added up per optimizer step", kCount),
      option(TACHO_FIELD(spec.accumulate_samples), "accumulate-samples",
             "samples of all processes per optimizer step, instead of --accumulate", kCount),
      option(TACHO_FIELD(spec.ema_decay), "ema",
             "evaluate and save an exponential moving average of the weights with this decay, "
             "such as 0.999",
             {0, 0.99999999}, kRecipe),
      inverted(TACHO_FIELD(spec.dropout), "no-dropout",
               "disable dropout, to compare runs with different numbers of processes"),
  };
}

std::vector<RunOption> hardware() {
  return {
      option(TACHO_FIELD(spec.device), "device", "device: cpu or cuda", {}, kOnForm | kNeeded),
      option(TACHO_FIELD(spec.threads), "threads",
             "CPU threads (default: the process's share of the cores; 1 for a small mlp)",
             {1, 4096}, kOnForm | kPerRank),
      option(TACHO_FIELD(spec.workers), "workers", "threads that prepare batches; 0 for none",
             {0, 1024}, kPerRank),
      option(TACHO_FIELD(spec.precision), "precision",
             "precision: fp32; on a GPU also tf32, bf16, fp16", {}, kOnForm),
      option(TACHO_FIELD(spec.channels_last), "channels-last",
             "channels-last layout: auto, on or off"),
      option(TACHO_FIELD(spec.graphs), "graphs", "run steps as a CUDA graph: auto, on or off"),
      option(TACHO_FIELD(spec.kernels), "kernels",
             "GPU kernels: auto (the faster for each shape), fused or torch"),
      option(TACHO_FIELD(spec.mkldnn), "mkldnn", "oneDNN: auto (if it is faster), on or off", {},
             kPerRank | kNeeded),
      option(TACHO_FIELD(spec.stock), "stock", "use PyTorch's defaults, without any tuning"),
  };
}

std::vector<RunOption> distributed() {
  return {
      option(TACHO_FIELD(spec.dist.ranks_per_node), "nproc",
             "processes on this machine, one per GPU", {1, 1024}, kLocal | kPerRank | kNeeded),
      option(TACHO_FIELD(spec.dist.nodes), "nnodes",
             "number of machines; start the same command on each", {1, 65536},
             kLocal | kPerRank | kNeeded),
      option(TACHO_FIELD(spec.dist.timeout_s), "timeout",
             "seconds until a process that does not respond counts as lost", {0, 86400, true}),
      option(TACHO_FIELD(line_mbit), "line-mbit",
             "simulate --nnodes on this machine: network namespaces with N Mbit/s", {}, kLocal),
      option(TACHO_FIELD(spec.dist.backend), "backend",
             "gradient exchange: auto, nccl, gloo or shm"),
      option(TACHO_FIELD(spec.dist.bucket_mb), "bucket-mb", "size of a gradient bucket in MiB",
             {0, 65536, true}),
      inverted(TACHO_FIELD(spec.dist.overlap), "no-overlap",
               "exchange gradients after the backward pass"),
      option(TACHO_FIELD(spec.dist.compress), "compress",
             "gradient compression: none, bf16, fp16 or topk"),
      option(TACHO_FIELD(spec.dist.topk_share), "topk",
             "share of the gradient that --compress topk sends, 0 to 1", {0, 1, true}),
      option(TACHO_FIELD(spec.dist.replicate_data), "replicate-data",
             "train every process on all samples instead of its share"),
      option(TACHO_FIELD(spec.dist.lr_scale), "lr-scale",
             "scale the learning rate with the number of processes: none, linear or sqrt"),
  };
}

std::vector<RunOption> output() {
  return {
      option(TACHO_FIELD(spec.trace), "trace", "trace GPU kernels"),
      inverted(TACHO_FIELD(spec.checkpoints), "no-checkpoints",
               "write no checkpoint after each epoch", {}, kPerRank),
      option(TACHO_FIELD(spec.keep), "keep",
             "checkpoints to keep: last, or best (the best besides the last; see --best-by)"),
      option(TACHO_FIELD(spec.ops), "ops",
             "measure the time of PyTorch operators, for 'tacho report'"),
      inverted(TACHO_FIELD(spec.tensorboard), "no-tensorboard", "write no TensorBoard files", {},
               kPerRank),
  };
}

std::vector<RunOption> all_options() {
  const std::pair<std::string_view, std::vector<RunOption>> groups[] = {
      {"", model_and_data()},
      {"Optimization", optimization()},
      {"Hardware", hardware()},
      {"Distributed training", distributed()},
      {"Environment", environment_options()},
      {"Output", output()}};
  std::vector<RunOption> all;
  for (const auto& [title, options] : groups) {
    for (const RunOption& option : options) all.emplace_back(option).group = title;
  }
  return all;
}

}  // namespace

std::string plain_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? fmt::format("{}", value.get<double>()) : json_text(value);
}

std::string RunOption::api_key() const {
  std::string key(name);
  std::ranges::replace(key, '-', '_');
  return key;
}

std::string RunOption::default_text() const {
  if (is(kFromModel) || type == OptionType::flag) return "";
  const Json usual = get({});
  return usual.is_null() ? "" : plain_text(usual);
}

std::span<const RunOption> run_options() {
  static const std::vector<RunOption> options = all_options();
  return options;
}

const RunOption* find_run_option(std::string_view name) {
  const auto options = run_options();
  const auto found = std::ranges::find(options, name, &RunOption::name);
  return found == options.end() ? nullptr : &*found;
}

std::vector<std::string> run_option_names(unsigned without) {
  std::vector<std::string> names;
  for (const RunOption& option : run_options()) {
    if ((option.uses & without) == 0) names.emplace_back(option.name);
  }
  return names;
}

}  // namespace tacho
