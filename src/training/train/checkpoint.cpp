#include "training/train/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "base/file.h"
#include "training/train/safetensors.h"
#include "training/train/weights.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScaling = "scaling.";
constexpr const char* kOthers = "training.";
constexpr const char* kCpuRandom = "random.cpu";
constexpr const char* kDeviceRandom = "random.device";

// Removes older checkpoints and leftovers of a worker that was killed while writing one.
void remove_others(const fs::path& folder, const std::vector<std::string>& kept) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const bool keeps = std::ranges::find(kept, entry.path().filename().string()) != kept.end();
    if (!keeps) fs::remove(entry.path(), ignored);
  }
}

// The weights come from the optimizer, which keeps them in fp32 while the model computes in 16
// bits.
Optimizer::Named model_state(const torch::nn::Module& model, const Optimizer& optimizer) {
  Optimizer::Named tensors = optimizer.weights();
  for (const auto& item : model.named_buffers()) tensors.emplace_back(item.key(), item.value());
  return tensors;
}

template <class Number>
Result<Number> number(const TensorFile& file, const std::string& key) {
  const auto at = file.metadata.find(key);
  Number value = 0;
  if (at == file.metadata.end())
    return Error{ErrorCode::invalid, "its metadata lacks '" + key + "'"};
  const char* end = at->second.data() + at->second.size();
  if (std::from_chars(at->second.data(), end, value).ptr != end || value < 0) {
    return Error{ErrorCode::invalid, "'" + key + "' is not a number"};
  }
  return value;
}

Result<void> copy_all(const Optimizer::Named& into, const std::string& prefix,
                      const TensorFile& file) {
  for (const auto& [name, tensor] : into) {
    const at::Tensor* saved = file.find(prefix + name);
    if (saved == nullptr) return Error{ErrorCode::invalid, "'" + prefix + name + "' is missing"};
    if (saved->sizes() != tensor.sizes()) {
      return Error{ErrorCode::invalid, fmt::format("'{}{}' has a different shape", prefix, name)};
    }
    tensor.detach().copy_(*saved);
  }
  return {};
}

}  // namespace

Result<WrittenCheckpoint> Checkpoints::save(const Progress& progress) {
  TensorFile file;
  file.metadata = {{"format", "pt"},
                   {"epochs", std::to_string(progress.epochs)},
                   {"steps", std::to_string(progress.steps)},
                   {"updates", std::to_string(optimizer_.steps())},
                   {"top1", fmt::format("{}", progress.top1)},
                   {kBestEpochKey, std::to_string(progress.best.epoch)},
                   {"best", fmt::format("{}", progress.best.value)}};
  for (auto& [name, tensor] : model_state(model_, optimizer_))
    file.tensors.emplace_back("model." + name, tensor);
  for (auto& [name, tensor] : optimizer_.state()) {
    file.tensors.emplace_back("optimizer." + name, tensor);
  }
  for (auto& [name, tensor] : optimizer_.scaling()) {
    file.tensors.emplace_back(kScaling + name, tensor);
  }
  for (auto& [name, tensor] : others_) file.tensors.emplace_back(kOthers + name, tensor);
  file.tensors.emplace_back(kCpuRandom, torch_api::default_generator(at::kCPU).get_state());
  if (device_.is_cuda()) {
    file.tensors.emplace_back(kDeviceRandom, torch_api::default_generator(at::kCUDA).get_state());
  }

  TACHO_CHECK(make_folders(folder_.checkpoints()));
  const fs::path path = folder_.checkpoints() / checkpoint_name(progress.epochs);
  TACHO_CHECK(write_safetensors(path, file).in("checkpoint"));
  std::vector<std::string> kept = {checkpoint_name(progress.epochs)};
  if (keep_ == CheckpointKind::best) kept.push_back(checkpoint_name(progress.best.epoch));
  remove_others(folder_.checkpoints(), kept);
  std::error_code ignored;
  return WrittenCheckpoint{fs::relative(path, folder_.path()).string(),
                           Bytes{static_cast<std::int64_t>(fs::file_size(path, ignored))}};
}

Result<std::optional<Progress>> Checkpoints::load_newest() {
  const auto newest = newest_checkpoint(folder_);
  if (!newest) return std::optional<Progress>{};
  const fs::path& path = *newest;
  TACHO_TRY(file, read_safetensors(path));
  const torch::NoGradGuard no_grad;
  const auto restore = [&]() -> Result<std::optional<Progress>> {
    Progress progress;
    TACHO_TRY(epochs, number<std::int64_t>(file, "epochs"));
    TACHO_TRY(steps, number<std::int64_t>(file, "steps"));
    TACHO_TRY(top1, number<double>(file, "top1"));
    progress = {epochs, steps, top1};
    // Missing in older checkpoints: the next epoch is then the best so far.
    if (file.metadata.contains(kBestEpochKey)) {
      TACHO_TRY(best_epoch, number<std::int64_t>(file, kBestEpochKey));
      TACHO_TRY(best, number<double>(file, "best"));
      progress.best = {best_epoch, best};
    }
    TACHO_CHECK(copy_all(others_, kOthers, file));
    TACHO_CHECK(copy_all(model_state(model_, optimizer_), "model.", file));
    TACHO_CHECK(copy_all(optimizer_.state(), "optimizer.", file));
    // Missing in older checkpoints; without it the scale adapts again.
    if (file.find(std::string(kScaling) + "loss_scale") != nullptr) {
      TACHO_CHECK(copy_all(optimizer_.scaling(), kScaling, file));
    }
    // Fewer than steps if gradients are accumulated over several batches; missing in older
    // checkpoints.
    if (file.metadata.contains("updates")) {
      TACHO_TRY(updates, number<std::int64_t>(file, "updates"));
      optimizer_.restore_steps(updates);
    } else {
      optimizer_.restore_steps(steps);
    }
    optimizer_.give_weights_to_model();
    if (const at::Tensor* state = file.find(kCpuRandom)) {
      auto generator = torch_api::default_generator(at::kCPU);
      generator.set_state(*state);
    }
    if (const at::Tensor* state = file.find(kDeviceRandom); state != nullptr && device_.is_cuda()) {
      auto generator = torch_api::default_generator(at::kCUDA);
      generator.set_state(*state);
    }
    return std::optional<Progress>(progress);
  };
  return restore().in(path.string());
}

}  // namespace tacho
