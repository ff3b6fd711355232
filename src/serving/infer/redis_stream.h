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

// A byte stream to a Redis, plain or encrypted. At most one read and one write may be pending;
// their buffers and the stream must live until they call back, which they do once, also after
// close(). Used on the thread that runs `io` only.
class RedisStream {
 public:
  using Failure = boost::system::error_code;

  virtual ~RedisStream() = default;
  virtual void connect(const boost::asio::ip::tcp::endpoint& server,
                       std::function<void(Failure)> done) = 0;
  // Reads at least one byte.
  virtual void read(std::span<char> into, std::function<void(Failure, std::size_t)> done) = 0;
  // Writes all bytes.
  virtual void write(std::string_view bytes, std::function<void(Failure)> done) = 0;
  virtual void close() = 0;
};

// Creates a stream per connection.
using MakeStream = std::function<std::unique_ptr<RedisStream>(boost::asio::io_context&)>;

MakeStream plain_streams();

// TLS 1.2 or later. The server must present a certificate for `host`, signed by a CA in `ca_file`,
// or by one that the system trusts if that is "".
Result<MakeStream> tls_streams(const std::string& host, const std::string& ca_file);

}  // namespace tacho::infer
