#include "training/text/piece_trie.h"

#include <bit>

#include "base/result.h"

namespace tacho {
namespace {

constexpr std::size_t kMostNodes = 1 << 24;  // a node and a byte share 32 bits

std::uint32_t edge_name(std::uint32_t node, char byte) {
  return node << 8U | static_cast<unsigned char>(byte);
}

}  // namespace

PieceTrie::PieceTrie(std::span<const std::string> tokens) : tokens_(1, -1) {
  std::size_t most_edges = 2;
  for (const std::string& token : tokens) most_edges += token.size();
  if (most_edges >= kMostNodes) broken_invariant("a vocabulary of 2^24 bytes");
  edges_.resize(std::bit_ceil(2 * most_edges));
  shift_ = static_cast<unsigned>(32 - std::countr_zero(edges_.size()));

  continuing_ = grow(grow(0, '#'), '#');
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    std::uint32_t node = 0;
    for (const char byte : tokens[i]) node = grow(node, byte);
    tokens_[node] = static_cast<std::int32_t>(i);
  }
}

PieceTrie::Match PieceTrie::longest(std::string_view text, bool continuing) const {
  Match match;
  std::uint32_t node = continuing ? continuing_ : 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    node = step(node, text[at]);
    if (node == 0) break;
    if (tokens_[node] >= 0) match = {tokens_[node], at + 1};
  }
  return match;
}

// Returns the slot of the edge, or the empty slot where it would be stored.
std::size_t PieceTrie::place_of(std::uint32_t from) const {
  std::size_t place = (from * 0x9E3779B1U) >> shift_;
  while (edges_[place].to != 0 && edges_[place].from != from) {
    place = (place + 1) & (edges_.size() - 1);
  }
  return place;
}

std::uint32_t PieceTrie::step(std::uint32_t node, char byte) const {
  return edges_[place_of(edge_name(node, byte))].to;
}

std::uint32_t PieceTrie::grow(std::uint32_t node, char byte) {
  const std::uint32_t from = edge_name(node, byte);
  Edge& edge = edges_[place_of(from)];
  if (edge.to == 0) {
    edge = {from, static_cast<std::uint32_t>(tokens_.size())};
    tokens_.push_back(-1);
  }
  return edge.to;
}

}  // namespace tacho
