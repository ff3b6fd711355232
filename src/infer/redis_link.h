#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "infer/redis_reply.h"
#include "infer/redis_stream.h"

namespace tacho::infer {

// One connection to a Redis. Commands that are given in one turn of the loop travel together, and
// none waits for the one before. Everything happens on the thread that runs `io`.
class RedisLink : public std::enable_shared_from_this<RedisLink> {
 public:
  // nullptr: the connection ended before the answer came. Called once for each command.
  using Answer = std::function<void(const RedisReply*)>;

  struct Events {
    std::function<void()> connected;
    std::function<void(std::string why)> lost;  // once, also where it never connected
  };
  static std::shared_ptr<RedisLink> connect(boost::asio::io_context& io, const MakeStream& make,
                                            const boost::asio::ip::tcp::endpoint& server,
                                            Events events);

  // False where there is no connection; then `answer` is not called.
  bool send(std::span<const std::string_view> words, Answer answer);
  // Commands under way get nullptr; `lost` is not called.
  void close();

 private:
  RedisLink(boost::asio::io_context& io, std::unique_ptr<RedisStream> stream, Events events)
      : io_(io), stream_(std::move(stream)), events_(std::move(events)) {}
  void begin(const boost::asio::ip::tcp::endpoint& server);
  void flush();
  void read();
  void on_read(std::size_t count);
  void lose(std::string why);

  boost::asio::io_context& io_;
  std::unique_ptr<RedisStream> stream_;
  Events events_;
  RedisReplyReader replies_;
  std::deque<Answer> answers_;  // of commands that were sent, the oldest first
  std::array<char, 16 << 10> received_{};
  std::string to_send_;
  std::string sending_;
  bool open_ = false;      // commands are taken
  bool flushing_ = false;  // sending_ is being sent, or to_send_ soon will be
};

}  // namespace tacho::infer
