// Tests against a real redis-server.
#include "serving/infer/redis_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/write.hpp>
#include <csignal>
#include <cstdlib>

#include "base/scratch_folder.h"
#include "base/subprocess.h"
#include "serving/infer/sealed_entry.h"

namespace tacho::infer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::uint16_t free_port() {
  boost::asio::io_context io;
  using boost::asio::ip::tcp;
  return tcp::acceptor(io, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0))
      .local_endpoint()
      .port();
}

// A redis-server for the test that stores nothing on disk.
class RedisServer {
 public:
  explicit RedisServer(std::uint16_t port, std::vector<std::string> more = {}) : port_(port) {
    std::vector<std::string> argv = {
        "redis-server", "--port",       std::to_string(port), "--bind", "127.0.0.1", "--save", "",
        "--dir",        folder_.path(), "--appendonly",       "no"};
    argv.insert(argv.end(), more.begin(), more.end());
    const UniqueFd nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
    auto started = Process::start({.argv = argv, .out = nowhere.get(), .err = nowhere.get()});
    if (!started.ok()) return;
    process_.emplace(*std::move(started));
    while (command("PING").empty()) {  // NOAUTH is an answer, too
      if (process_->wait_for(std::chrono::milliseconds(5))) {
        process_.reset();
        return;
      }
    }
  }
  [[nodiscard]] bool started() const { return process_.has_value(); }
  void signal(int number) {
    process_->signal(number);
    if (number == SIGKILL) process_->wait();
  }
  // Runs a command on a separate connection and waits for the answer; "" if there is no connection.
  std::string command(const std::string& line) const {
    namespace asio = boost::asio;
    asio::io_context io;
    asio::ip::tcp::socket socket(io);
    boost::system::error_code failure;
    socket.connect({asio::ip::address_v4::loopback(), port_}, failure);
    if (!failure) asio::write(socket, asio::buffer(line + "\r\n"), failure);
    RedisReplyReader reader;
    while (!failure) {
      auto reply = reader.next();
      if (!reply.ok()) return "";
      if (*reply)
        return (*reply)->kind == RedisReply::Kind::number ? std::to_string((*reply)->number)
                                                          : (*reply)->text;
      std::array<char, 4096> bytes{};
      reader.feed({bytes.data(), socket.read_some(asio::buffer(bytes), failure)});
    }
    return "";
  }

 private:
  ScratchFolder folder_;
  std::uint16_t port_;
  std::optional<Process> process_;
};

class RedisCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to connections that may have ended
    start_server();
    if (server_->started()) return;
    const char* components = std::getenv("TACHO_COMPONENTS");
    ASSERT_TRUE(components == nullptr || std::string_view(components) != "required")
        << "redis-server does not start; script/bootstrap installs it";
    GTEST_SKIP() << "SKIPPED: redis-server is not installed";
  }
  void start_server(std::vector<std::string> more = {}) {
    server_ = std::make_unique<RedisServer>(port_, std::move(more));
  }
  void begin(const std::string& prefix = "test:",
             std::chrono::milliseconds timeout = kLongTimeout) {
    options_.prefix = prefix;
    options_.timeout = timeout;
    cache_ = std::make_unique<RedisCache>(io_, options_);
  }
  template <class Condition>
  void run_until(const Condition& holds) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!holds() && std::chrono::steady_clock::now() < give_up) {
      io_.run_one_for(std::chrono::milliseconds(10));
    }
    ASSERT_TRUE(holds());
  }
  void await_up() {
    run_until([this] { return cache_->counts().usable; });
  }
  std::vector<std::optional<Prediction>> look(const std::vector<std::string>& names) {
    std::vector<Key> keys;
    for (const std::string& name : names) keys.push_back(Sha256::of(name));
    std::optional<Cache::Entries> found;
    cache_->find(keys, [&](Cache::Entries entries) { found = std::move(entries); });
    run_until([&] { return found.has_value(); });
    return *found;
  }
  void keep(const std::string& name, const Prediction& prediction) {
    cache_->keep(Sha256::of(name), prediction);
  }
  std::string stored(const std::string& name, const std::string& prefix = "test:") {
    return server_->command("GET " + prefix + hex(Sha256::of(name)));
  }

  // Long enough that a loaded machine does not make a look-up time out.
  static constexpr std::chrono::milliseconds kLongTimeout{30'000};
  const std::uint16_t port_ = free_port();
  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      io_.get_executor()};
  std::unique_ptr<RedisServer> server_;
  std::vector<std::string> log_;
  RedisCache::Options options_ = {.address = {"127.0.0.1", port_, 0},
                                  .signing_key = "the model's",
                                  .classes = 2,
                                  .ttl = std::chrono::seconds(100),
                                  .log = [this](const std::string& line) { log_.push_back(line); }};
  std::unique_ptr<RedisCache> cache_;
};

const Prediction kOne{{0.25F, 0.75F}};
const Prediction kOther{{1.0F, 0.0F}};

