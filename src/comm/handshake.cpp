#include "comm/handshake.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/hmac.h"
#include "comm/greeting.h"
#include "comm/job_secret.h"

namespace tacho {
namespace {

// What a mark is for. No two purposes share a mark, and none is another's beginning followed by a
// nonce: lines end the words, and nonces have one length.
std::string mark(const std::string& secret, std::string_view purpose, std::string_view of_hub,
                 std::string_view of_rank) {
  return hmac_sha256_hex(secret,
                         fmt::format("tacho rendezvous 1\n{}\n{}\n{}\n", purpose, of_hub, of_rank));
}

constexpr std::string_view kRankProves = "rank";
constexpr std::string_view kHubProves = "rank 0";
constexpr std::string_view kRankSends = "from rank";
constexpr std::string_view kHubSends = "from rank 0";

bool is_nonce(std::string_view text) {
  constexpr std::size_t kDigits = 64;
  return text.size() == kDigits && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace

HubHandshake::HubHandshake(std::string secret)
    : secret_(std::move(secret)), nonce_(new_job_secret()) {}

Json HubHandshake::challenge() const { return {{"kind", "challenge"}, {"nonce", nonce_}}; }

std::optional<HubHandshake::Accepted> HubHandshake::judge(const Json& proof) const {
  const std::string theirs = text_of(proof, "nonce");
  if (kind_of(proof) != "proof" || !is_nonce(theirs)) return std::nullopt;
  const std::string expected = mark(secret_, kRankProves, nonce_, theirs);
  if (!equal_in_constant_time(text_of(proof, "mac"), expected)) return std::nullopt;
  return Accepted{.answer = {{"kind", "proof"}, {"mac", mark(secret_, kHubProves, nonce_, theirs)}},
                  .keys = {.outgoing = mark(secret_, kHubSends, nonce_, theirs),
                           .incoming = mark(secret_, kRankSends, nonce_, theirs)}};
}

RankHandshake::RankHandshake(std::string secret)
    : secret_(std::move(secret)), nonce_(new_job_secret()) {}

std::optional<Json> RankHandshake::answer(const Json& challenge) {
  challenge_ = text_of(challenge, "nonce");
  if (kind_of(challenge) != "challenge" || !is_nonce(challenge_)) return std::nullopt;
  return Json{{"kind", "proof"},
              {"nonce", nonce_},
              {"mac", mark(secret_, kRankProves, challenge_, nonce_)}};
}

std::optional<LineKeys> RankHandshake::judge(const Json& proof) const {
  const std::string expected = mark(secret_, kHubProves, challenge_, nonce_);
  if (kind_of(proof) != "proof" || !equal_in_constant_time(text_of(proof, "mac"), expected)) {
    return std::nullopt;
  }
  return LineKeys{.outgoing = mark(secret_, kRankSends, challenge_, nonce_),
                  .incoming = mark(secret_, kHubSends, challenge_, nonce_)};
}

}  // namespace tacho
