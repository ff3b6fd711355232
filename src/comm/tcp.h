#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace tacho {

// TCP sockets as the control line needs them: never inherited by a program this one starts, never
// blocking, every small line sent at once.

// On loopback where `host` is spelled so, else on every address of the machine.
Result<UniqueFd> listen_at(const std::string& host, std::uint16_t port);
// At one numeric address of this machine alone.
Result<UniqueFd> listen_only_at(const std::string& address, std::uint16_t port);
// A socket that somebody else bound and listens on.
Result<UniqueFd> adopt_listener(int fd);
// Nothing where nobody is waiting.
UniqueFd accept_from(const UniqueFd& listener);
// Tries until `deadline`, since the other side may start later, or until `stop` is set. The error
// is the last attempt's.
Result<UniqueFd> connect_to(const std::string& host, std::uint16_t port,
                            std::chrono::steady_clock::time_point deadline,
                            const std::atomic<bool>* stop = nullptr);

std::string local_address(const UniqueFd& socket);  // numeric, without the port
std::string peer_address(const UniqueFd& socket);
bool is_loopback(std::string_view host);
std::string endpoint(const std::string& host, std::uint16_t port);  // "b:29500", "[::1]:29500"

}  // namespace tacho
