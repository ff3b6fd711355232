// The part of Connection that streams sources.
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/chunk_encode.hpp>
#include <boost/beast/http/write.hpp>

#include "serving/http/connection.h"

namespace tacho::http {

namespace beast = boost::beast;
namespace asio = boost::asio;

void Connection::begin_source(const Response& response) {
  source_ = response.source;
  live_ = response.live;
  finite_ = response.finite;
  woken_ = false;
  // Holds no reference: a connection is destroyed on the thread of `io`.
  source_->on_more([weak = weak_from_this(), &io = hub_.io] {
    asio::post(io, [weak] {
      if (const auto self = weak.lock()) self->wake();
    });
  });
  ++hub_.streams;
  if (live_ || version_ < 11) keep_ = false;
  fill_header(header_, response);
  header_.chunked(version_ >= 11);
  writer_.emplace(header_);
  last_piece_ = std::chrono::steady_clock::now();
  stream_.expires_after(hub_.limits.send);
  beast::http::async_write_header(stream_, *writer_,
                                  [self = shared_from_this()](Failure failure, std::size_t) {
                                    if (failure) return self->end_source();
                                    if (self->live_) self->watch_for_close();
                                    self->ask_source();
                                  });
}

// A client of a live stream sends nothing more, so a read completes only when it disconnects.
void Connection::watch_for_close() {
  stream_.expires_never();
  stream_.async_read_some(buffer_.prepare(1),
                          [self = shared_from_this()](Failure failure, std::size_t) {
                            if (failure) self->close();
                          });
}

void Connection::ask_source() {
  const bool cut = live_ && !finite_ && hub_.stopping;
  if (!stream_.socket().is_open() || cut) return end_source();
  woken_ = false;
  asio::post(hub_.workers, [self = shared_from_this(), source = source_]() mutable {
    std::optional<std::string> piece;
    try {
      piece = source->next();
    } catch (const std::exception&) {
      // The status was sent already, so a failure can only cut the body off.
      Hub& hub = self->hub_;
      asio::post(hub.io, [self = std::move(self)] {
        self->close();
        self->end_source();
      });
      return;
    }
    Hub& hub = self->hub_;
    asio::post(hub.io, [self = std::move(self), piece = std::move(piece)]() mutable {
      self->on_piece(std::move(piece));
    });
  });
}

void Connection::on_piece(std::optional<std::string> piece) {
  if (!stream_.socket().is_open()) return end_source();
  if (piece && !piece->empty()) return send_piece(*std::move(piece));
  if (piece && !live_) return ask_source();
  if (piece) return rest_then_ask();
  if (version_ < 11) return end_source();
  stream_.expires_after(hub_.limits.send);
  asio::async_write(stream_, beast::http::make_chunk_last(),
                    [self = shared_from_this()](Failure failure, std::size_t) {
                      if (failure) self->close();
                      self->end_source();
                    });
}

void Connection::rest_then_ask() {
  if (std::chrono::steady_clock::now() - last_piece_ > hub_.limits.heartbeat) {
    return send_piece(": still here\n\n");
  }
  if (woken_) return ask_source();
  pause_.expires_after(hub_.limits.poll);
  pause_.async_wait([self = shared_from_this()](Failure) { self->ask_source(); });
}

void Connection::wake() {
  woken_ = true;
  if (source_) pause_.cancel();
}

void Connection::send_piece(std::string piece) {
  piece_ = std::move(piece);
  last_piece_ = std::chrono::steady_clock::now();
  stream_.expires_after(hub_.limits.send);
  const auto sent = [self = shared_from_this()](Failure failure, std::size_t) {
    if (failure) self->close();
    self->ask_source();
  };
  const asio::const_buffer bytes(piece_.data(), piece_.size());
  if (version_ < 11) return asio::async_write(stream_, bytes, sent), void();
  asio::async_write(stream_, beast::http::make_chunk(bytes), sent);
}

void Connection::end_source() {
  if (!source_) return;
  source_.reset();
  std::string().swap(piece_);
  --hub_.streams;
  const bool was_live = live_;
  live_ = false;
  if (!stream_.socket().is_open()) return;
  if (keep_) return await_request();
  if (was_live) return close();  // a read is pending, so there is nothing to drain
  end();
}

}  // namespace tacho::http
