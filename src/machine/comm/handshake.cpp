#include "machine/comm/handshake.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/hmac.h"
#include "machine/comm/greeting.h"
#include "machine/comm/job_secret.h"

namespace tacho {
namespace {

// Derives a value for one purpose. The encoding is unambiguous: newlines end the fields, and all
// nonces have the same length.
std::string derive(const std::string& secret, std::string_view purpose,
                   std::string_view server_nonce, std::string_view client_nonce) {
  return hmac_sha256_hex(
      secret, fmt::format("tacho rendezvous 1\n{}\n{}\n{}\n", purpose, server_nonce, client_nonce));
}

constexpr std::string_view kClientProof = "rank";
constexpr std::string_view kServerProof = "rank 0";
constexpr std::string_view kClientKey = "from rank";
constexpr std::string_view kServerKey = "from rank 0";

bool is_nonce(std::string_view text) {
  constexpr std::size_t kDigits = 64;
  return text.size() == kDigits && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace

ServerHandshake::ServerHandshake(std::string secret)
    : secret_(std::move(secret)), nonce_(new_job_secret()) {}

Json ServerHandshake::challenge() const { return {{"kind", "challenge"}, {"nonce", nonce_}}; }

std::optional<ServerHandshake::Accepted> ServerHandshake::verify(const Json& proof) const {
  const std::string theirs = text_of(proof, "nonce");
  if (kind_of(proof) != "proof" || !is_nonce(theirs)) return std::nullopt;
  const std::string expected = derive(secret_, kClientProof, nonce_, theirs);
  if (!equal_in_constant_time(text_of(proof, "mac"), expected)) return std::nullopt;
  return Accepted{
      .answer = {{"kind", "proof"}, {"mac", derive(secret_, kServerProof, nonce_, theirs)}},
      .keys = {.outgoing = derive(secret_, kServerKey, nonce_, theirs),
               .incoming = derive(secret_, kClientKey, nonce_, theirs)}};
}

ClientHandshake::ClientHandshake(std::string secret)
    : secret_(std::move(secret)), nonce_(new_job_secret()) {}

std::optional<Json> ClientHandshake::answer(const Json& challenge) {
  challenge_ = text_of(challenge, "nonce");
  if (kind_of(challenge) != "challenge" || !is_nonce(challenge_)) return std::nullopt;
  return Json{{"kind", "proof"},
              {"nonce", nonce_},
              {"mac", derive(secret_, kClientProof, challenge_, nonce_)}};
}

std::optional<ConnectionKeys> ClientHandshake::verify(const Json& proof) const {
  const std::string expected = derive(secret_, kServerProof, challenge_, nonce_);
  if (kind_of(proof) != "proof" || !equal_in_constant_time(text_of(proof, "mac"), expected)) {
    return std::nullopt;
  }
  return ConnectionKeys{.outgoing = derive(secret_, kClientKey, challenge_, nonce_),
                        .incoming = derive(secret_, kServerKey, challenge_, nonce_)};
}

}  // namespace tacho
