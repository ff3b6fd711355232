#include "serving/infer/redis_stream.h"

#include <fmt/format.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#ifdef TACHO_OPENSSL
#include <openssl/ssl.h>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl.hpp>
#endif

namespace tacho::infer {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Failure = RedisStream::Failure;

template <class Bytes>
void write_all(Bytes& to, std::string_view bytes, std::function<void(Failure)> done) {
  asio::async_write(to, asio::buffer(bytes),
                    [done = std::move(done)](Failure failure, std::size_t) { done(failure); });
}

void close_quietly(tcp::socket& socket) {
  Failure ignored;
  socket.close(ignored);
}

class PlainStream final : public RedisStream {
 public:
  explicit PlainStream(asio::io_context& io) : socket_(io) {}

  void connect(const tcp::endpoint& server, std::function<void(Failure)> done) override {
    socket_.async_connect(server, [this, done = std::move(done)](Failure failure) {
      Failure ignored;
      if (!failure) socket_.set_option(tcp::no_delay(true), ignored);
      done(failure);
    });
  }
  void read(std::span<char> into, std::function<void(Failure, std::size_t)> done) override {
    socket_.async_read_some(asio::buffer(into.data(), into.size()), std::move(done));
  }
  void write(std::string_view bytes, std::function<void(Failure)> done) override {
    write_all(socket_, bytes, std::move(done));
  }
  void close() override { close_quietly(socket_); }

 private:
  tcp::socket socket_;
};

#ifdef TACHO_OPENSSL
namespace ssl = asio::ssl;

class TlsStream final : public RedisStream {
 public:
  // `context` is shared by all streams.
  TlsStream(asio::io_context& io, std::shared_ptr<ssl::context> context, const std::string& host)
      : context_(std::move(context)), stream_(io, *context_) {
    stream_.set_verify_mode(ssl::verify_peer);
    stream_.set_verify_callback(ssl::host_name_verification(host));
    Failure not_numbers;
    asio::ip::make_address(host, not_numbers);
    // SNI: a server with several names needs it to choose the certificate.
    if (not_numbers) ::SSL_set_tlsext_host_name(stream_.native_handle(), host.c_str());  // NOLINT
  }

  void connect(const tcp::endpoint& server, std::function<void(Failure)> done) override {
    stream_.next_layer().async_connect(server, [this, done = std::move(done)](Failure failure) {
      if (failure) return done(failure);
      stream_.next_layer().set_option(tcp::no_delay(true), failure);
      stream_.async_handshake(ssl::stream_base::client, done);
    });
  }
  void read(std::span<char> into, std::function<void(Failure, std::size_t)> done) override {
    stream_.async_read_some(asio::buffer(into.data(), into.size()), std::move(done));
  }
  void write(std::string_view bytes, std::function<void(Failure)> done) override {
    write_all(stream_, bytes, std::move(done));
  }
  void close() override { close_quietly(stream_.next_layer()); }

 private:
  std::shared_ptr<ssl::context> context_;
  ssl::stream<tcp::socket> stream_;
};
#endif

}  // namespace

MakeStream plain_streams() {
  return [](asio::io_context& io) { return std::make_unique<PlainStream>(io); };
}

Result<MakeStream> tls_streams(const std::string& host, const std::string& ca_file) {
#ifdef TACHO_OPENSSL
  auto context = std::make_shared<ssl::context>(ssl::context::tls_client);
  context->set_options(ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1);
  Failure failure;
  if (ca_file.empty()) {
    context->set_default_verify_paths(failure);
  } else {
    context->load_verify_file(ca_file, failure);
  }
  if (failure) {
    return Error{ErrorCode::usage,
                 fmt::format("{}: cannot read certificates: {}", ca_file, failure.message())};
  }
  return MakeStream([context, host](asio::io_context& io) {
    return std::make_unique<TlsStream>(io, context, host);
  });
#else
  (void)host;
  (void)ca_file;
  return Error{ErrorCode::unavailable,
               "tacho-worker was built without OpenSSL, which rediss:// needs; install libssl-dev "
               "and build again"};
#endif
}

}  // namespace tacho::infer
