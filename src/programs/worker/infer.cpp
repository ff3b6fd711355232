#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <thread>

#include "base/home.h"
#include "base/signals.h"
#include "base/start_report.h"
#include "core/record/model_catalog.h"
#include "core/record/run_folder.h"
#include "machine/probe/host_probe.h"
#include "programs/worker/commands.h"
#include "programs/worker/served_language_model.h"
#include "programs/worker/yielding_waits.h"
#include "serving/infer/answer_text.h"
#include "serving/infer/infer_server.h"
#include "serving/infer/open_cache.h"
#include "training/train/cpu_paths.h"
#include "training/train/serving/trained_model.h"
#include "training/train/serving/weights_folder.h"
#include "training/train/torch_facts.h"

namespace tacho {
namespace {

infer::ModelFacts facts_of(const TrainedModel& model, const infer::InferOptions& options) {
  const InputFacts& input = model.input();
  infer::ModelFacts facts{.name = std::string(model.info().name),
                          .run = model.run_key(),
                          .digest = model.digest(),
                          .secret = model.secret(),
                          .input = model.info().input,
                          .labels = input.labels,
                          .computes = fmt::format("{}-{}", kDevices.of(options.device),
                                                  kPrecisions.of(options.precision))};
  if (facts.input == InputKind::image) {
    facts.shape = {{"channels", input.shape.channels},
                   {"height", input.shape.height},
                   {"width", input.shape.width}};
  } else {
    const bool cut = model.max_tokens() > 0;
    facts.shape = {{"vocabulary", input.shape.vocabulary},
                   {cut ? "max_tokens" : "max_words",
                    cut ? model.max_tokens() : static_cast<std::int64_t>(options.max_words)}};
  }
  return facts;
}

// Adapts the model of a run or folder to the server.
class ServedModel final : public infer::Model {
 public:
  ServedModel(std::unique_ptr<TrainedModel> model, const infer::InferOptions& options)
      : model_(std::move(model)),
        facts_(facts_of(*model_, options)),
        instances_(options.instances) {}

  [[nodiscard]] const infer::ModelFacts& facts() const override { return facts_; }
  [[nodiscard]] int instances() const override { return instances_; }

  [[nodiscard]] Result<infer::Sample> text_sample(std::string_view text) const override {
    TACHO_TRY(tokens, model_->tokens(text));
    return infer::Sample{.tokens = std::move(tokens)};
  }
  [[nodiscard]] Result<infer::Sample> image_sample(
      std::span<const std::uint8_t> bytes) const override {
    TACHO_TRY(pixels, model_->pixels(bytes));
    return infer::Sample{.pixels = std::move(pixels)};
  }

  Result<void> begin(int instance) override { return model_->begin(instance); }

  Result<std::vector<infer::Prediction>> predict(
      int instance, std::span<const infer::Sample* const> batch) override {
    std::vector<TrainedModel::Tokens> texts;
    std::vector<TrainedModel::Pixels> images;
    const bool is_text = facts_.input == InputKind::text;
    for (const infer::Sample* sample : batch) {
      if (is_text) {
        texts.emplace_back(sample->tokens);
      } else {
        images.emplace_back(sample->pixels);
      }
    }
    TACHO_TRY(shares,
              is_text ? model_->of_texts(instance, texts) : model_->of_images(instance, images));
    std::vector<infer::Prediction> predictions;
    predictions.reserve(shares.size());
    for (TrainedModel::Shares& share : shares) predictions.push_back({std::move(share)});
    return predictions;
  }

