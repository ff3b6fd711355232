#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "serving/infer/redis_reply.h"
#include "serving/infer/redis_stream.h"

namespace tacho::infer {

// A pipelined connection to a Redis. Commands of one turn of the event loop are sent together,
// without waiting for earlier answers. Used on the thread that runs `io` only.
class RedisLink : public std::enable_shared_from_this<RedisLink> {
 public:
  // Called once per command; nullptr if the connection ended before the answer.
  using Answer = std::function<void(const RedisReply*)>;

  struct Events {
    std::function<void()> connected;
    std::function<void(std::string why)> lost;  // called once, also if it never connected
  };
  static std::shared_ptr<RedisLink> connect(boost::asio::io_context& io, const MakeStream& make,
                                            const boost::asio::ip::tcp::endpoint& server,
                                            Events events);

  // Returns false, and does not call `answer`, if there is no connection.
  bool send(std::span<const std::string_view> words, Answer answer);
  // Pending commands get nullptr; `lost` is not called.
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
  std::deque<Answer> answers_;  // of sent commands, oldest first
  std::array<char, 16 << 10> received_{};
  std::string to_send_;
  std::string sending_;
  bool open_ = false;      // accepts commands
  bool flushing_ = false;  // sending_ is being sent, or to_send_ is about to be
};

}  // namespace tacho::infer
