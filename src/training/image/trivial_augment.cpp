#include "training/image/trivial_augment.h"

#include <algorithm>

#include "base/random.h"
#include "training/image/pixel_levels.h"
#include "training/image/pixel_moves.h"

namespace tacho {
namespace {

bool has_direction(ImageOperation operation) {
  return operation >= ImageOperation::shear_x && operation <= ImageOperation::sharpness;
}

}  // namespace

ChosenOperation choose_operation(std::uint64_t seed) {
  Random random = Random::scattered(seed + 1);  // the shift of the image draws from `seed`
  ChosenOperation chosen;
  chosen.operation = static_cast<ImageOperation>(random.below(kImageOperations));
  chosen.strength = static_cast<int>(random.below(kStrongest + 1));
  const bool opposite = random.below(2) == 1;
  if (opposite && has_direction(chosen.operation)) chosen.strength = -chosen.strength;
  return chosen;
}

void apply(const ChosenOperation& chosen, const PlanarImage& image, std::uint8_t* out) {
  const int strength = chosen.strength;
  const int shear = 33 * strength;  // thousandths
  const int pixels = 32 * strength / kStrongest;
  const int factor = 1000 + 33 * strength;  // thousandths
  switch (chosen.operation) {
    case ImageOperation::identity:
      std::copy_n(image.pixels, image.size(), out);
      return;
    case ImageOperation::shear_x:
      return shear_x(image, shear, out);
    case ImageOperation::shear_y:
      return shear_y(image, shear, out);
    case ImageOperation::translate_x:
      return translate(image, pixels, 0, out);
    case ImageOperation::translate_y:
      return translate(image, 0, pixels, out);
    case ImageOperation::rotate:
      return rotate(image, 4.5 * strength, out);
    case ImageOperation::brightness:
      return blend_with_black(image, factor, out);
    case ImageOperation::colour:
      return blend_with_grey(image, factor, out);
    case ImageOperation::contrast:
      return blend_with_mean(image, factor, out);
    case ImageOperation::sharpness:
      return blend_with_smooth(image, factor, out);
    case ImageOperation::posterize:
      return posterize(image, 8 - (strength + 2) / 5, out);  // rounded, and 30 takes 6 bits
    case ImageOperation::solarize:
      return solarize(image, 510 - 17 * strength, out);
    case ImageOperation::auto_contrast:
      return auto_contrast(image, out);
    case ImageOperation::equalize:
      return equalize(image, out);
  }
}

}  // namespace tacho
