#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tacho::infer {

// Bytes to and from a Redis, plain or encrypted. One read and one write may be under way at a time;
// what they use and the stream itself must live until they have called back, which they do once,
// also after close(). All of it happens on the thread that runs `io`.
class RedisStream {
 public:
  using Failure = boost::system::error_code;

  virtual ~RedisStream() = default;
  virtual void connect(const boost::asio::ip::tcp::endpoint& server,
                       std::function<void(Failure)> done) = 0;
  // Some bytes.
  virtual void read(std::span<char> into, std::function<void(Failure, std::size_t)> done) = 0;
  // All bytes.
  virtual void write(std::string_view bytes, std::function<void(Failure)> done) = 0;
  virtual void close() = 0;
};

// Makes a stream for each connection.
using MakeStream = std::function<std::unique_ptr<RedisStream>(boost::asio::io_context&)>;

MakeStream plain_streams();

// TLS 1.2 or later. The server must show a certificate for `host`, signed by one of `ca_file`'s, or
// of those the system trusts where that is "".
Result<MakeStream> tls_streams(const std::string& host, const std::string& ca_file);

}  // namespace tacho::infer
