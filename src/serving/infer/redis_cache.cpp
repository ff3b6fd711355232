#include "serving/infer/redis_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "serving/infer/sealed_entry.h"

namespace tacho::infer {
namespace {

constexpr std::chrono::milliseconds kFirstPause{50};
constexpr std::chrono::milliseconds kLongestPause{400};
// Limit from the attempt to connect to the first answer.
constexpr std::chrono::milliseconds kHandshakeTimeout{400};
// A connection without any answer for this long is considered lost.
constexpr std::chrono::milliseconds kSilenceTimeout{1000};
// Limit of pending writes; more are not worth the memory.
constexpr std::size_t kMaxPendingWrites = 10'000;

}  // namespace

RedisCache::RedisCache(boost::asio::io_context& io, Options options)
    : io_(io), options_(std::move(options)), resolver_(io), retry_(io), watch_(io) {
  counts_.usable = false;
  connect();
}

RedisCache::~RedisCache() {
  alive_.reset();
  if (link_) link_->close();
}

void RedisCache::log_line(const std::string& line) const {
  if (options_.log) options_.log(fmt::format("redis at {}: {}", options_.address.text(), line));
}

// Resolves the name each time: the address may have changed.
void RedisCache::connect() {
  boost::system::error_code not_numbers;
  const auto address = boost::asio::ip::make_address(options_.address.host, not_numbers);
  if (!not_numbers) return connect_to(address);
  resolver_.async_resolve(options_.address.host, std::to_string(options_.address.port),
                          [this](Failure failure, const auto& results) {
                            if (failure == boost::asio::error::operation_aborted) return;
                            if (failure) return fall_back(failure.message());
                            connect_to(results.begin()->endpoint().address());
                          });
}

void RedisCache::connect_to(const boost::asio::ip::address& address) {
  link_ = RedisLink::connect(io_, options_.streams, {address, options_.address.port},
                             {.connected = [this] { handshake(); },
                              .lost = [this](const std::string& why) { fall_back(why); }});
  retry_.expires_after(kHandshakeTimeout);
  retry_.async_wait([this](Failure failure) {
    if (!failure && !up_) fall_back("no answer");
  });
}

// Requires an answer: the system accepts connections even for a stopped process.
void RedisCache::handshake() {
  const auto select = [this] {
    const std::string database = std::to_string(options_.address.database);
    handshake_with(std::array<std::string_view, 2>{"SELECT", database}, [this] { recover(); });
  };
  const RedisAddress& address = options_.address;
  if (address.password.empty()) return select();
  std::vector<std::string_view> auth = {"AUTH"};
  if (!address.user.empty()) auth.push_back(address.user);
  auth.push_back(address.password);
  handshake_with(auth, select);
}

void RedisCache::handshake_with(std::span<const std::string_view> words,
                                std::function<void()> next) {
  link_->send(words, [this, next = std::move(next),
                      alive = std::weak_ptr(alive_)](const RedisReply* reply) {
    if (alive.expired() || reply == nullptr) return;
    if (reply->kind == RedisReply::Kind::error) return fall_back(reply->text);
    next();
  });
}

void RedisCache::recover() {
  retry_.cancel();
  up_ = counts_.usable = true;
  pause_ = {};
  last_answer_ = Clock::now();
  if (!std::exchange(logged_, false)) return;
  const std::chrono::duration<double> gone = Clock::now() - down_since_;
  log_line(fmt::format("answers again, after {:.1f} s", gone.count()));
}

// Logs once per outage, however many requests notice it.
void RedisCache::fall_back(const std::string& why) {
  if (std::exchange(up_, false)) ++counts_.lost;
  if (std::exchange(counts_.usable, false)) down_since_ = Clock::now();
  if (!std::exchange(logged_, true)) log_line(why + "; requests continue without it");
  drop_link();
  connect_again();
}

void RedisCache::drop_link() {
  const auto link = std::exchange(link_, nullptr);
  pending_writes_ = 0;
  if (link) link->close();
  for (const auto& late : std::exchange(look_ups_, {})) {
    if (late->found) std::exchange(late->found, nullptr)(Entries(late->names.size()));
  }
}

void RedisCache::connect_again() {
  pause_ = std::clamp(pause_ * 2, kFirstPause, kLongestPause);
  retry_.expires_after(pause_);
  retry_.async_wait([this](Failure failure) {
    if (!failure) connect();
  });
}

void RedisCache::find(std::span<const Key> keys, Found found) {
  if (!up_ || !counts_.usable) return found(Entries(keys.size()));
  std::vector<std::string> names;
  names.reserve(keys.size());
  for (const Key& key : keys) names.push_back(name_of(key));
  const auto look_up = std::make_shared<LookUp>(
      LookUp{std::move(names), std::move(found), Clock::now() + options_.timeout});
  std::vector<std::string_view> words = {"MGET"};
  words.insert(words.end(), look_up->names.begin(), look_up->names.end());
  const bool sent =
      link_->send(words, [this, look_up, alive = std::weak_ptr(alive_)](const RedisReply* reply) {
        if (!alive.expired()) on_found(*look_up, reply);
      });
  if (!sent) return std::exchange(look_up->found, nullptr)(Entries(keys.size()));
  look_ups_.push_back(look_up);
  if (!watching_) watch_look_ups();
}

void RedisCache::on_found(LookUp& look_up, const RedisReply* reply) {
  if (reply != nullptr) answered();
  if (!look_up.found) return;  // it timed out
  const std::size_t count = look_up.names.size();
  Entries entries(count);
  if (reply != nullptr && reply->kind == RedisReply::Kind::list && reply->items.size() == count) {
    for (std::size_t i = 0; i < count; ++i) {
      entries[i] = entry_of(look_up.names[i], reply->items[i]);
    }
  }
  std::exchange(look_up.found, nullptr)(std::move(entries));
}

std::optional<Prediction> RedisCache::entry_of(const std::string& name, const RedisReply& reply) {
  if (reply.kind != RedisReply::Kind::text) return std::nullopt;
  std::optional<Prediction> prediction;
  if (const auto content = open_entry(options_.signing_key, name, reply.text)) {
    prediction = prediction_from_bytes(*content, options_.classes);
  }
  if (!prediction) ++counts_.unusable;
  return prediction;
}

// A late answer still shows that the server is up.
void RedisCache::answered() {
  last_answer_ = Clock::now();
  while (!look_ups_.empty() && !look_ups_.front()->found) look_ups_.pop_front();
  if (!counts_.usable && up_) recover();
  counts_.usable = up_;
}

void RedisCache::watch_look_ups() {
  while (!look_ups_.empty() && !look_ups_.front()->found) look_ups_.pop_front();
  watching_ = !look_ups_.empty();
  if (!watching_) return;
  watch_.expires_at(look_ups_.front()->until);
  watch_.async_wait([this](Failure failure) {
    if (failure) return;
    time_out_look_ups();
    watch_look_ups();
  });
}

// Later look-ups return immediately until an answer arrives.
void RedisCache::time_out_look_ups() {
  const auto now = Clock::now();
  bool late = false;
  while (!look_ups_.empty() && (!look_ups_.front()->found || look_ups_.front()->until <= now)) {
    const auto first = look_ups_.front();
    look_ups_.pop_front();
    if (!first->found) continue;
    late = true;
    ++counts_.timeouts;
    std::exchange(first->found, nullptr)(Entries(first->names.size()));
  }
  if (!late || !counts_.usable) return;
  counts_.usable = false;
  down_since_ = now;
  if (!std::exchange(logged_, true)) {
    log_line(fmt::format("no answer within {} ms; requests continue without it",
                         options_.timeout.count()));
  }
  // If there is still no answer, the connection itself may be dead.
  retry_.expires_after(kSilenceTimeout);
  retry_.async_wait([this](Failure failure) {
    if (!failure && up_ && !counts_.usable) fall_back("no answer");
  });
}

void RedisCache::keep(const Key& key, const Prediction& prediction) {
  if (!up_ || !counts_.usable || pending_writes_ >= kMaxPendingWrites) {
    ++counts_.unkept;
    return;
  }
  const std::string name = name_of(key);
  const std::string bytes = seal_entry(options_.signing_key, name, to_bytes(prediction));
  const std::string ttl = std::to_string(options_.ttl.count());
  const std::array<std::string_view, 5> words = {"SET", name, bytes, "EX", ttl};
  const bool sent =
      link_->send(words, [this, alive = std::weak_ptr(alive_)](const RedisReply* reply) {
        if (!alive.expired()) on_kept(reply);
      });
  if (sent) ++pending_writes_;
}

void RedisCache::on_kept(const RedisReply* reply) {
  if (reply == nullptr) return;  // the link is lost and its count is 0
  if (pending_writes_ > 0) --pending_writes_;
  answered();
  const bool refused = reply->kind == RedisReply::Kind::error;
  if (refused) ++counts_.unkept;
  if (refused && !std::exchange(full_, true)) {
    log_line(fmt::format("does not store new answers: {}", reply->text));
  } else if (!refused && std::exchange(full_, false)) {
    log_line("stores new answers again");
  }
}

CacheCounts RedisCache::counts() const { return counts_; }

}  // namespace tacho::infer
