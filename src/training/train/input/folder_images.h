#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "training/data/image_folder.h"
#include "training/image/image_loader.h"
#include "training/train/input/batch_format.h"
#include "training/train/input/sample_set.h"

namespace tacho {

// JPEG and PNG files, decoded when a batch is made. An unreadable file is reported and replaced by
// the next one in the list; more than a few are an error.
class FolderImages final : public SampleSet {
 public:
  struct Options {
    InputShape shape;  // images are cropped and resized to it
    std::int64_t batch = 1;
    SampleOrder order = SampleOrder::given;
    std::int64_t seed = 0;
    Normalisation normalisation = kImageNetNormalisation;
    Augmentation augmentation = Augmentation::evaluation();
    double erase = 0;  // probability of an erased part
    BatchFormat format = {};
  };

  FolderImages(ImageList list, const Options& options);

  [[nodiscard]] std::int64_t samples() const override {
    return static_cast<std::int64_t>(list_.files.size());
  }
  [[nodiscard]] BatchPlan plan(std::int64_t epoch) const override;
  // A few milliseconds of decoding: several threads finish a batch together.
  [[nodiscard]] std::int64_t slice() const override { return 8; }
  void lay_out(Chosen chosen, Batch& batch) const override;
  Result<void> fill(Chosen chosen, std::int64_t epoch, std::int64_t from, std::int64_t to,
                    Batch& batch) const override;
  [[nodiscard]] std::vector<std::string> take_notes() const override;

 private:
  Result<void> load(ImageLoader& loader, std::int64_t sample, std::int64_t epoch,
                    const PixelTarget& target, std::int64_t& label) const;
  Result<void> pass_over(std::int64_t sample, const Error& why) const;

  ImageList list_;
  Options options_;
  mutable std::mutex mutex_;                                   // guards the members below
  mutable std::vector<std::unique_ptr<ImageLoader>> loaders_;  // not in use by a thread
  mutable std::set<std::int64_t> unreadable_;
  mutable std::vector<std::string> notes_;
};

}  // namespace tacho
