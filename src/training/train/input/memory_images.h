#pragma once

#include "training/data/image_data.h"
#include "training/image/padded_crop.h"
#include "training/train/input/batch_format.h"
#include "training/train/input/sample_set.h"

namespace tacho {

// Images of one size, in memory or in a mapped file; bytes are normalised when a batch is made.
class MemoryImages final : public SampleSet {
 public:
  struct Options {
    std::int64_t batch = 1;
    SampleOrder order = SampleOrder::given;
    std::int64_t seed = 0;
    Normalisation normalisation = {};
    PaddedCrop augmentation = {};
    bool trivial_augment = false;  // before the crop
    double erase = 0;              // probability of an erased part
    BatchFormat format = {};
  };

  MemoryImages(ImageSet images, const Options& options)
      : images_(std::move(images)), options_(options) {}

  [[nodiscard]] std::int64_t samples() const override { return images_.count; }
  [[nodiscard]] BatchPlan plan(std::int64_t epoch) const override;
  [[nodiscard]] std::int64_t slice() const override { return options_.batch; }
  void lay_out(Chosen chosen, Batch& batch) const override;
  Result<void> fill(Chosen chosen, std::int64_t epoch, std::int64_t from, std::int64_t to,
                    Batch& batch) const override;

 private:
  ImageSet images_;
  Options options_;
};

// Statistics per channel of these images.
Normalisation measure(const ImageSet& images);

}  // namespace tacho
