#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "serving/infer/cache.h"
#include "serving/infer/redis_address.h"
#include "serving/infer/redis_link.h"

namespace tacho::infer {

// Caches answers in Redis, shared with other servers of the same model. A Redis that is slow, full,
// restarted or gone delays a request by at most the timeout, once: then requests continue without
// it until it answers again, which is checked several times per second.
//
// Created and used on the thread that runs `io`; destroyed there, or when no thread runs it any
// more.
class RedisCache final : public Cache {
 public:
  struct Options {
    RedisAddress address;
    std::string prefix;       // of all keys; identifies the model
    std::string signing_key;  // signs entries, so that foreign ones are rejected
    MakeStream streams = plain_streams();
    std::size_t classes = 0;
    std::chrono::seconds ttl{3600};
    std::chrono::milliseconds timeout{20};  // per look-up
    std::function<void(const std::string&)> log = {};
  };
  RedisCache(boost::asio::io_context& io, Options options);
  ~RedisCache() override;

  void find(std::span<const Key> keys, Found found) override;
  void keep(const Key& key, const Prediction& prediction) override;
  [[nodiscard]] CacheCounts counts() const override;

 private:
  using Clock = std::chrono::steady_clock;
  using Failure = boost::system::error_code;
  struct LookUp {
    std::vector<std::string> names;
    Found found;  // empty once called
    Clock::time_point until;
  };

  [[nodiscard]] std::string name_of(const Key& key) const { return options_.prefix + hex(key); }
  void connect();
  void connect_to(const boost::asio::ip::address& address);
  void handshake();
  void handshake_with(std::span<const std::string_view> words, std::function<void()> next);
  void fall_back(const std::string& why);
  void recover();
  void connect_again();
  void drop_link();

  std::optional<Prediction> entry_of(const std::string& name, const RedisReply& reply);
  void on_found(LookUp& look_up, const RedisReply* reply);
  void answered();
  void watch_look_ups();
  void time_out_look_ups();
  void on_kept(const RedisReply* reply);
  void log_line(const std::string& line) const;

  boost::asio::io_context& io_;
  Options options_;
  boost::asio::ip::tcp::resolver resolver_;
  boost::asio::steady_timer retry_;
  boost::asio::steady_timer watch_;
  std::shared_ptr<RedisLink> link_;               // shared with pending operations
  std::deque<std::shared_ptr<LookUp>> look_ups_;  // shared with pending answers
  CacheCounts counts_;
  std::chrono::milliseconds pause_{0};  // before the next attempt to connect
  bool up_ = false;                     // true while it answers
  bool logged_ = false;                 // the outage was logged
  bool full_ = false;
  bool watching_ = false;
  std::size_t pending_writes_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // observed by pending answers
  Clock::time_point down_since_ = Clock::now();
  Clock::time_point last_answer_ = Clock::now();
};

}  // namespace tacho::infer
