#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/enum_array.h"
#include "base/result.h"
#include "training/data/catalog.h"
#include "training/data/fetch/class_table.h"
#include "training/data/fetch/image_source.h"

namespace tacho {

enum class ImagePart { train, eval };

// An image file of a source, and what it belongs to.
struct PlacedImage {
  std::string file;
  ImagePart part = ImagePart::train;
  std::string class_name;
};

// The order of the images in the prepared files. Labels number the classes, sorted by name. The
// classes alternate, so that the first thousand images contain all of them.
class ImagePlan {
 public:
  // The classes are those of the training part. Counts must match those of `info`, if it has any.
  static Result<ImagePlan> make(const DatasetInfo& info, const ImageSource& source,
                                std::vector<PlacedImage> images);

  struct Slot {
    ImagePart part;
    std::int64_t index;
  };
  // Returns nothing for a file that is not an image of the dataset.
  [[nodiscard]] const Slot* slot_of(std::string_view file) const;
  [[nodiscard]] const std::vector<std::int64_t>& labels(ImagePart part) const {
    return labels_[part];
  }
  [[nodiscard]] const std::vector<ClassLine>& classes() const { return classes_; }

 private:
  std::vector<ClassLine> classes_;  // without words
  std::unordered_map<std::string, Slot> slots_;
  EnumArray<ImagePart, std::vector<std::int64_t>, 2> labels_;
};

}  // namespace tacho
