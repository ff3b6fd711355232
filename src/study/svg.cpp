#include "study/svg.h"

#include <fmt/format.h>

#include "report/html_text.h"
#include "study/chart.h"

namespace tacho {

std::string svg_text(SvgPlace at, std::string_view style, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>", at.x, at.y, style,
                     html_text(text));
}

std::string svg_line(SvgPlace from, SvgPlace to, std::string_view style) {
  return fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" class=\"{}\"/>", from.x, from.y,
                     to.x, to.y, style);
}

std::string svg_dot(SvgPlace at, double radius, std::string_view style, std::string_view title) {
  return fmt::format(
      "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" class=\"{}\"><title>{}</title></circle>",
      at.x, at.y, radius, style, html_text(title));
}

std::string svg_box(SvgPlace corner, double width, double height, std::string_view style) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\"/>", corner.x,
      corner.y, width, height, style);
}

std::string svg_picture(double width, double height, std::string_view label,
                        std::string_view inner) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{}\" viewBox=\"0 0 {:.0f} {:.0f}\" "
      "width=\"{:.0f}\" style=\"width:{:.0f}px\" role=\"img\" aria-label=\"{}\">{}</svg>",
      kChartClass, width, height, width, width, html_text(label), inner);
}

}  // namespace tacho
