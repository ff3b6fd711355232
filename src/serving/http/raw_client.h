#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/file.h"

namespace tacho::http {

// A client for tests that sends any bytes, also half a request, and reads the answer.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  [[nodiscard]] bool connected() const { return connected_; }

  // Returns false once the server has closed the connection.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void finish_sending() { ::shutdown(fd_.get(), SHUT_WR); }
  void close() { fd_.reset(); }

  // Reads one answer: its header and Content-Length bytes, or less if the server closes the
  // connection first.
  std::string answer() {
    while (buffer_.find("\r\n\r\n") == std::string::npos && read_more()) {
    }
    const std::size_t end = buffer_.find("\r\n\r\n");
    if (end == std::string::npos) return take(buffer_.size());
    const std::size_t length = length_in(buffer_.substr(0, end));
    while (buffer_.size() < end + 4 + length && read_more()) {
    }
    return take(std::min(buffer_.size(), end + 4 + length));
  }
  // Reads until the server closes the connection.
  std::string rest() {
    while (read_more()) {
    }
    return take(buffer_.size());
  }
  std::string until(std::string_view text) {
    while (buffer_.find(text) == std::string::npos && read_more()) {
    }
    const std::size_t at = buffer_.find(text);
    return take(at == std::string::npos ? buffer_.size() : at + text.size());
  }

 private:
  static std::size_t length_in(std::string_view header) {
    constexpr std::string_view kName = "Content-Length: ";
    std::size_t length = 0;
    const std::size_t at = header.find(kName);
    if (at == std::string_view::npos) return 0;
    const std::string_view digits = header.substr(at + kName.size());
    std::from_chars(digits.data(), digits.data() + digits.size(), length);
    return length;
  }
  bool read_more() {
    constexpr int kTimeoutMs = 60'000;  // far longer than any test takes
    pollfd waiting{fd_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, kTimeoutMs) <= 0) return false;
    std::array<char, 65536> bytes;
    const ssize_t count = ::recv(fd_.get(), bytes.data(), bytes.size(), 0);
    if (count <= 0) return false;
    buffer_.append(bytes.data(), static_cast<std::size_t>(count));
    return true;
  }
  std::string take(std::size_t size) {
    std::string taken = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return taken;
  }

  UniqueFd fd_;
  bool connected_ = false;
  std::string buffer_;
};

}  // namespace tacho::http
