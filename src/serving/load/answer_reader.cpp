#include "serving/load/answer_reader.h"

#include <boost/beast/http/basic_parser.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace tacho::load {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;

constexpr std::size_t kTextKept = 16 << 10;
constexpr std::uint32_t kLongestHeader = 64 << 10;

bool says_cached(std::string_view json) {
  constexpr std::string_view kKey = "\"cached\":";
  for (auto at = json.find(kKey); at != std::string_view::npos; at = json.find(kKey, at + 1)) {
    std::string_view value = json.substr(at + kKey.size());
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (value.starts_with("true")) return true;
  }
  return false;
}

}  // namespace

// Stores only what a test needs: no header fields.
class AnswerReader::Parser final : public http::basic_parser<false> {
 public:
  explicit Parser(Answer& answer) : answer_(answer) {
    eager(true);
    body_limit(std::numeric_limits<std::uint64_t>::max());
    header_limit(kLongestHeader);
  }

 private:
  using Text = beast::string_view;
  using ErrorOut = beast::error_code&;

  void on_request_impl(http::verb, Text, Text, int, ErrorOut) override {}
  void on_response_impl(int code, Text, int, ErrorOut) override { answer_.status = code; }
  void on_field_impl(http::field, Text, Text, ErrorOut) override {}
  void on_header_impl(ErrorOut) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorOut) override {}
  std::size_t on_body_impl(Text body, ErrorOut) override { return keep(body); }
  void on_chunk_header_impl(std::uint64_t, Text, ErrorOut) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, Text body, ErrorOut) override { return keep(body); }
  void on_finish_impl(ErrorOut) override {}

  std::size_t keep(Text body) {
    const std::size_t room = kTextKept - std::min(kTextKept, answer_.text.size());
    answer_.text.append(body.data(), std::min(room, body.size()));
    return body.size();
  }

  Answer& answer_;
};

class AnswerReader::Impl {
 public:
  void begin() {
    answer_.status = 0;
    answer_.keeps_connection = true;
    answer_.cached = false;
    answer_.text.clear();
    parser_.emplace(answer_);
    state_ = State::reading;
  }

  State add(std::string_view bytes) {
    unread_.append(bytes);
    if (state_ != State::reading) return state_;
    return parse();
  }

  State end() {
    if (state_ != State::reading) return state_;
    beast::error_code error;
    if (!parser_->got_some()) return state_ = State::broken;
    parser_->put_eof(error);
    return state_ = error || !parser_->is_done() ? State::broken : finished();
  }

  [[nodiscard]] bool begun() const { return parser_->got_some(); }
  [[nodiscard]] const Answer& answer() const { return answer_; }

 private:
  State parse() {
    std::size_t used = begin_;
    while (used < unread_.size() && !parser_->is_done()) {
      // Beast asserts that the last chunk is complete once it has seen its beginning.
      constexpr std::size_t kLastChunk = 5;
      const bool in_chunks = parser_->is_header_done() && parser_->chunked();
      if (in_chunks && unread_.size() - used < kLastChunk) break;
      beast::error_code error;
      used += parser_->put({unread_.data() + used, unread_.size() - used}, error);
      if (error == http::error::need_more) break;
      if (error) return state_ = State::broken;
      // "100 Continue" and other 1xx answers come before the final one.
      if (parser_->is_done() && answer_.status < 200) parser_.emplace(answer_);
    }
    // Many answers may arrive at once: moves the rest only if it is the smaller part.
    begin_ = used;
    if (2 * begin_ >= unread_.size()) unread_.erase(0, std::exchange(begin_, 0));
    return state_ = parser_->is_done() ? finished() : State::reading;
  }

  State finished() {
    answer_.keeps_connection = parser_->keep_alive();
    answer_.cached = says_cached(answer_.text);
    return State::done;
  }

  Answer answer_;
  std::optional<Parser> parser_;
  std::string unread_;
  std::size_t begin_ = 0;  // of the unread bytes
  State state_ = State::done;
};

AnswerReader::AnswerReader() : impl_(std::make_unique<Impl>()) { impl_->begin(); }
AnswerReader::AnswerReader(AnswerReader&&) noexcept = default;
AnswerReader& AnswerReader::operator=(AnswerReader&&) noexcept = default;
AnswerReader::~AnswerReader() = default;

void AnswerReader::begin() { impl_->begin(); }
AnswerReader::State AnswerReader::add(std::string_view bytes) { return impl_->add(bytes); }
AnswerReader::State AnswerReader::end() { return impl_->end(); }
bool AnswerReader::begun() const { return impl_->begun(); }
const Answer& AnswerReader::answer() const { return impl_->answer(); }

}  // namespace tacho::load
