#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/sha256.h"
#include "serving/infer/model.h"

namespace tacho::infer {

// Identifies an input of a model: equal keys have equal answers.
using Key = Sha256::Digest;

struct KeyHash {
  std::size_t operator()(const Key& key) const;
};

// One input of a request: a text, already converted to a sample, or an image, which is decoded only
// if its answer is not cached.
struct Input {
  Key key{};
  Sample sample = {};
  std::string image = {};  // encoded
};

struct InputLimits {
  std::size_t inputs = 256;  // per request
};

// Parses a request's body: JSON with "text" or "images", or the bytes of one image.
Result<std::vector<Input>> read_inputs(const Model& model, const InputLimits& limits,
                                       std::string_view content_type, std::string_view body);

// Strict: padded, without line ends or other characters.
Result<std::string> from_base64(std::string_view text);

}  // namespace tacho::infer