TEST_F(RedisCacheTest, FindsStoredEntries) {
  begin();
  await_up();
  keep("a", kOne);
  keep("b", kOther);
  EXPECT_THAT(look({"a", "nothing", "b"}), ElementsAre(kOne, std::nullopt, kOther));
  EXPECT_EQ(stored("a"), seal_entry("the model's", "test:" + hex(Sha256::of("a")), to_bytes(kOne)));
}

TEST_F(RedisCacheTest, SetsATtlAndSeparatesModels) {
  begin("one:");
  await_up();
  keep("a", kOne);
  EXPECT_THAT(look({"a"}), ElementsAre(kOne));
  EXPECT_NE(server_->command("TTL one:" + hex(Sha256::of("a"))), "-1");
  begin("another model:");
  await_up();
  EXPECT_THAT(look({"a"}), ElementsAre(std::nullopt));
}

TEST_F(RedisCacheTest, PipelinesAThousandLookUps) {
  begin();
  await_up();
  keep("a", kOne);
  int came = 0;
  const std::array<Key, 1> keys = {Sha256::of("a")};
  for (int i = 0; i < 1000; ++i) {
    cache_->find(keys, [&](const Cache::Entries& entries) { came += entries[0] == kOne ? 1 : 0; });
  }
  run_until([&] { return came == 1000; });
}

TEST_F(RedisCacheTest, RejectsInvalidEntries) {
  begin();
  await_up();
  server_->command("SET test:" + hex(Sha256::of("a")) + " junk");
  server_->command("LPUSH test:" + hex(Sha256::of("b")) + " list");
  EXPECT_THAT(look({"a", "b"}), ElementsAre(std::nullopt, std::nullopt));
  EXPECT_EQ(cache_->counts().unusable, 1U);
}

TEST_F(RedisCacheTest, RejectsEntriesOfOtherClients) {
  begin();
  await_up();
  keep("a", kOne);
  EXPECT_THAT(look({"a"}), ElementsAre(kOne));
  // A valid entry under another name; then one signed with another key.
  server_->command("RENAME test:" + hex(Sha256::of("a")) + " test:" + hex(Sha256::of("b")));
  EXPECT_THAT(look({"a", "b"}), ElementsAre(std::nullopt, std::nullopt));
  options_.signing_key = "somebody else's";
  begin();
  await_up();
  keep("c", kOther);
  EXPECT_THAT(look({"c"}), ElementsAre(kOther));
  options_.signing_key = "the model's";
  begin();
  await_up();
  EXPECT_THAT(look({"c"}), ElementsAre(std::nullopt));
  EXPECT_EQ(cache_->counts().unusable, 1U);
}

TEST_F(RedisCacheTest, ReconnectsAfterARestart) {
  begin();
  await_up();
  keep("a", kOne);
  EXPECT_THAT(look({"a"}), ElementsAre(kOne));
  server_->signal(SIGKILL);
  run_until([this] { return !cache_->counts().usable; });
  EXPECT_THAT(look({"a"}), ElementsAre(std::nullopt));
  keep("a", kOne);  // dropped
  start_server();
  await_up();
  EXPECT_THAT(look({"a"}), ElementsAre(std::nullopt));  // nothing was stored on disk
  keep("a", kOther);
  EXPECT_THAT(look({"a"}), ElementsAre(kOther));
  EXPECT_EQ(cache_->counts().lost, 1U);
  EXPECT_THAT(log_,
              ElementsAre(HasSubstr("requests continue without it"), HasSubstr("answers again")));
}

TEST_F(RedisCacheTest, SkipsAStoppedServerUntilItContinues) {
  begin("test:", std::chrono::milliseconds(20));
  await_up();
  server_->signal(SIGSTOP);
  EXPECT_THAT(look({"a"}), ElementsAre(std::nullopt));
  EXPECT_EQ(cache_->counts().timeouts, 1U);
  EXPECT_FALSE(cache_->counts().usable);
  // Later look-ups do not wait.
  bool at_once = false;
  const std::array<Key, 1> keys = {Sha256::of("a")};
  cache_->find(keys, [&](const Cache::Entries&) { at_once = true; });
  EXPECT_TRUE(at_once);
  // After a while the connection is closed, too, and the cache reconnects.
  run_until([this] { return cache_->counts().lost == 1; });
  EXPECT_EQ(log_.size(), 1U);
  server_->signal(SIGCONT);
  await_up();
  EXPECT_THAT(log_, ElementsAre(HasSubstr("no answer within 20 ms"), HasSubstr("answers again")));
}

