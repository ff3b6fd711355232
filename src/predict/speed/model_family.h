#pragma once

#include <string>
#include <string_view>

namespace tacho {

// What is known of a model from its name: published architectures, data/catalog/model_families.csv.
struct ModelFamily {
  std::string family;  // "resnet" for "seresnet50": models that derive from each other
  std::string
      layers;  // the kind that takes most of the time: "dense", "depthwise", "attention"; or ""
};

// The first row whose `part` is in the name decides. Other models are named by their leading
// letters.
ModelFamily model_family(std::string_view canonical_name);

}  // namespace tacho
