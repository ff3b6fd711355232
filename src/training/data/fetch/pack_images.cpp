#include "training/data/fetch/pack_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "training/data/image_file_writer.h"
#include "training/image/image_loader.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kLargestSmallImage{16 << 20};

// Decodes images of one size to bytes.
class PixelReader {
 public:
  explicit PixelReader(int side)
      : side_(side), levels_(3UL * side * side), pixels_(levels_.size()) {}

  // Returns 3 x side x side pixels, valid until the next call.
  Result<std::span<const std::uint8_t>> read(std::string_view encoded) {
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(encoded.data()), encoded.size());
    TACHO_TRY(size, image_size(bytes));
    if (size.width != side_ || size.height != side_) {
      return Error{ErrorCode::invalid, fmt::format("{} x {} pixels, expected {} x {}", size.width,
                                                   size.height, side_, side_)};
    }
    TACHO_CHECK(loader_.load(bytes, Augmentation::evaluation(), 0,
                             {.pixels = levels_.data(), .height = side_, .width = side_}));
    for (std::size_t i = 0; i < pixels_.size(); ++i) {
      pixels_[i] = static_cast<std::uint8_t>(std::clamp(levels_[i] + 0.5F, 0.0F, 255.0F));
    }
    return std::span<const std::uint8_t>(pixels_);
  }

 private:
  int side_;
  // Keeps levels of 0 to 255.
  ImageLoader loader_{{{0, 0, 0}, {1.0F / 255, 1.0F / 255, 1.0F / 255}}};
  std::vector<float> levels_;
  std::vector<std::uint8_t> pixels_;
};

fs::path file_of(ImagePart part, const fs::path& folder) {
  return folder / (part == ImagePart::train ? kTrainImages : kEvalImages);
}

Result<ImageFileWriter> begin_part(ImagePart part, const fs::path& folder, std::int64_t side,
                                   std::span<const ClassLine> classes,
                                   std::span<const std::int64_t> labels) {
  ImageFileHeader header{.channels = 3, .height = side, .width = side};
  for (const ClassLine& row : classes) header.classes.push_back(row.name);
  return ImageFileWriter::create(file_of(part, folder), std::move(header), labels);
}

// Returns the images in the order in which their classes alternate.
std::vector<std::size_t> alternating(std::span<const std::int64_t> labels) {
  std::map<std::int64_t, std::int64_t> seen;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> order;
  for (std::size_t i = 0; i < labels.size(); ++i) order[{seen[labels[i]]++, labels[i]}] = i;
  std::vector<std::size_t> images;
  for (const auto& [place, image] : order) images.push_back(image);
  return images;
}

Result<void> write_set(ImagePart part, const ImageSet& set, std::span<const ClassLine> classes,
                       const fs::path& folder, const Watch& watch) {
  const std::vector<std::size_t> order = alternating(set.labels);
  std::vector<std::int64_t> labels;
  for (const std::size_t image : order) labels.push_back(set.labels[image]);
  TACHO_TRY(writer, begin_part(part, folder, set.height, classes, labels));
  const auto size = static_cast<std::size_t>(set.channels * set.height * set.width);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (watch.should_stop()) return stopped_before_writing();
    TACHO_CHECK(
        writer.put(static_cast<std::int64_t>(i), set.all_pixels().subspan(order[i] * size, size)));
  }
  return writer.finish();
}

}  // namespace

Result<void> pack_images(const DatasetInfo& info, const ImageSource& source, const ImagePlan& plan,
                         const fs::path& folder, const Watch& watch) {
  TACHO_TRY(train, begin_part(ImagePart::train, folder, info.side, plan.classes(),
                              plan.labels(ImagePart::train)));
  TACHO_TRY(eval, begin_part(ImagePart::eval, folder, info.side, plan.classes(),
                             plan.labels(ImagePart::eval)));
  PixelReader pixels(static_cast<int>(info.side));
  TACHO_TRY(reader, source.open());
  while (true) {
    TACHO_TRY(more, reader->next());
    if (!more) break;
    if (watch.should_stop()) return stopped_before_writing();
    if (const ImagePlan::Slot* slot = plan.slot_of(reader->path()); slot != nullptr) {
      TACHO_TRY(encoded, reader->content(kLargestSmallImage));
      const auto decoded = pixels.read(encoded);
      if (!decoded.ok()) return reader->bad(decoded.error().message);
      TACHO_CHECK((slot->part == ImagePart::train ? train : eval).put(slot->index, *decoded));
    }
    watch.tell(reader->progress());
  }
  TACHO_CHECK(train.finish());
  return eval.finish();
}

Result<void> write_images(const DatasetInfo& info, const ImageData& data, const fs::path& folder,
                          const Watch& watch) {
  std::int64_t count = info.classes;  // 0: any
  for (const ImageSet* set : {&data.train, &data.eval}) {
    for (const std::int64_t label : set->labels) count = std::max(count, label + 1);
  }
  std::vector<ClassLine> classes(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < classes.size(); ++i) {
    classes[i].name = i < info.labels.size() ? std::string(info.labels[i]) : std::to_string(i);
  }
  for (const std::int64_t label : data.train.labels)
    ++classes[static_cast<std::size_t>(label)].train;
  for (const std::int64_t label : data.eval.labels) ++classes[static_cast<std::size_t>(label)].eval;
  TACHO_CHECK(write_set(ImagePart::train, data.train, classes, folder, watch));
  TACHO_CHECK(write_set(ImagePart::eval, data.eval, classes, folder, watch));
  return write_class_table(folder, classes);
}

}  // namespace tacho
