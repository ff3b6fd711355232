#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/sha256.h"
#include "infer/model.h"

namespace tacho::infer {

// Names an input among all that one model may be asked: two of one key have one answer.
using Key = Sha256::Digest;

struct KeyHash {
  std::size_t operator()(const Key& key) const;
};

// One thing that is asked for: a text, whose sample is made already, or an image, which takes
// longer and is decoded only where its answer is not known.
struct Input {
  Key key{};
  Sample sample = {};
  std::string image = {};  // encoded
};

struct InputLimits {
  std::size_t inputs = 256;  // of one request
};

// The inputs of a request's body: JSON with "text" or "images", or one image as it is.
Result<std::vector<Input>> read_inputs(const Model& model, const InputLimits& limits,
                                       std::string_view content_type, std::string_view body);

// Strict: padded, without line ends or anything else between.
Result<std::string> from_base64(std::string_view text);

}  // namespace tacho::infer
