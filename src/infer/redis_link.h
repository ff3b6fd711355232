#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct redisAsyncContext;
struct redisReply;

namespace tacho::infer {

// One connection of hiredis', moved by Asio: hiredis says when it wants to read or write, and is
// told when it can. Commands that are given in one turn of the loop travel together, and none
// waits for the one before. Everything happens on the thread that runs `io`. The program must
// ignore SIGPIPE.
class RedisLink : public std::enable_shared_from_this<RedisLink> {
 public:
  // nullptr: the connection ended before the answer came. Called once for each command.
  using Answer = std::function<void(const redisReply*)>;

  struct Events {
    std::function<void()> connected;
    std::function<void(std::string why)> lost;  // once, also where it never connected
  };
  // To an address in numbers.
  static std::shared_ptr<RedisLink> connect(boost::asio::io_context& io, const std::string& address,
                                            int port, Events events);
  RedisLink(const RedisLink&) = delete;
  RedisLink& operator=(const RedisLink&) = delete;
  ~RedisLink();

  // False where there is no connection; then `answer` is not called.
  bool send(std::span<const std::string_view> words, Answer answer);
  // Commands under way get nullptr; `lost` is not called. Not from within an answer of its own:
  // hiredis still uses what this frees.
  void close();
  // The same in the next turn of the loop; no event comes before.
  void close_soon();

 private:
  RedisLink(boost::asio::io_context& io, Events events);
  void begin(const std::string& address, int port);
  void attach();
  void want_read(bool wanted);
  void want_write(bool wanted);
  void wait_to_read();
  void wait_to_write();
  void forget();
  void lose(std::string why);

  boost::asio::posix::stream_descriptor socket_;
  Events events_;
  redisAsyncContext* context_ = nullptr;  // hiredis frees it where a connection ends
  bool wants_read_ = false;
  bool wants_write_ = false;
  bool reading_ = false;  // a wait is under way
  bool writing_ = false;
};

}  // namespace tacho::infer
