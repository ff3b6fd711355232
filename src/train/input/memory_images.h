#pragma once

#include "data/image_data.h"
#include "train/input/sample_set.h"

namespace tacho {

enum class SampleOrder { given, shuffled };

// Images that fit in memory, bytes turned into normalised floats as a batch is made.
class MemoryImages final : public SampleSet {
 public:
  // mean and deviation of the pixels, on the scale 0 to 1.
  struct Normalisation {
    double mean = 0;
    double deviation = 1;
  };

  MemoryImages(ImageSet images, std::int64_t batch, SampleOrder order, std::int64_t seed,
               Normalisation normalisation);

  [[nodiscard]] std::int64_t samples() const override { return images_.count; }
  [[nodiscard]] BatchPlan plan(std::int64_t epoch) const override;
  [[nodiscard]] std::int64_t slice() const override { return batch_; }
  void lay_out(Chosen chosen, Batch& batch) const override;
  Result<void> fill(Chosen chosen, std::int64_t epoch, std::int64_t from, std::int64_t to,
                    Batch& batch) const override;

 private:
  ImageSet images_;
  std::int64_t batch_;
  SampleOrder order_;
  std::int64_t seed_;
  float scale_;   // a byte times this …
  float offset_;  // … plus this is what the model sees
};

// Over all pixels of the training part, so that evaluation is scaled as training was.
MemoryImages::Normalisation measure(const ImageSet& images);

}  // namespace tacho
