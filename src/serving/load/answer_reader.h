#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace tacho::load {

// The parts of an answer that a load test needs.
struct Answer {
  int status = 0;
  bool keeps_connection = true;
  bool cached = false;  // the JSON contains "cached":true
  std::string text;     // beginning of the body
};

// Parses HTTP/1.1 answers from pieces of any size: with a length, chunked, or until the end of the
// connection. Reports anything that is not HTTP; memory is bounded.
class AnswerReader {
 public:
  enum class State { reading, done, broken };

  AnswerReader();
  AnswerReader(AnswerReader&&) noexcept;
  AnswerReader& operator=(AnswerReader&&) noexcept;
  ~AnswerReader();

  // Starts the next answer with the bytes received after the last one.
  void begin();
  State add(std::string_view bytes);
  // The connection has ended: done if that ends the answer.
  State end();

  [[nodiscard]] bool begun() const;  // a byte of this answer was received
  [[nodiscard]] const Answer& answer() const;

 private:
  class Parser;
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tacho::load
