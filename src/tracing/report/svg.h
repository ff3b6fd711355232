#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tacho {

// The elements of charts. Colours and widths come from the CSS classes in `style`; `title` is the
// tooltip.

struct SvgPlace {
  double x = 0;
  double y = 0;
};

std::string svg_text(SvgPlace at, std::string_view style, std::string_view text);
// Connects the places in order.
std::string svg_line(std::span<const SvgPlace> through, std::string_view style);
std::string svg_line(SvgPlace from, SvgPlace to, std::string_view style);
std::string svg_dot(SvgPlace at, double radius, std::string_view style, std::string_view title);
std::string svg_box(SvgPlace corner, double width, double height, std::string_view style,
                    std::string_view title = "");

// A picture of this size, which a page may shrink.
std::string svg_picture(double width, double height, std::string_view style, std::string_view label,
                        std::string_view inner);

// A picture that stretches to the available width and to the height in its style. Lines keep their
// thickness; text belongs into the HTML around it, and a dot is a short line, which stays round.
std::string svg_stretched(double width, double height, std::string_view style,
                          std::string_view label, std::string_view inner);
std::string svg_stretched_dot(SvgPlace at, std::string_view style, std::string_view title = "");

}  // namespace tacho
