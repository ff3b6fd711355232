#include "training/data/fetch/image_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "training/data/image_file.h"
#include "training/data/image_folder.h"

namespace tacho {
namespace {

// An image with its number among those of its part and class.
struct RankedImage {
  PlacedImage image;
  std::int64_t label = 0;
  std::int64_t number = 0;
};

Error wrong_image_count(const ImageSource& source, std::int64_t count, std::string_view of_what,
                        std::int64_t expected) {
  return source.bad(fmt::format("{} {}, expected {}; to prepare only a part, add --subset", count,
                                of_what, expected));
}

Result<void> check_plan(const DatasetInfo& info, const ImageSource& source,
                        const std::vector<ClassLine>& classes) {
  const SampleTotals totals = totals_of(classes);
  if (totals.train == 0) return source.bad("contains no images in train/CLASS");
  if (totals.eval == 0) {
    return source.bad("contains no images in val/CLASS, valid/CLASS or test/CLASS");
  }
  const auto count = static_cast<std::int64_t>(classes.size());
  if (count > image_format::kMaxClasses) {
    return source.bad(
        fmt::format("{} classes, at most {} are allowed", count, image_format::kMaxClasses));
  }
  if (info.classes > 0 && count != info.classes) {
    return wrong_image_count(source, count, "classes", info.classes);
  }
  const std::int64_t of_each = info.classes > 0 ? info.train_images / info.classes : 0;
  for (const ClassLine& row : classes) {
    if (of_each > 0 && row.train != of_each) {
      return wrong_image_count(source, row.train, "training images of " + row.name, of_each);
    }
  }
  if (info.eval_images > 0 && totals.eval != info.eval_images) {
    return wrong_image_count(source, totals.eval, "evaluation images", info.eval_images);
  }
  return {};
}

// Returns the classes of the training part, sorted by name, without counts.
std::vector<ClassLine> classes_of(const std::vector<PlacedImage>& images) {
  std::set<std::string_view> names;
  for (const PlacedImage& image : images) {
    if (image.part == ImagePart::train) names.insert(image.class_name);
  }
  std::vector<ClassLine> classes;
  for (const std::string_view name : names) classes.push_back({.name = std::string(name)});
  return classes;
}

}  // namespace

Result<ImagePlan> ImagePlan::make(const DatasetInfo& info, const ImageSource& source,
                                  std::vector<PlacedImage> images) {
  ImagePlan plan;
  plan.classes_ = classes_of(images);
  std::sort(images.begin(), images.end(),
            [](const PlacedImage& a, const PlacedImage& b) { return a.file < b.file; });
  std::vector<RankedImage> ranked;
  ranked.reserve(images.size());
  for (PlacedImage& image : images) {
    const auto at = std::lower_bound(
        plan.classes_.begin(), plan.classes_.end(), image.class_name,
        [](const ClassLine& row, const std::string& name) { return row.name < name; });
    if (at == plan.classes_.end() || at->name != image.class_name) {
      return source.bad(image.file, fmt::format("there is no class {} in train", image.class_name));
    }
    if (image.class_name.find('\n') != std::string::npos) {
      return source.bad(image.file, "the name of a class must not contain a line end");
    }
    const std::int64_t number = image.part == ImagePart::train ? at->train++ : at->eval++;
    ranked.push_back({std::move(image), at - plan.classes_.begin(), number});
  }
  TACHO_CHECK(check_plan(info, source, plan.classes_));
  std::sort(ranked.begin(), ranked.end(), [](const RankedImage& a, const RankedImage& b) {
    return std::tie(a.number, a.label) < std::tie(b.number, b.label);
  });
  for (RankedImage& one : ranked) {
    std::vector<std::int64_t>& labels = plan.labels_[one.image.part];
    const Slot slot{one.image.part, static_cast<std::int64_t>(labels.size())};
    labels.push_back(one.label);
    const auto [at, is_new] = plan.slots_.emplace(std::move(one.image.file), slot);
    if (!is_new) return source.bad(at->first, "occurs twice");
  }
  return plan;
}

const ImagePlan::Slot* ImagePlan::slot_of(std::string_view file) const {
  const auto at = slots_.find(std::string(file));
  return at == slots_.end() ? nullptr : &at->second;
}

}  // namespace tacho
