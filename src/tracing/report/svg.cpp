#include "tracing/report/svg.h"

#include <fmt/format.h>

#include <array>

#include "tracing/report/html_text.h"

namespace tacho {
namespace {

// Closes an element that is open up to its attributes.
std::string closed(std::string element, std::string_view name, std::string_view title) {
  if (title.empty()) return std::move(element) + "/>";
  return fmt::format("{}><title>{}</title></{}>", element, html_text(title), name);
}

}  // namespace

std::string svg_text(SvgPlace at, std::string_view style, std::string_view text) {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", style, at.x, at.y,
                     html_text(text));
}

std::string svg_line(std::span<const SvgPlace> through, std::string_view style) {
  std::string out = fmt::format("<path class=\"{}\" d=\"", style);
  char step = 'M';
  for (const SvgPlace& at : through) {
    out += fmt::format("{}{:.1f} {:.1f}", step, at.x, at.y);
    step = 'L';
  }
  return out + "\"/>";
}

std::string svg_line(SvgPlace from, SvgPlace to, std::string_view style) {
  return svg_line(std::array{from, to}, style);
}

std::string svg_dot(SvgPlace at, double radius, std::string_view style, std::string_view title) {
  return closed(fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"", style,
                            at.x, at.y, radius),
                "circle", title);
}

std::string svg_box(SvgPlace corner, double width, double height, std::string_view style,
                    std::string_view title) {
  return closed(
      fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"",
                  style, corner.x, corner.y, width, height),
      "rect", title);
}

std::string svg_picture(double width, double height, std::string_view style, std::string_view label,
                        std::string_view inner) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{}\" viewBox=\"0 0 {:.0f} {:.0f}\" "
      "width=\"{:.0f}\" style=\"width:{:.0f}px\" role=\"img\" aria-label=\"{}\">{}</svg>",
      style, width, height, width, width, html_text(label), inner);
}

std::string svg_stretched(double width, double height, std::string_view style,
                          std::string_view label, std::string_view inner) {
  return fmt::format(
      "<svg class=\"{}\" viewBox=\"0 0 {:.0f} {:.0f}\" preserveAspectRatio=\"none\" role=\"img\" "
      "aria-label=\"{}\">{}</svg>",
      style, width, height, html_text(label), inner);
}

std::string svg_stretched_dot(SvgPlace at, std::string_view style, std::string_view title) {
  return closed(fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}h0.01\"", style, at.x, at.y),
                "path", title);
}

}  // namespace tacho
