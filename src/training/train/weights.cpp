#include "training/train/weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "base/confined_file.h"
#include "training/train/safetensors.h"
#include "training/weights/open_weights.h"
#include "training/weights/tensor_names.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

std::string shape_text(at::IntArrayRef shape) {
  return shape.empty() ? "a single number" : fmt::format("{}", fmt::join(shape, "x"));
}

// Old torchvision files lack the count of batches.
bool may_be_missing(std::string_view name) { return name.ends_with("num_batches_tracked"); }

// A tensor of a file that has the name of one of the model.
struct Found {
  const WeightsFile* file;
  const StoredTensor* stored;
};

bool is_checkpoint(std::span<const WeightsFile> files) {
  return std::ranges::any_of(files, [](const WeightsFile& file) {
    return std::ranges::any_of(
        file.tensors, [](const StoredTensor& tensor) { return tensor.name == "random.cpu"; });
  });
}

// Tensors by the model's names.
Result<std::map<std::string, Found>> by_model_name(std::span<const WeightsFile> files,
                                                   const std::set<std::string>& in_model) {
  constexpr std::string_view kPrefix = "model.";  // in a checkpoint of Tacho
  const bool checkpoint = is_checkpoint(files);
  std::map<std::string, Found> found;
  for (const WeightsFile& file : files) {
    for (const StoredTensor& stored : file.tensors) {
      std::string name = stored.name;
      if (checkpoint && !name.starts_with(kPrefix)) continue;
      if (checkpoint) name.erase(0, kPrefix.size());
      name = model_tensor_name(name, in_model);
      if (name.empty() || found.emplace(name, Found{&file, &stored}).second) continue;
      return Error{ErrorCode::invalid,
                   fmt::format("'{}' occurs twice, the second time as '{}'", name, stored.name)};
    }
  }
  return found;
}

struct Pairing {
  std::vector<std::pair<at::Tensor, Found>> copies;  // the model's, the file's
  std::vector<std::string> missing;
  std::vector<std::string> unexpected;
  std::vector<std::string> other_heads;
  std::vector<std::string> misfits;  // names with the mismatch
  std::vector<std::string> misfit_names;
};

std::string misfit(const at::Tensor& wanted, const StoredTensor& found) {
  if (wanted.sizes() != at::IntArrayRef(found.shape)) {
    return fmt::format("{} in the file, {} in the model", shape_text(found.shape),
                       shape_text(wanted.sizes()));
  }
  const at::ScalarType type = scalar_type(found);
  if (wanted.is_floating_point() != at::isFloatingType(type)) {
    return fmt::format("{} in the file", c10::toString(type));
  }
  return "";
}

Result<Pairing> pair_up(const NamedTensors& state, std::span<const WeightsFile> files) {
  std::set<std::string> in_model;
  for (const auto& [name, tensor] : state) in_model.insert(name);
  TACHO_TRY(found, by_model_name(files, in_model));
  Pairing pairing;
  for (const auto& [name, tensor] : state) {
    auto at = found.extract(name);
    if (at.empty()) {
      if (!may_be_missing(name)) pairing.missing.push_back(name);
    } else if (auto wrong = misfit(tensor, *at.mapped().stored); !wrong.empty()) {
      pairing.misfits.push_back(fmt::format("{} ({})", name, wrong));
      pairing.misfit_names.push_back(name);
    } else {
      pairing.copies.emplace_back(tensor, at.mapped());
    }
  }
  for (const auto& [name, tensor] : found) {
    (is_other_head(name) ? pairing.other_heads : pairing.unexpected).push_back(name);
  }
  return pairing;
}

