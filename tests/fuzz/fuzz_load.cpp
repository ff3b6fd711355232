// Answers of a server to a load test in pieces of any size, URLs, and recorded loads.
#include <algorithm>
#include <string>
#include <string_view>

#include "fuzz_loop.h"
#include "serving/load/answer_reader.h"
#include "serving/load/replay_file.h"
#include "serving/load/target.h"

namespace tacho::load {
namespace {

// Reads `piece` bytes at a time; there may be several answers.
bool answered(std::string_view bytes, std::size_t piece) {
  constexpr std::size_t kMostText = 64 << 10;
  AnswerReader reader;
  bool any = false;
  while (!bytes.empty()) {
    AnswerReader::State state = reader.add(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    while (state == AnswerReader::State::done) {
      any = true;
      if (reader.answer().text.size() > kMostText) std::abort();
      reader.begin();
      state = reader.add("");
      if (!reader.begun()) break;
    }
    if (state == AnswerReader::State::broken) return any;
  }
  return reader.end() == AnswerReader::State::done || any;
}

bool read_all(const std::string& bytes) {
  bool any = parse_target_url(bytes).ok();
  any = parse_replay(bytes).ok() || any;
  any = answered(bytes, bytes.size()) || any;
  any = answered(bytes, 1 + bytes.size() % 977) || any;
  // Byte by byte, as from a slow server.
  constexpr std::size_t kFewBytes = 64 << 10;
  return (bytes.size() <= kFewBytes && answered(bytes, 1)) || any;
}

std::string made_answers(Random& random) {
  const std::size_t size = fuzz_size(random, 1 << 20);
  switch (random.below(7)) {
    case 0:
      return "HTTP/1.1 200 OK\r\n" + repeated("X: y\r\n", size / 6) + "\r\n";
    case 1:
      return "HTTP/1.1 200 OK\r\nX: " + std::string(size, 'x') + "\r\n\r\n";
    case 2:
      return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
             repeated("1;a=b\r\nx\r\n", size / 10) + "0\r\n\r\n";
    case 3:
      return repeated("HTTP/1.1 100 Continue\r\n\r\n", size / 25) +
             "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    case 4:
      return repeated("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", size / 40);
    case 5: {
      std::string lines;
      for (std::size_t i = 0; i < size / 8; ++i) lines += std::to_string(i) + ",5\n";
      return lines;
    }
    default:
      return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n" +
             repeated("\"cached\":", size / 9);
  }
}

}  // namespace
}  // namespace tacho::load

int main(int argc, char** argv) {
  return tacho::fuzz(
      argc, argv,
      {.samples = {"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n{\"cached\":true",
                   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
                   "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 Busy\r\nConnection: close\r\n\r\nx",
                   "HTTP/1.0 200 OK\r\n\r\nup to the end", "http://[::1]:8500/a?b=c",
                   "0\n0.5\n1e3\n", "0,5\n10,7.5\n# end\n20,0\n"},
       .generate = tacho::load::made_answers},
      tacho::load::read_all);
}
