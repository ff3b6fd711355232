#include "base/sha256.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

// The examples of FIPS 180-4, and lengths around the end of a block with digests from sha256sum.
TEST(Sha256, MatchesReferenceDigests) {
  EXPECT_EQ(hex(Sha256::of("")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(Sha256::of("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(Sha256::of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(Sha256::of(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(hex(Sha256::of(std::string(55, 'x'))),
            "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072");
  EXPECT_EQ(hex(Sha256::of(std::string(56, 'x'))),
            "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e");
  EXPECT_EQ(hex(Sha256::of(std::string(63, 'x'))),
            "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2");
  EXPECT_EQ(hex(Sha256::of(std::string(64, 'x'))),
            "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c");
}

TEST(Sha256, DoesNotDependOnHowTheInputIsSplit) {
  const std::string text(300, 'y');
  for (std::size_t cut = 0; cut <= text.size(); cut += 13) {
    Sha256 sum;
    sum.add(std::string_view(text).substr(0, cut));
    sum.add(std::string_view(text).substr(cut));
    EXPECT_EQ(sum.digest(), Sha256::of(text)) << cut;
  }
}

}  // namespace
}  // namespace tacho
