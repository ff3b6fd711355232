#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacho {

// A decoder language model: its layers have attention and a feed-forward block.
struct DecoderModel {
  std::string name;  // "" for a shape without a known name
  double layers = 0;
  double width = 0;
  double heads = 0;
  double kv_heads = 0;  // fewer than `heads` share keys and values
  double feed_forward = 0;
  double vocabulary = 0;
  bool gated = false;  // three feed-forward matrices instead of two
  bool tied = false;   // the output layer is the embedding
  bool learned_positions = false;
  bool biases = false;
  bool causal = true;      // attends to earlier tokens only
  double sequence = 2048;  // usual length
};

// Rejects values out of range; the error names the option.
Result<void> check(const DecoderModel& shape);

double layer_weights(const DecoderModel& shape);  // in the matrices of one layer
double parameters(const DecoderModel& shape, double sequence);

// The shapes that have names.
class DecoderCatalog {
 public:
  // decoders.csv: model, aliases, layers, width, …
  static Result<DecoderCatalog> parse(std::string_view csv);
  // The built-in file.
  static Result<DecoderCatalog> shipped();

  // Ignores case, '-' and '_'. Returns nullptr for an unknown name.
  [[nodiscard]] const DecoderModel* find(std::string_view name) const;
  // An unknown name is an error that suggests the nearest one.
  [[nodiscard]] Result<DecoderModel> named(std::string_view name) const;

 private:
  struct Entry {
    DecoderModel shape;
    std::vector<std::string> aliases;
  };
  std::vector<Entry> entries_;
};

}  // namespace tacho
