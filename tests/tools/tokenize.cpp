// Runs the tokenizer, for tests/gpu/compare_tokenizer:
//
//   tokenize ids VOCAB FILE [MAX]   prints the tokens of each line, a text in hexadecimal bytes
//   tokenize learn SIZE FILE OUT    learns a vocabulary from the lines of FILE
//   tokenize speed VOCAB FILE       measures the speed for the lines of FILE
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "base/file.h"
#include "training/text/learn_pieces.h"
#include "training/text/word_piece.h"

namespace tacho {
namespace {

constexpr int kRepeats = 5;

Result<std::vector<std::string>> read_lines(const std::string& file) {
  TACHO_TRY(content, read_file(file));
  std::vector<std::string> lines;
  std::string_view rest = content;
  while (!rest.empty()) {
    lines.emplace_back(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(std::min(lines.back().size() + 1, rest.size()));
  }
  return lines;
}

std::string bytes_of(const std::string& hexadecimal) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < hexadecimal.size(); at += 2) {
    bytes.push_back(static_cast<char>(std::stoi(hexadecimal.substr(at, 2), nullptr, 16)));
  }
  return bytes;
}

Result<void> print_ids(const std::vector<std::string>& words) {
  TACHO_TRY(vocabulary, PieceVocabulary::read(words[0]));
  TACHO_TRY(lines, read_lines(words[1]));
  const WordPiece word_piece(std::move(vocabulary));
  const std::int64_t most = words.size() > 2 ? std::stoll(words[2]) : 1 << 30;
  for (const std::string& line : lines) {
    fmt::print("{}\n", fmt::join(word_piece.tokens(bytes_of(line), most), " "));
  }
  return {};
}

Result<void> learn(const std::vector<std::string>& words) {
  TACHO_TRY(lines, read_lines(words[1]));
  WordCounts counts;
  for (const std::string& line : lines) counts.add(line);
  TACHO_TRY(vocabulary, learn_pieces(counts, {.size = std::stoll(words[0])}));
  return vocabulary.save(words[2]);
}

Result<void> measure_speed(const std::vector<std::string>& words) {
  TACHO_TRY(vocabulary, PieceVocabulary::read(words[0]));
  TACHO_TRY(lines, read_lines(words[1]));
  const WordPiece word_piece(std::move(vocabulary));
  std::size_t bytes = 0;
  for (const std::string& line : lines) bytes += line.size() + 1;
  std::vector<double> rates;
  std::size_t tokens = 0;
  for (int i = 0; i < kRepeats; ++i) {
    tokens = 0;
    const auto began = std::chrono::steady_clock::now();
    for (const std::string& line : lines) tokens += word_piece.tokens(line).size();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    rates.push_back(static_cast<double>(bytes) / took.count() / 1e6);
  }
  std::sort(rates.begin(), rates.end());
  fmt::print("{:.1f} MB/s, median of {} passes over {} bytes, {} tokens\n", rates[kRepeats / 2],
             kRepeats, bytes, tokens);
  return {};
}

int run(const std::vector<std::string>& words) {
  const std::string what = words.empty() ? "" : words[0];
  const std::vector<std::string> rest(words.begin() + (words.empty() ? 0 : 1), words.end());
  Result<void> done = Error{ErrorCode::usage,
                            "ids VOCAB FILE [MAX] | learn SIZE FILE OUT | "
                            "speed VOCAB FILE"};
  if (what == "ids" && rest.size() >= 2) done = print_ids(rest);
  if (what == "learn" && rest.size() == 3) done = learn(rest);
  if (what == "speed" && rest.size() == 2) done = measure_speed(rest);
  if (done.ok()) return EXIT_SUCCESS;
  fmt::print(stderr, "tokenize: {}\n", done.error().message);
  return EXIT_FAILURE;
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) { return tacho::run({argv + 1, argv + argc}); }