// Word pieces are numbered by their vocabulary: with another one, all other weights are useless.
Result<void> check_vocabulary(const fs::path& path, const Pairing& pairing) {
  constexpr std::array<std::string_view, 3> kEmbeddings = {"word_embeddings.weight (",
                                                           "wte.weight (", "embed_tokens.weight ("};
  for (const std::string& misfit : pairing.misfits) {
    const bool words = std::ranges::any_of(kEmbeddings, [&](std::string_view embedding) {
      return misfit.find(embedding) != std::string::npos;
    });
    if (!words) continue;
    return Error{ErrorCode::invalid,
                 fmt::format("{}: its vocabulary is not this run's: {}; give the "
                             "vocabulary that belongs to the weights with --vocab",
                             path.string(), misfit)};
  }
  return {};
}

Error mismatch(const fs::path& file, const Pairing& pairing) {
  std::vector<std::string> complaints;
  const auto complain = [&complaints](const char* what, const std::vector<std::string>& names) {
    if (!names.empty()) complaints.push_back(fmt::format("{} {}", what, first_few(names)));
  };
  complain("missing", pairing.missing);
  complain("unexpected", pairing.unexpected);
  complain("does not fit:", pairing.misfits);
  return {
      ErrorCode::invalid,
      fmt::format(
          "{}: not this model's weights: {}; use --weights-partial of 'tacho train' to load what "
          "fits",
          file.string(), fmt::join(complaints, "; "))};
}

}  // namespace

NamedTensors model_state(const torch::nn::Module& model) {
  NamedTensors tensors;
  for (const auto& item : model.named_parameters()) tensors.emplace_back(item.key(), item.value());
  for (const auto& item : model.named_buffers()) tensors.emplace_back(item.key(), item.value());
  return tensors;
}

Result<LoadedWeights> load_weights(torch::nn::Module& model, std::span<const WeightsFile> files,
                                   const fs::path& path, WeightsMatch match) {
  TACHO_TRY(pairing, pair_up(model_state(model), files).in(path.string()));
  TACHO_CHECK(check_vocabulary(path, pairing));
  const bool fits =
      pairing.missing.empty() && pairing.unexpected.empty() && pairing.misfits.empty();
  if (match == WeightsMatch::exact && !fits) return mismatch(path, pairing);
  if (pairing.copies.empty()) {
    return Error{ErrorCode::invalid,
                 fmt::format("{}: none of its tensors belongs to the model", path.string())};
  }
  const torch::NoGradGuard no_grad;
  for (const auto& [wanted, found] : pairing.copies) {
    TACHO_TRY(tensor, read_tensor(found.file->file, *found.stored));
    wanted.detach().copy_(tensor);
  }
  LoadedWeights loaded{std::move(pairing.missing), std::move(pairing.unexpected)};
  loaded.as_drawn.insert(loaded.as_drawn.end(), pairing.misfit_names.begin(),
                         pairing.misfit_names.end());
  loaded.unused.insert(loaded.unused.end(), pairing.other_heads.begin(), pairing.other_heads.end());
  return loaded;
}

Result<LoadedWeights> load_weights(torch::nn::Module& model, const fs::path& path,
                                   WeightsMatch match) {
  TACHO_TRY(files, open_weights(path));
  return load_weights(model, files, path, match);
}

Result<void> load_checkpoint(torch::nn::Module& model, const fs::path& checkpoint) {
  TACHO_TRY(fd, open_confined(checkpoint.parent_path(), checkpoint.filename()));
  TACHO_TRY(file, InputFile::take(std::move(fd), checkpoint));
  TACHO_TRY(tensors, read_safetensors_index(file));
  const std::array files = {WeightsFile{std::move(file), std::move(tensors)}};
  TACHO_TRY(loaded, load_weights(model, files, checkpoint, WeightsMatch::exact));
  (void)loaded;
  return {};
}

Result<void> save_weights(const torch::nn::Module& model, const fs::path& file) {
  return write_safetensors(file, {model_state(model), {{"format", "pt"}}});
}

std::string first_few(const std::vector<std::string>& names) {
  constexpr std::size_t kFew = 5;
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(kFew, names.size()));
  std::string text = fmt::format("{}", fmt::join(names.begin(), end, ", "));
  if (names.size() > kFew) text += fmt::format(" and {} more", names.size() - kFew);
  return text;
}

}  // namespace tacho
