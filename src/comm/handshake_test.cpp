#include "comm/handshake.h"

#include <gtest/gtest.h>

#include "comm/greeting.h"

namespace tacho {
namespace {

const std::string kSecret = "0123456789abcdef";

TEST(Handshake, BothSidesProveThatTheyKnowTheSecret) {
  const HubHandshake hub(kSecret);
  RankHandshake rank(kSecret);
  const auto proof = rank.answer(hub.challenge());
  ASSERT_TRUE(proof);
  const auto accepted = hub.judge(*proof);
  ASSERT_TRUE(accepted);
  const auto keys = rank.judge(accepted->answer);
  ASSERT_TRUE(keys);
  EXPECT_EQ(keys->outgoing, accepted->keys.incoming);
  EXPECT_EQ(keys->incoming, accepted->keys.outgoing);
  EXPECT_NE(keys->incoming, keys->outgoing);
}

TEST(Handshake, AnotherSecretProvesNothingToEitherSide) {
  const HubHandshake hub(kSecret);
  RankHandshake rank("another-secret-of-16");
  EXPECT_FALSE(hub.judge(*rank.answer(hub.challenge())));

  const HubHandshake impostor("another-secret-of-16");
  RankHandshake honest(kSecret);
  const auto proof = honest.answer(impostor.challenge());
  EXPECT_FALSE(impostor.judge(*proof));
}

TEST(Handshake, AProofIsOfNoUseOnAnotherConnection) {
  const HubHandshake first(kSecret);
  RankHandshake rank(kSecret);
  const auto proof = rank.answer(first.challenge());
  ASSERT_TRUE(first.judge(*proof));
  const HubHandshake second(kSecret);
  EXPECT_FALSE(second.judge(*proof));
}

TEST(Handshake, AProofSentBackProvesNothing) {
  const HubHandshake hub(kSecret);
  RankHandshake rank(kSecret);
  const auto proof = rank.answer(hub.challenge());
  EXPECT_FALSE(rank.judge(*proof));
  // Nor is rank 0's proof a rank's.
  Json turned = hub.judge(*proof)->answer;
  turned["nonce"] = text_of(*proof, "nonce");
  EXPECT_FALSE(hub.judge(turned));
}

TEST(Handshake, OnlyNoncesOfFullLengthCount) {
  const HubHandshake hub(kSecret);
  for (const std::string& nonce : {std::string(), std::string("00"), std::string(64, 'g'),
                                   std::string(64, 'A'), std::string(65, '0')}) {
    RankHandshake rank(kSecret);
    EXPECT_FALSE(rank.answer({{"kind", "challenge"}, {"nonce", nonce}}));
    EXPECT_FALSE(hub.judge({{"kind", "proof"}, {"nonce", nonce}, {"mac", std::string(64, '0')}}));
  }
  EXPECT_FALSE(hub.judge(Json::array()));
  EXPECT_FALSE(hub.judge({{"kind", 7}, {"nonce", 7}, {"mac", nullptr}}));
}

}  // namespace
}  // namespace tacho
