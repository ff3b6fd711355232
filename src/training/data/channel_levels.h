#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tacho {

inline constexpr std::size_t kMaxChannels = 3;

// Mean and standard deviation of each channel, of levels from 0 to 1.
struct ChannelStatistics {
  std::array<float, kMaxChannels> mean = {0, 0, 0};
  std::array<float, kMaxChannels> deviation = {1, 1, 1};
};

// Counts how often each level occurs in a channel.
class ChannelLevels {
 public:
  // `pixels` are those of one image, channel by channel.
  void add(std::span<const std::uint8_t> pixels, std::size_t channels) {
    const std::size_t area = pixels.size() / channels;
    for (std::size_t channel = 0; channel < std::min(channels, kMaxChannels); ++channel) {
      for (const std::uint8_t level : pixels.subspan(channel * area, area)) {
        ++seen_[channel][level];
      }
    }
  }

  [[nodiscard]] ChannelStatistics statistics() const {
    ChannelStatistics found;
    for (std::size_t channel = 0; channel < kMaxChannels; ++channel) {
      double count = 0;
      double sum = 0;
      double squares = 0;
      for (std::size_t byte = 0; byte < seen_[channel].size(); ++byte) {
        const double level = static_cast<double>(byte) / 255;
        const auto times = static_cast<double>(seen_[channel][byte]);
        count += times;
        sum += level * times;
        squares += level * level * times;
      }
      if (count == 0) continue;
      const double centre = sum / count;
      const double variance = squares / count - centre * centre;
      found.mean[channel] = static_cast<float>(centre);
      // A uniform image must not divide by zero.
      if (variance > 1e-12) found.deviation[channel] = static_cast<float>(std::sqrt(variance));
    }
    return found;
  }

 private:
  std::array<std::array<std::int64_t, 256>, kMaxChannels> seen_{};
};

}  // namespace tacho
