#include "infer/redis_link.h"

#include <hiredis/async.h>
#include <hiredis/hiredis.h>

#include <boost/asio/post.hpp>
#include <utility>
#include <vector>

namespace tacho::infer {

namespace asio = boost::asio;

std::shared_ptr<RedisLink> RedisLink::connect(asio::io_context& io, const std::string& address,
                                              int port, Events events) {
  std::shared_ptr<RedisLink> link(new RedisLink(io, std::move(events)));
  link->begin(address, port);
  return link;
}

RedisLink::RedisLink(asio::io_context& io, Events events)
    : socket_(io), events_(std::move(events)) {}

RedisLink::~RedisLink() { close(); }

void RedisLink::begin(const std::string& address, int port) {
  redisAsyncContext* context = ::redisAsyncConnect(address.c_str(), port);
  if (context == nullptr || context->err != 0) {
    const std::string why = context == nullptr ? "no memory" : context->errstr;
    if (context != nullptr) ::redisAsyncFree(context);
    // Not from within: the caller does not hold the link yet.
    asio::post(socket_.get_executor(), [self = shared_from_this(), why] { self->lose(why); });
    return;
  }
  context_ = context;
  attach();
}

void RedisLink::attach() {
  context_->data = this;
  context_->ev.data = this;
  context_->ev.addRead = [](void* data) { static_cast<RedisLink*>(data)->want_read(true); };
  context_->ev.delRead = [](void* data) { static_cast<RedisLink*>(data)->want_read(false); };
  context_->ev.addWrite = [](void* data) { static_cast<RedisLink*>(data)->want_write(true); };
  context_->ev.delWrite = [](void* data) { static_cast<RedisLink*>(data)->want_write(false); };
  context_->ev.cleanup = [](void* data) { static_cast<RedisLink*>(data)->forget(); };
  socket_.assign(context_->c.fd);
  ::redisAsyncSetDisconnectCallback(context_, [](const redisAsyncContext* context, int status) {
    const std::string why = status == REDIS_OK ? "it closed the connection" : context->errstr;
    if (auto* link = static_cast<RedisLink*>(context->data)) link->lose(why);
  });
  // Also asks to write, which is how hiredis learns that it is connected: set last.
  ::redisAsyncSetConnectCallback(context_, [](const redisAsyncContext* context, int status) {
    auto* link = static_cast<RedisLink*>(context->data);
    if (link == nullptr) return;
    if (status != REDIS_OK) return link->lose(context->errstr);
    if (link->events_.connected) link->events_.connected();
  });
}

bool RedisLink::send(std::span<const std::string_view> words, Answer answer) {
  if (context_ == nullptr) return false;
  std::vector<const char*> pointers;
  std::vector<std::size_t> lengths;
  for (const std::string_view word : words) {
    pointers.push_back(word.data());
    lengths.push_back(word.size());
  }
  auto kept = std::make_unique<Answer>(std::move(answer));
  const auto done = [](redisAsyncContext* /*context*/, void* reply, void* data) {
    const std::unique_ptr<Answer> called(static_cast<Answer*>(data));
    (*called)(static_cast<const redisReply*>(reply));
  };
  const int status =
      ::redisAsyncCommandArgv(context_, done, kept.get(), static_cast<int>(pointers.size()),
                              pointers.data(), lengths.data());
  if (status != REDIS_OK) return false;
  (void)kept.release();  // comes back with the answer
  return true;
}

void RedisLink::close() {
  events_ = {};
  if (context_ == nullptr) return;
  context_->data = nullptr;
  ::redisAsyncFree(context_);  // calls forget()
}

void RedisLink::close_soon() {
  events_ = {};
  asio::post(socket_.get_executor(), [self = shared_from_this()] { self->close(); });
}

void RedisLink::lose(std::string why) {
  const auto lost = std::exchange(events_, {}).lost;
  if (lost) lost(std::move(why));
}

// hiredis closes the socket itself.
void RedisLink::forget() {
  context_ = nullptr;
  wants_read_ = wants_write_ = false;
  if (socket_.is_open()) socket_.release();
}

void RedisLink::want_read(bool wanted) {
  wants_read_ = wanted;
  if (wanted && !reading_) wait_to_read();
}

void RedisLink::want_write(bool wanted) {
  wants_write_ = wanted;
  if (wanted && !writing_) wait_to_write();
}

void RedisLink::wait_to_read() {
  reading_ = true;
  socket_.async_wait(asio::posix::stream_descriptor::wait_read,
                     [self = shared_from_this()](boost::system::error_code failure) {
                       self->reading_ = false;
                       if (failure || self->context_ == nullptr) return;
                       if (self->wants_read_) ::redisAsyncHandleRead(self->context_);
                       const bool again = self->context_ != nullptr && self->wants_read_;
                       if (again && !self->reading_) self->wait_to_read();
                     });
}

void RedisLink::wait_to_write() {
  writing_ = true;
  socket_.async_wait(asio::posix::stream_descriptor::wait_write,
                     [self = shared_from_this()](boost::system::error_code failure) {
                       self->writing_ = false;
                       if (failure || self->context_ == nullptr) return;
                       if (self->wants_write_) ::redisAsyncHandleWrite(self->context_);
                       const bool again = self->context_ != nullptr && self->wants_write_;
                       if (again && !self->writing_) self->wait_to_write();
                     });
}

}  // namespace tacho::infer
