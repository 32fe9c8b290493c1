// Drawing a diagram: where arrows run and labels stand, so that none covers another.
#pragma once

#include <string>
#include <vector>

#include "conformance/report/life_cycles.hpp"

namespace mrproof::conformance {

/// A point of a drawing, in pixels.
struct Point {
  double x = 0;
  double y = 0;
};

/// A rectangle of a drawing.
struct Box {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;

  [[nodiscard]] bool overlaps(const Box& other) const {
    return left < other.left + other.width && other.left < left + width &&
           top < other.top + other.height && other.top < top + height;
  }
  [[nodiscard]] bool contains(const Point& point) const {
    return left <= point.x && point.x <= left + width && top <= point.y && point.y <= top + height;
  }
};

/// All transitions from one state to another, as one arrow: a quadratic curve.
struct Arrow {
  std::size_t from = 0;
  std::size_t to = 0;
  Point start, bend, end;
  std::vector<std::string> label;  ///< a line each
  Box place;                       ///< of the label
  bool taken = false;              ///< of a path: some step took it
};

/// A diagram laid out. Transitions from a state to itself are not drawn.
struct Layout {
  std::vector<Box> states;
  std::vector<Arrow> arrows;
  double width = 0;
  double height = 0;
};

/// Lays the diagram out; the same diagram always gets the same layout.
Layout lay_out(const Diagram& diagram);

/// The point of the arrow at `way`, from 0 (its start) to 1 (its end).
Point point_of(const Arrow& arrow, double way);

/// The diagram as SVG. Colours are the CSS variables --ink, --paper, --soft, --line, --idle,
/// --blue and, where a path ends, --bad.
std::string draw_diagram(const Diagram& diagram);

}  // namespace mrproof::conformance
