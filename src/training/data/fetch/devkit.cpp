#include "training/data/fetch/devkit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "training/data/fetch/archive.h"
#include "training/data/fetch/table_text.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMetaFile = "meta.mat";
constexpr std::string_view kTruthFile = "ILSVRC2012_validation_ground_truth.txt";
constexpr Bytes kLargestDevkitFile{64 << 20};

// The counts of training images are only used if they match the published archive.
void forget_other_counts(std::vector<Synset>& classes, std::int64_t published) {
  std::int64_t sum = 0;
  for (const Synset& synset : classes) sum += synset.train_images.value_or(0);
  if (published == 0 || sum == published) return;
  for (Synset& synset : classes) synset.train_images.reset();
}

}  // namespace

Result<std::vector<Synset>> classes_among(std::vector<Synset> synsets, std::int64_t count) {
  std::erase_if(synsets, [count](const Synset& synset) {
    return synset.children > 0 || (count > 0 && synset.number > count);
  });
  if (synsets.empty() || (count > 0 && static_cast<std::int64_t>(synsets.size()) != count)) {
    return Error{ErrorCode::invalid, fmt::format("{} classes, expected {}", synsets.size(),
                                                 count > 0 ? std::to_string(count) : "some")};
  }
  std::sort(synsets.begin(), synsets.end(),
            [](const Synset& a, const Synset& b) { return a.number < b.number; });
  std::set<std::string_view> ids;
  for (std::size_t i = 0; i < synsets.size(); ++i) {
    if (synsets[i].number != static_cast<std::int64_t>(i) + 1) {
      return Error{ErrorCode::invalid, fmt::format("no class has the ILSVRC2012_ID {}", i + 1)};
    }
    if (!ids.insert(synsets[i].id).second) {
      return Error{ErrorCode::invalid, fmt::format("{} occurs twice", synsets[i].id)};
    }
  }
  return synsets;
}

Result<std::vector<std::size_t>> parse_ground_truth(std::string_view text, std::size_t classes) {
  std::vector<std::size_t> answers;
  TACHO_CHECK(each_line(text, [&](std::string_view line) -> Result<void> {
    TACHO_TRY(number, parse_count(line));
    if (number < 1 || static_cast<std::size_t>(number) > classes) {
      return Error{ErrorCode::invalid,
                   fmt::format("{} is not a class (expected 1 to {})", number, classes)};
    }
    answers.push_back(static_cast<std::size_t>(number) - 1);
    return {};
  }));
  if (answers.empty()) return Error{ErrorCode::invalid, "contains no class"};
  return answers;
}

Result<Devkit> read_devkit(const fs::path& archive, const DatasetInfo& info) {
  const fs::path folder = "ILSVRC2012_devkit_t12/data";
  const std::array paths = {folder / kMetaFile, folder / kTruthFile};
  const ScratchFolder scratch;
  TACHO_CHECK(extract(archive, paths, scratch.path(), kLargestDevkitFile));
  const auto at = [&](std::string_view file) {
    return fmt::format("{}: {}", archive.string(), (folder / file).string());
  };
  TACHO_TRY(synsets, read_meta_mat(scratch.path() / kMetaFile).in(at(kMetaFile)));
  TACHO_TRY(classes, classes_among(std::move(synsets), info.classes).in(at(kMetaFile)));
  forget_other_counts(classes, info.train_images);
  TACHO_TRY(text, read_file(scratch.path() / kTruthFile));
  TACHO_TRY(answers, parse_ground_truth(text, classes.size()).in(at(kTruthFile)));
  const auto count = static_cast<std::int64_t>(answers.size());
  if (info.eval_images > 0 && count != info.eval_images) {
    return Error{ErrorCode::invalid,
                 fmt::format("{}: {} lines, expected {}", at(kTruthFile), count, info.eval_images)};
  }
  return Devkit{std::move(classes), std::move(answers)};
}

}  // namespace tacho
