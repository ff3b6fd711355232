// Answers of Redis in pieces of any size, and cache entries.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz_loop.h"
#include "serving/infer/cache.h"
#include "serving/infer/redis_reply.h"
#include "serving/infer/sealed_entry.h"

namespace tacho::infer {
namespace {

struct Replies {
  std::vector<RedisReply> replies;
  bool failed = false;
  bool operator==(const Replies&) const = default;
};

Replies replies_of(std::string_view bytes, std::size_t piece) {
  Replies all;
  RedisReplyReader reader;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    reader.feed(bytes.substr(at, piece));
    while (true) {
      auto next = reader.next();
      all.failed = !next.ok();
      if (all.failed) return all;
      if (!*next) break;
      all.replies.push_back(**std::move(next));
    }
  }
  return all;
}

bool read(const std::string& bytes) {
  const Replies whole = replies_of(bytes, std::max<std::size_t>(bytes.size(), 1));
  const Replies pieces = replies_of(bytes, 1 + bytes.size() % 977);
  if (!(whole == pieces)) {
    std::fprintf(stderr, "fuzz_redis: pieces are read otherwise than the whole\n");
    std::abort();
  }
  (void)prediction_from_bytes(bytes, 2);
  if (open_entry("key", "name", bytes)) std::abort();  // not signed with the key
  return !whole.failed && !whole.replies.empty();
}

// Lists and texts of all lengths, with correct and wrong length fields.
std::string generated(Random& random) {
  const std::int64_t items = random.below(std::int64_t{1} << random.below(18));
  std::string bytes = "*" + std::to_string(items + random.below(2)) + "\r\n";
  for (std::int64_t i = 0; i < items; ++i) bytes += i % 3 == 0 ? "$1\r\nx\r\n" : "$-1\r\n";
  const std::int64_t size = random.below(std::int64_t{1} << random.below(22));
  bytes += "$" + std::to_string(size) + "\r\n" + std::string(static_cast<std::size_t>(size), 'y');
  return bytes + (random.below(8) == 0 ? "" : "\r\n");
}

}  // namespace
}  // namespace tacho::infer

int main(int argc, char** argv) {
  using tacho::Random;
  const std::string replies =
      "+OK\r\n*3\r\n$5\r\na\r\nbc\r\n$-1\r\n-E\r\n:17\r\n-ERR no\r\n*0\r\n*-1\r\n$0\r\n\r\n";
  const std::string entry = tacho::infer::seal_entry("other key", "name", "tp1:12345678");
  Random random = Random::scattered(argc > 2 ? std::strtoull(argv[2], nullptr, 10) + 1 : 0);
  return tacho::fuzz(argc, argv, {replies, entry}, tacho::infer::read, [&](std::string& input) {
    if (random.below(16) == 0) input = tacho::infer::generated(random);
  });
}
