#include "serving/load/answer_reader.h"

#include <gtest/gtest.h>

#include "base/mutation.h"

namespace tacho::load {
namespace {

using State = AnswerReader::State;

constexpr std::string_view kLength =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n"
    R"({"predictions":[{"cached": true,"x":1}]})";
constexpr std::string_view kChunked =
    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
    "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n";

TEST(AnswerReader, ReadsAnAnswerInPiecesOfAnySize) {
  for (std::size_t piece = 1; piece <= kLength.size(); ++piece) {
    AnswerReader reader;
    for (std::size_t at = 0; at < kLength.size(); at += piece) {
      const State state = reader.add(kLength.substr(at, piece));
      ASSERT_EQ(state, at + piece >= kLength.size() ? State::done : State::reading) << piece;
    }
    EXPECT_EQ(reader.answer().status, 200);
    EXPECT_TRUE(reader.answer().cached);
    EXPECT_TRUE(reader.answer().keeps_connection);
  }
}

TEST(AnswerReader, ReadsChunksConnectionCloseAndContinue) {
  AnswerReader reader;
  EXPECT_EQ(reader.add(kChunked), State::done);
  EXPECT_EQ(reader.answer().status, 503);
  EXPECT_EQ(reader.answer().text, "hello world");
  reader.begin();
  EXPECT_EQ(reader.add("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n"
                       "Connection: close\r\n\r\n"),
            State::done);
  EXPECT_EQ(reader.answer().status, 204);
  EXPECT_FALSE(reader.answer().keeps_connection);
}

TEST(AnswerReader, ReadsAnEmptyChunkedBodyByteByByte) {
  AnswerReader reader;
  State state = State::reading;
  for (const char byte :
       std::string_view("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")) {
    ASSERT_EQ(state, State::reading);
    state = reader.add({&byte, 1});
  }
  EXPECT_EQ(state, State::done);
}

TEST(AnswerReader, ReadsManyAnswersFromOnePiece) {
  std::string all;
  constexpr int kAnswers = 1000;
  for (int i = 0; i < kAnswers; ++i) all += kLength;
  AnswerReader reader;
  State state = reader.add(all);
  for (int i = 0; i < kAnswers; ++i) {
    ASSERT_EQ(state, State::done) << i;
    ASSERT_EQ(reader.answer().text.size(), 40U) << i;
    reader.begin();
    state = reader.add("");
  }
  EXPECT_EQ(state, State::reading);
  EXPECT_FALSE(reader.begun());
}

TEST(AnswerReader, AnAnswerMayEndWithItsConnection) {
  AnswerReader reader;
  EXPECT_EQ(reader.add("HTTP/1.0 200 OK\r\n\r\nall"), State::reading);
  EXPECT_EQ(reader.end(), State::done);
  EXPECT_EQ(reader.answer().text, "all");
  AnswerReader cut;
  EXPECT_EQ(cut.add(kLength.substr(0, kLength.size() - 1)), State::reading);
  EXPECT_EQ(cut.end(), State::broken);
  AnswerReader nothing;
  EXPECT_FALSE(nothing.begun());
  EXPECT_EQ(nothing.end(), State::broken);
}

TEST(AnswerReader, AnythingButHttpIsBroken) {
  AnswerReader reader;
  EXPECT_EQ(reader.add("SSH-2.0-OpenSSH_9.2\r\n"), State::broken);
  AnswerReader endless;
  State state = State::reading;
  for (int i = 0; i < 1000 && state == State::reading; ++i) {
    state = endless.add("HTTP/1.1 200 OK\r\nX: " + std::string(1000, 'x'));
  }
  EXPECT_EQ(state, State::broken);
}

TEST(AnswerReader, SurvivesDamagedAnswers) {
  Random random(11, 0);
  for (int i = 0; i < 3000; ++i) {
    AnswerReader reader;
    std::string_view whole = i % 2 == 0 ? kLength : kChunked;
    const std::string bytes = mutated(std::string(whole), random);
    (void)reader.add(std::string_view(bytes).substr(0, bytes.size() / 2));
    (void)reader.add(std::string_view(bytes).substr(bytes.size() / 2));
    (void)reader.end();
    reader.begin();
  }
}

}  // namespace
}  // namespace tacho::load
