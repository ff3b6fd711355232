#include "tracing/report/svg.h"

#include <gtest/gtest.h>

#include <array>

namespace tacho {
namespace {

TEST(Svg, LinesConnectTheirPlaces) {
  EXPECT_EQ(svg_line({0, 1}, {2.25, 3}, "a b"), "<path class=\"a b\" d=\"M0.0 1.0L2.2 3.0\"/>");
  const std::array<SvgPlace, 3> places{{{0, 0}, {1, 1}, {2, 0}}};
  EXPECT_EQ(svg_line(places, "a"), "<path class=\"a\" d=\"M0.0 0.0L1.0 1.0L2.0 0.0\"/>");
}

TEST(Svg, TooltipsAndTextsAreEscaped) {
  EXPECT_EQ(
      svg_dot({1, 2}, 3.5, "a", "<b>"),
      "<circle class=\"a\" cx=\"1.0\" cy=\"2.0\" r=\"3.5\"><title>&lt;b&gt;</title></circle>");
  EXPECT_EQ(svg_text({1, 2}, "a", "&"), "<text class=\"a\" x=\"1.0\" y=\"2.0\">&amp;</text>");
}

TEST(Svg, BoxesAndStretchedDotsNeedNoTooltip) {
  EXPECT_EQ(svg_box({1, 2}, 3, 4, "a"),
            "<rect class=\"a\" x=\"1.0\" y=\"2.0\" width=\"3.0\" height=\"4.0\"/>");
  EXPECT_EQ(svg_stretched_dot({1, 2}, "a"), "<path class=\"a\" d=\"M1.0 2.0h0.01\"/>");
}

TEST(Svg, OnlyAStretchedPictureLosesItsProportions) {
  EXPECT_EQ(svg_stretched(1000, 40, "row", "\"runs\"", "<g/>"),
            "<svg class=\"row\" viewBox=\"0 0 1000 40\" preserveAspectRatio=\"none\" role=\"img\" "
            "aria-label=\"&quot;runs&quot;\"><g/></svg>");
  EXPECT_EQ(svg_picture(760, 90, "c", "t", ""),
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"c\" viewBox=\"0 0 760 90\" "
            "width=\"760\" style=\"width:760px\" role=\"img\" aria-label=\"t\"></svg>");
}

}  // namespace
}  // namespace tacho
