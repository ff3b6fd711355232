#pragma once

#include <cstddef>
#include <cstdint>

namespace tacho {

// An image in memory: channels x height x width bytes, channel by channel.
struct PlanarImage {
  const std::uint8_t* pixels = nullptr;
  int channels = 0;
  int height = 0;
  int width = 0;

  [[nodiscard]] std::size_t plane() const {
    return static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
  }
  [[nodiscard]] std::size_t size() const { return plane() * static_cast<std::size_t>(channels); }
};

}  // namespace tacho
