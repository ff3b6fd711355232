#include "machine/comm/handshake.h"

#include <gtest/gtest.h>

#include "machine/comm/greeting.h"

namespace tacho {
namespace {

const std::string kSecret = "0123456789abcdef";

TEST(Handshake, BothSidesProveThatTheyKnowTheSecret) {
  const ServerHandshake server(kSecret);
  ClientHandshake client(kSecret);
  const auto proof = client.answer(server.challenge());
  ASSERT_TRUE(proof);
  const auto accepted = server.verify(*proof);
  ASSERT_TRUE(accepted);
  const auto keys = client.verify(accepted->answer);
  ASSERT_TRUE(keys);
  EXPECT_EQ(keys->outgoing, accepted->keys.incoming);
  EXPECT_EQ(keys->incoming, accepted->keys.outgoing);
  EXPECT_NE(keys->incoming, keys->outgoing);
}

TEST(Handshake, AnotherSecretProvesNothingToEitherSide) {
  const ServerHandshake server(kSecret);
  ClientHandshake client("another-secret-of-16");
  EXPECT_FALSE(server.verify(*client.answer(server.challenge())));

  const ServerHandshake impostor("another-secret-of-16");
  ClientHandshake honest(kSecret);
  const auto proof = honest.answer(impostor.challenge());
  EXPECT_FALSE(impostor.verify(*proof));
}

TEST(Handshake, RejectsAProofOfAnotherConnection) {
  const ServerHandshake first(kSecret);
  ClientHandshake client(kSecret);
  const auto proof = client.answer(first.challenge());
  ASSERT_TRUE(first.verify(*proof));
  const ServerHandshake second(kSecret);
  EXPECT_FALSE(second.verify(*proof));
}

TEST(Handshake, RejectsAReflectedProof) {
  const ServerHandshake server(kSecret);
  ClientHandshake client(kSecret);
  const auto proof = client.answer(server.challenge());
  EXPECT_FALSE(client.verify(*proof));
  // Rank 0's proof is not valid as a rank's.
  Json turned = server.verify(*proof)->answer;
  turned["nonce"] = text_of(*proof, "nonce");
  EXPECT_FALSE(server.verify(turned));
}

TEST(Handshake, RejectsMalformedNonces) {
  const ServerHandshake server(kSecret);
  for (const std::string& nonce : {std::string(), std::string("00"), std::string(64, 'g'),
                                   std::string(64, 'A'), std::string(65, '0')}) {
    ClientHandshake client(kSecret);
    EXPECT_FALSE(client.answer({{"kind", "challenge"}, {"nonce", nonce}}));
    EXPECT_FALSE(
        server.verify({{"kind", "proof"}, {"nonce", nonce}, {"mac", std::string(64, '0')}}));
  }
  EXPECT_FALSE(server.verify(Json::array()));
  EXPECT_FALSE(server.verify({{"kind", 7}, {"nonce", 7}, {"mac", nullptr}}));
}

}  // namespace
}  // namespace tacho
