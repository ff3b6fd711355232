#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace tacho::load {

// One answer, as far as a load test looks at it.
struct Answer {
  int status = 0;
  bool keeps_connection = true;
  bool cached = false;  // its JSON says "cached":true
  std::string text;     // the beginning of its body
};

// Reads HTTP/1.1 answers out of bytes that come in any pieces: with a length, chunked, or up to the
// end of the connection. What is not HTTP is said, whatever the bytes are; memory is bounded.
class AnswerReader {
 public:
  enum class State { reading, done, broken };

  AnswerReader();
  AnswerReader(AnswerReader&&) noexcept;
  AnswerReader& operator=(AnswerReader&&) noexcept;
  ~AnswerReader();

  // For the next answer. What came behind the last one belongs to it.
  void begin();
  State add(std::string_view bytes);
  // The connection has ended: done where that ends the answer.
  State end();

  [[nodiscard]] bool begun() const;  // a byte of this answer has come
  [[nodiscard]] const Answer& answer() const;

 private:
  class Parser;
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tacho::load
