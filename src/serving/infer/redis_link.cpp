#include "serving/infer/redis_link.h"

#include <boost/asio/post.hpp>
#include <utility>

namespace tacho::infer {

namespace asio = boost::asio;
using Failure = RedisStream::Failure;

std::shared_ptr<RedisLink> RedisLink::connect(asio::io_context& io, const MakeStream& make,
                                              const asio::ip::tcp::endpoint& server,
                                              Events events) {
  std::shared_ptr<RedisLink> link(new RedisLink(io, make(io), std::move(events)));
  link->begin(server);
  return link;
}

void RedisLink::begin(const asio::ip::tcp::endpoint& server) {
  stream_->connect(server, [self = shared_from_this()](Failure failure) {
    if (failure) return self->lose(failure.message());
    if (!self->events_.connected) return;  // already closed
    self->open_ = true;
    self->read();
    self->events_.connected();
  });
}

bool RedisLink::send(std::span<const std::string_view> words, Answer answer) {
  if (!open_) return false;
  to_send_ += redis_command(words);
  answers_.push_back(std::move(answer));
  if (!std::exchange(flushing_, true)) {
    asio::post(io_, [self = shared_from_this()] { self->flush(); });
  }
  return true;
}

void RedisLink::flush() {
  flushing_ = open_ && !to_send_.empty();
  if (!flushing_) return;
  sending_ = std::exchange(to_send_, {});
  stream_->write(sending_, [self = shared_from_this()](Failure failure) {
    if (failure) return self->lose(failure.message());
    self->flush();
  });
}

void RedisLink::read() {
  stream_->read(received_, [self = shared_from_this()](Failure failure, std::size_t count) {
    if (failure == asio::error::eof) return self->lose("Server closed the connection");
    if (failure) return self->lose(failure.message());
    self->on_read(count);
  });
}

// An answer's callback may close the link.
void RedisLink::on_read(std::size_t count) {
  replies_.feed({received_.data(), count});
  while (open_) {
    const auto reply = replies_.next();
    if (!reply.ok()) return lose(reply.error().message);
    if (!*reply) return read();
    if (answers_.empty()) return lose("unexpected reply");
    const Answer answer = std::move(answers_.front());
    answers_.pop_front();
    answer(&**reply);
  }
}

void RedisLink::close() {
  events_ = {};
  open_ = false;
  stream_->close();
  for (const Answer& unanswered : std::exchange(answers_, {})) unanswered(nullptr);
}

void RedisLink::lose(std::string why) {
  const auto lost = std::exchange(events_, {}).lost;
  if (lost) lost(std::move(why));
  close();
}

}  // namespace tacho::infer
