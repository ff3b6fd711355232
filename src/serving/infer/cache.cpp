#include "serving/infer/cache.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace tacho::infer {
namespace {

// Precedes the numbers; identifies the format of entries.
constexpr std::string_view kMark = "tp1:";
static_assert(std::endian::native == std::endian::little);

}  // namespace

std::string to_bytes(const Prediction& prediction) {
  std::string bytes(kMark);
  bytes.append(reinterpret_cast<const char*>(prediction.probabilities.data()),  // NOLINT
               prediction.probabilities.size() * sizeof(float));
  return bytes;
}

std::optional<Prediction> prediction_from_bytes(std::string_view bytes, std::size_t classes) {
  constexpr double kRounding = 1e-3;
  if (!bytes.starts_with(kMark)) return std::nullopt;
  bytes.remove_prefix(kMark.size());
  if (bytes.size() != classes * sizeof(float)) return std::nullopt;
  Prediction prediction;
  prediction.probabilities.resize(classes);
  std::memcpy(prediction.probabilities.data(), bytes.data(), bytes.size());
  double sum = 0;
  for (const float share : prediction.probabilities) {
    if (!(share >= 0 && share <= 1)) return std::nullopt;
    sum += share;
  }
  if (std::abs(sum - 1) > kRounding) return std::nullopt;
  return prediction;
}

}  // namespace tacho::infer