TEST_F(RedisCacheTest, AFullServerStillAnswers) {
  begin();
  await_up();
  keep("a", kOne);
  EXPECT_THAT(look({"a"}), ElementsAre(kOne));
  server_->command("CONFIG SET maxmemory-policy noeviction");
  server_->command("CONFIG SET maxmemory 1");
  keep("b", kOne);
  keep("c", kOne);
  run_until([this] { return cache_->counts().unkept == 2; });
  EXPECT_THAT(look({"a"}), ElementsAre(kOne));
  EXPECT_TRUE(cache_->counts().usable);
  server_->command("CONFIG SET maxmemory 0");
  keep("b", kOther);
  EXPECT_THAT(look({"b"}), ElementsAre(kOther));
  EXPECT_THAT(log_, ElementsAre(HasSubstr("does not store new answers: OOM"),
                                HasSubstr("stores new answers again")));
}

TEST_F(RedisCacheTest, ConnectsInTheBackground) {
  server_->signal(SIGKILL);
  begin();
  EXPECT_THAT(look({"a"}), ElementsAre(std::nullopt));
  run_until([this] { return log_.size() == 1; });
  start_server();
  await_up();
  EXPECT_EQ(log_.size(), 2U);
}

TEST_F(RedisCacheTest, IsUnusableWithoutTheRequiredPassword) {
  server_->signal(SIGKILL);
  start_server({"--requirepass", "secret"});
  begin();
  run_until([this] { return log_.size() == 1; });
  EXPECT_THAT(log_[0], HasSubstr("NOAUTH"));
  EXPECT_FALSE(cache_->counts().usable);
}

TEST_F(RedisCacheTest, AuthenticatesWithAPassword) {
  server_->signal(SIGKILL);
  start_server({"--requirepass", "secret"});
  options_.address.password = "secret";
  begin();
  await_up();
  keep("a", kOne);
  EXPECT_THAT(look({"a"}), ElementsAre(kOne));
  options_.address.password = "wrong";
  begin();
  run_until([this] { return log_.size() == 1; });
  EXPECT_THAT(log_[0], HasSubstr("WRONGPASS"));
  EXPECT_FALSE(cache_->counts().usable);
}

TEST_F(RedisCacheTest, AuthenticatesWithUserAndPassword) {
  server_->command("ACL SETUSER me on >secret ~* +@all");
  server_->command("ACL SETUSER default off");
  options_.address.user = "me";
  options_.address.password = "secret";
  begin();
  await_up();
  keep("a", kOne);
  EXPECT_THAT(look({"a"}), ElementsAre(kOne));
}

#ifdef TACHO_OPENSSL
class RedisTlsTest : public RedisCacheTest {
 protected:
  void SetUp() override {
    RedisCacheTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    server_->signal(SIGKILL);
    for (const std::string name : {"server", "other"}) {
      const auto made =
          capture({.argv = {"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                            "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                            "/CN=" + name, "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                            file(name + "-key"), "-out", file(name)}},
                  std::chrono::minutes(1));
      ASSERT_TRUE(made.ok()) << made.error().message;
      ASSERT_TRUE(made->status.success()) << made->err;
    }
    start_server({"--tls-port", std::to_string(tls_port_), "--tls-cert-file", file("server"),
                  "--tls-key-file", file("server-key"), "--tls-ca-cert-file", file("server"),
                  "--tls-auth-clients", "no"});
    ASSERT_TRUE(server_->started()) << "redis-server without TLS";
    options_.address.port = tls_port_;
  }
  std::string file(const std::string& name) { return folder_.path() / (name + ".pem"); }
  void trust(const std::string& name, const std::string& host = "127.0.0.1") {
    auto streams = tls_streams(host, file(name));
    ASSERT_TRUE(streams.ok()) << streams.error().message;
    options_.streams = *std::move(streams);
  }

  ScratchFolder folder_;
  const std::uint16_t tls_port_ = free_port();
};

TEST_F(RedisTlsTest, ConnectsWithTls) {
  trust("server");
  begin();
  await_up();
  keep("a", kOne);
  keep("b", kOther);
  EXPECT_THAT(look({"a", "nothing", "b"}), ElementsAre(kOne, std::nullopt, kOther));
}

TEST_F(RedisTlsTest, RejectsAnUntrustedCertificate) {
  trust("other");
  begin();
  run_until([this] { return log_.size() == 1; });
  EXPECT_THAT(log_[0], HasSubstr("certificate verify failed"));
  EXPECT_FALSE(cache_->counts().usable);
}

TEST_F(RedisTlsTest, RejectsACertificateForAnotherName) {
  trust("server", "cache.example");
  begin();
  run_until([this] { return log_.size() == 1; });
  EXPECT_THAT(log_[0], HasSubstr("certificate verify failed"));
}

TEST_F(RedisTlsTest, RejectsAServerWithoutTls) {
  trust("server");
  options_.address.port = port_;
  begin();
  run_until([this] { return log_.size() == 1; });
  EXPECT_FALSE(cache_->counts().usable);
}

TEST_F(RedisTlsTest, ReportsAFileWithoutCertificates) {
  EXPECT_THAT(tls_streams("127.0.0.1", file("nothing")).error().message,
              HasSubstr("nothing.pem: cannot read certificates"));
}
#endif

}  // namespace
}  // namespace tacho::infer
