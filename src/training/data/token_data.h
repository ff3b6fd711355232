#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"
#include "core/record/run_spec.h"
#include "training/data/token_file.h"
#include "training/text/text_codec.h"

namespace tacho {

struct TokenOptions {
  // A tokenizer.json, vocab.json or a folder with one of them; "": learned from the text.
  std::filesystem::path vocabulary;
  TextTokens tokens = TextTokens::bpe;  // to learn
  std::int64_t vocabulary_size = 8000;  // of learned byte pairs
  std::filesystem::path cache;          // folder of TokenFiles
};

struct TokenData {
  TextCodec codec;
  TokenFile tokens;
};

// Returns the tokens of the text files at `path` (see find_text_files()). They are written to the
// cache once and found there as long as the files do not change. Byte pairs are learned from the
// training text only, characters from all text.
Result<TokenData> load_tokens(const std::filesystem::path& path, const TokenOptions& options);

}  // namespace tacho
