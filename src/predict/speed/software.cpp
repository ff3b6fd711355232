#include "predict/speed/software.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "core/record/classifier_catalog.h"
#include "predict/speed/model_name.h"

namespace tacho {
namespace {

// The most recent release of plain PyTorch that was measured on many GPUs. No figures with
// torch.compile are published, so its intervals are those of new software.
constexpr std::string_view kPlainPyTorch = "PyTorch NGC 22.09-23.x (NVIDIA DLE scripts)";

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kSoftware = {
    {{"tacho", kUsualFramework},
     {"pytorch", kPlainPyTorch},
     {"pytorch-compile", "PyTorch (compile)"}}};

}  // namespace

std::string framework_of(std::string_view software) {
  for (const auto& [word, framework] : kSoftware) {
    const auto same = [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) == b;
    };
    if (std::ranges::equal(software, word, same)) return std::string(framework);
  }
  return std::string(software);
}

std::string software_of(std::string_view framework) {
  for (const auto& [word, name] : kSoftware) {
    if (name == framework) return std::string(word);
  }
  return std::string(framework);
}

std::vector<std::string_view> software_words() {
  std::vector<std::string_view> words;
  for (const auto& [word, framework] : kSoftware) words.push_back(word);
  return words;
}

bool is_tacho(std::string_view framework) { return framework == kUsualFramework; }

std::string own_model_of(std::string_view model) {
  const std::string canonical = model_name(model).canonical;
  for (const ModelInfo& own : classifier_catalog()) {
    if (own.name == model || model_name(own.name).canonical == canonical) {
      return std::string(own.name);
    }
  }
  return "";
}

TrainingJob with_software(TrainingJob job) {
  job.framework = job.framework.empty()
                      ? framework_of(own_model_of(job.model).empty() ? "pytorch" : "tacho")
                      : framework_of(job.framework);
  return job;
}

}  // namespace tacho
