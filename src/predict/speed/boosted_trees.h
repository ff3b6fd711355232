#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"

namespace tacho {

// Predictions of gradient-boosted trees that were fitted by XGBoost, without that library.
class BoostedTrees {
 public:
  // Reads a model as XGBoost writes it with {"format": "json"}. The trees must take `features`
  // numbers.
  static Result<BoostedTrees> read(const Json& model, std::size_t features);
  [[nodiscard]] const Json& json() const { return json_; }

  // Returns the sum of the trees' leaves. No feature may be missing.
  [[nodiscard]] float predict(std::span<const float> features) const;

 private:
  struct Node {
    std::int32_t left = -1;  // -1 for a leaf
    std::int32_t right = -1;
    std::size_t feature = 0;
    float value = 0;  // of a leaf; otherwise smaller features go left
  };
  using Tree = std::vector<Node>;
  static Result<Tree> read_tree(const Json& json, std::size_t features);

  Json json_;
  std::vector<Tree> trees_;
};

}  // namespace tacho
