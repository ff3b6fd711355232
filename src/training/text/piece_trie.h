#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tacho {

// Finds the longest token of a vocabulary that a text begins with, in one pass over its bytes. A
// trie of bytes whose edges are stored in one hash table.
class PieceTrie {
 public:
  // The tokens must be distinct and have less than 2²⁴ bytes in total: PieceVocabulary checks both.
  explicit PieceTrie(std::span<const std::string> tokens);

  struct Match {
    std::int32_t token = -1;  // index of the token; -1: no match
    std::size_t bytes = 0;    // of the text
  };
  // If `continuing`, searches the tokens that begin with "##", without looking for "##" in the
  // text.
  [[nodiscard]] Match longest(std::string_view text, bool continuing) const;

 private:
  struct Edge {
    std::uint32_t from = 0;  // parent node and byte: node * 256 + byte
    std::uint32_t to = 0;    // 0, the root, has no parent: an edge to it is an empty slot
  };
  [[nodiscard]] std::size_t place_of(std::uint32_t from) const;
  [[nodiscard]] std::uint32_t step(std::uint32_t node, char byte) const;
  std::uint32_t grow(std::uint32_t node, char byte);

  std::vector<Edge> edges_;  // the size is a power of two; at most half full
  unsigned shift_ = 0;
  std::vector<std::int32_t> tokens_;  // by node
  std::uint32_t continuing_ = 0;      // the node of "##"
};

}  // namespace tacho
