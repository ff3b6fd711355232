#include "serving/load/client.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace tacho::load {

Client::Outcome Client::send(const std::string& request, Clock::time_point due,
                             Clock::time_point now) {
  pending_ = {&request, due, now};
  written_ = 0;
  reader_.begin();
  if (fd_) return write();
  if (!connect().ok()) return done(Outcome::broken);
  return Outcome::pending;
}

Result<void> Client::connect() {
  TACHO_TRY(connecting, begin_connecting(address_));
  fd_ = std::move(connecting);
  ++connections_;
  reader_ = AnswerReader();  // drops bytes of the last connection
  return {};
}

Client::Outcome Client::progress() {
  if (!fd_) return Outcome::pending;  // an event of a closed connection
  if (wants_to_write()) {
    const Outcome written = write();
    if (written != Outcome::pending) return written;
  }
  return read();
}

Client::Outcome Client::write() {
  while (written_ < pending_.request->size()) {
    const ssize_t sent = ::send(fd_.get(), pending_.request->data() + written_,
                                pending_.request->size() - written_, MSG_NOSIGNAL);
    if (sent > 0) {
      written_ += static_cast<std::size_t>(sent);
    } else if (errno == EAGAIN || errno == ENOTCONN) {
      return Outcome::pending;
    } else if (errno != EINTR) {
      // The server may have answered before it closed, for example if the body was too large.
      const Outcome read = this->read();
      return read == Outcome::pending ? done(Outcome::broken) : read;
    }
  }
  return Outcome::pending;
}

Client::Outcome Client::read() {
  std::array<char, 16384> buffer;  // NOLINT: filled below
  while (true) {
    const ssize_t got = ::recv(fd_.get(), buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == ENOTCONN)) return Outcome::pending;
    if (!busy()) return done(Outcome::broken);  // closed, or data without a request
    if (got < 0) return done(Outcome::broken);
    const auto state =
        got == 0 ? reader_.end() : reader_.add({buffer.data(), static_cast<std::size_t>(got)});
    if (state == AnswerReader::State::broken) return done(Outcome::broken);
    if (state == AnswerReader::State::done) return done(Outcome::answered);
    if (static_cast<std::size_t>(got) < buffer.size()) return Outcome::pending;
  }
}

Client::Outcome Client::done(Outcome outcome) {
  const bool whole = pending_.request != nullptr && written_ == pending_.request->size();
  if (outcome == Outcome::broken || !reader_.answer().keeps_connection || !whole) fd_.reset();
  pending_.request = nullptr;
  return outcome;
}

void Client::abandon() { (void)done(Outcome::broken); }

}  // namespace tacho::load