 private:
  std::unique_ptr<TrainedModel> model_;
  infer::ModelFacts facts_;
  int instances_;
};

struct Prepared {
  ServingOptions serving;
  std::filesystem::path home;  // "": none
};

Result<Prepared> prepare(const infer::InferOptions& options) {
  if (options.device == Device::cuda && cuda_device_count() == 0) {
    return Error{ErrorCode::unavailable,
                 "torch sees no CUDA device; build with the cuda preset on a machine with a GPU, "
                 "or use --device cpu"};
  }
  const auto home = tacho_home();
  const Host host = read_host();
  ServingOptions serving{.checkpoint = options.checkpoint,
                         .device = options.device,
                         .precision = options.precision,
                         .threads = options.threads.value_or(static_cast<int>(
                             std::max<std::int64_t>(1, host.cores / options.instances))),
                         .max_words = static_cast<std::int64_t>(options.max_words),
                         .max_batch = static_cast<std::int64_t>(options.max_batch),
                         .max_pixels = options.max_megapixels * 1'000'000};
  CpuRequest request{.threads = serving.threads, .device = options.device, .cpu = host.cpu};
  if (home.ok()) request.cache_file = *home / "cache" / "cpu-paths.json";
  TACHO_TRY(paths, choose_cpu_paths(request));
  serving.paths = paths;
  return Prepared{serving, home.ok() ? *home : std::filesystem::path()};
}

Result<std::unique_ptr<infer::Model>> load(const RunFolder& folder,
                                           const infer::InferOptions& options) {
  TACHO_TRY(prepared, prepare(options));
  TACHO_TRY(model, is_weights_folder(folder.path())
                       ? TrainedModel::load_folder(folder.path(), prepared.serving)
                       : TrainedModel::load(folder, prepared.home, prepared.serving));
  return std::unique_ptr<infer::Model>(std::make_unique<ServedModel>(std::move(model), options));
}

Result<std::unique_ptr<infer::LanguageModel>> load_language_model(
    const RunFolder& folder, const infer::InferOptions& options) {
  if (is_weights_folder(folder.path())) {
    return Error{ErrorCode::usage,
                 "a folder of weights with a language model cannot be served; serve a run of "
                 "'tacho train'"};
  }
  TACHO_TRY(prepared, prepare(options));
  TACHO_TRY(generator, TextGenerator::load(folder, options.checkpoint, options.device,
                                           prepared.serving.paths));
  return std::unique_ptr<infer::LanguageModel>(std::make_unique<ServedLanguageModel>(
      std::move(generator), options, prepared.serving.threads));
}

Result<std::string> model_in(const RunFolder& folder) {
  if (is_weights_folder(folder.path())) {
    TACHO_TRY(weights, read_weights_folder(folder.path()));
    return weights.model;
  }
  TACHO_TRY(order, order_to_serve(folder));
  return order.spec.model;
}

void log_line(const std::string& line) { fmt::print(stderr, "tacho-worker: {}\n", line); }

Result<void> serve(const RunFolder& folder, std::span<const std::string> words) {
  TACHO_TRY(options, infer::parse_infer_options(words));
  TACHO_CHECK(infer::check_cache(options));
  TACHO_TRY(name, model_in(folder));
  TACHO_TRY(info, find_model(name));
  TACHO_CHECK(infer::check(options, info->input));
  TACHO_TRY(server, infer::InferServer::start(options, info->input, log_line));
  std::string id;
  if (info->input == InputKind::documents) {
    TACHO_TRY(model, load_language_model(folder, options));
    id = infer::model_id(model->facts());
    TACHO_CHECK(server->serve(std::move(model)));
  } else {
    TACHO_TRY(model, load(folder, options));
    id = infer::model_id(model->facts());
    TACHO_CHECK(server->serve(std::move(model)));
  }
  report_started("port", server->port());
  fmt::print("serving {} on {}\n", id, server->url());
  std::fflush(stdout);
  while (!stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  server->stop();
  return {};
}

}  // namespace

int infer_from(const std::filesystem::path& folder, std::span<const std::string> words) {
  take_start_report();
  catch_interrupts();
  outlive_readers();  // OpenSSL may write to closed connections
  tune_process();
  const YieldingWaits yielding;
  const auto served = serve(RunFolder(folder), words);
  const int code = interrupted_exit_code();
  if (served.ok()) return code == 128 + SIGINT ? code : 0;
  report_start_error(served.error());
  fmt::print(stderr, "tacho-worker: {}\n", served.error().message);
  return kCannotStart;
}

}  // namespace tacho
