#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/record/sampling.h"
#include "serving/infer/model.h"

namespace tacho::infer {

// A language model for serving. Any thread may make tokens; each instance continues texts together
// on a separate thread, each text as if it were alone.
class LanguageModel {
 public:
  virtual ~LanguageModel() = default;
  [[nodiscard]] virtual const ModelFacts& facts() const = 0;
  [[nodiscard]] virtual int instances() const = 0;

  // `text` is UTF-8; an Error if it has characters that the model does not know. Never empty.
  [[nodiscard]] virtual Result<std::vector<std::int32_t>> tokens(std::string_view text) const = 0;

  // A prompt may be cut to this many tokens, its last ones, without a change of what follows.
  [[nodiscard]] virtual std::size_t reach() const = 0;

  // Called once, on the instance's thread, before anything else there.
  virtual Result<void> begin(int instance) = 0;
  // Reads a text; it becomes the last row.
  virtual Result<void> join(int instance, std::span<const std::int32_t> text,
                            const Sampling& sampling) = 0;
  // The bytes of the token that follows a text, which may be a part of a character; nothing if the
  // text ends.
  using Next = Result<std::optional<std::string>>;
  // Returns what follows each text, by row.
  virtual Result<std::vector<Next>> step(int instance) = 0;
  // The text of the last row takes its place.
  virtual void leave(int instance, std::size_t row) = 0;
};

}  // namespace tacho::infer
