#pragma once

#include <vector>

#include "data/image_data.h"
#include "train/input/batch_source.h"

namespace tacho {

// Images that fit in memory, bytes turned into normalised floats as a batch is made.
class ImageSource final : public BatchSource {
 public:
  enum class Order { given, shuffled };
  // mean and deviation of the pixels, on the scale 0 to 1.
  struct Normalisation {
    double mean = 0;
    double deviation = 1;
  };

  ImageSource(ImageSet images, std::int64_t batch, Order order, std::int64_t seed,
              Normalisation normalisation);

  [[nodiscard]] std::int64_t samples() const override { return images_.count; }
  [[nodiscard]] std::int64_t batch() const override { return batch_; }
  void begin_epoch(std::int64_t epoch) override;
  bool next(Batch& batch) override;

 private:
  ImageSet images_;
  std::int64_t batch_;
  Order order_kind_;
  std::int64_t seed_;
  float scale_;   // a byte times this …
  float offset_;  // … plus this is what the model sees
  std::vector<std::int64_t> order_;
  std::int64_t position_ = 0;
  at::Tensor inputs_;
  at::Tensor labels_;
};

// Over all pixels of the training part, so that evaluation is scaled as training was.
ImageSource::Normalisation measure(const ImageSet& images);

}  // namespace tacho
