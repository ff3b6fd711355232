#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tacho {

// Finds the longest of a vocabulary's tokens that a text begins with, in one pass over its bytes.
// A tree of bytes, whose edges all lie in one hash table.
class PieceTrie {
 public:
  // The tokens differ, and have less than 2²⁴ bytes in all: PieceVocabulary sees to both.
  explicit PieceTrie(std::span<const std::string> tokens);

  struct Match {
    std::int32_t token = -1;  // the token's index, or -1 if none fits
    std::size_t bytes = 0;    // of the text
  };
  // Among the tokens that begin with "##", which is not looked for in the text, where `continuing`.
  [[nodiscard]] Match longest(std::string_view text, bool continuing) const;

 private:
  struct Edge {
    std::uint32_t from = 0;  // the node above and the byte: node * 256 + byte
    std::uint32_t to = 0;    // 0, the root, is below no other: an edge to it is an empty place
  };
  [[nodiscard]] std::size_t place_of(std::uint32_t from) const;
  [[nodiscard]] std::uint32_t step(std::uint32_t node, char byte) const;
  std::uint32_t grow(std::uint32_t node, char byte);

  std::vector<Edge> edges_;  // a power of two of places, at most half of them taken
  unsigned shift_ = 0;
  std::vector<std::int32_t> tokens_;  // by node
  std::uint32_t continuing_ = 0;      // the node of "##"
};

}  // namespace tacho
