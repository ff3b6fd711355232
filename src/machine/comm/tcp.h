#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace tacho {

// TCP sockets for the control connection: close-on-exec, non-blocking, and without delay for small
// messages (TCP_NODELAY).

// Listens on loopback if `host` is a loopback name or address, else on every address.
Result<UniqueFd> listen_at(const std::string& host, std::uint16_t port);
// Listens on one numeric address of this machine only.
Result<UniqueFd> listen_only_at(const std::string& address, std::uint16_t port);
// Takes ownership of a socket that is already bound and listening.
Result<UniqueFd> adopt_listener(int fd);
// Returns an invalid descriptor if no connection is pending.
UniqueFd accept_from(const UniqueFd& listener);
// Retries until `deadline`, because the other side may start later, or until `stop` is set. Returns
// the error of the last attempt.
Result<UniqueFd> connect_to(const std::string& host, std::uint16_t port,
                            std::chrono::steady_clock::time_point deadline,
                            const std::atomic<bool>* stop = nullptr);

std::string local_address(const UniqueFd& socket);  // numeric, without the port
std::string peer_address(const UniqueFd& socket);
bool is_loopback(std::string_view host);
std::string endpoint(const std::string& host, std::uint16_t port);  // "b:29500", "[::1]:29500"

}  // namespace tacho
