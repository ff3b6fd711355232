// Prints the tokens of texts, for comparisons with other implementations:
//   tokenize_probe TOKENIZER < TEXTS
// TEXTS has a JSON string per line; the answer has a line of numbers for each.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <string>

#include "base/json_object.h"
#include "training/text/text_codec.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: tokenize_probe TOKENIZER < TEXTS\n");
    return 2;
  }
  const auto codec = tacho::TextCodec::read(argv[1]);
  if (!codec.ok()) {
    fmt::print(stderr, "tokenize_probe: {}\n", codec.error().message);
    return 2;
  }
  for (std::string line; std::getline(std::cin, line);) {
    const auto text = tacho::parse_json(line);
    if (!text.ok() || !text->is_string()) {
      fmt::print(stderr, "tokenize_probe: a line is not a JSON string\n");
      return 2;
    }
    const auto tokens = codec->encode(text->get_ref<const std::string&>());
    if (!tokens.ok()) {
      fmt::print(stderr, "tokenize_probe: {}\n", tokens.error().message);
      return 1;
    }
    fmt::print("{}\n", fmt::join(*tokens, " "));
  }
  return 0;
}
