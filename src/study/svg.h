#pragma once

#include <string>
#include <string_view>

namespace tacho {

// The elements of charts. Colours and widths come from the CSS classes.

struct SvgPlace {
  double x = 0;
  double y = 0;
};

std::string svg_text(SvgPlace at, std::string_view style, std::string_view text);
std::string svg_line(SvgPlace from, SvgPlace to, std::string_view style);
// `title`: the tooltip.
std::string svg_dot(SvgPlace at, double radius, std::string_view style, std::string_view title);
std::string svg_box(SvgPlace corner, double width, double height, std::string_view style);
std::string svg_picture(double width, double height, std::string_view label,
                        std::string_view inner);

}  // namespace tacho
