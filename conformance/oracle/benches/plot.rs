//! A plot with two logarithmic axes, as an SVG that reads on light and on dark pages.

use std::fmt::Write as _;

/// One line of the plot.
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) dashed: bool,
    /// The index of one of the four colours.
    pub(crate) colour: usize,
    pub(crate) points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 460.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 650.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 400.0;

/// Colours that are safe for colour-blind readers (Okabe and Ito), and that stand out from both backgrounds.
const HEAD: &str = "<style>
  svg { background: #fff; font: 13px sans-serif; }
  text { fill: #222; } .grid { stroke: #ddd; } .axis { stroke: #222; }
  .series { fill: none; stroke-width: 2; } .dashed { stroke-dasharray: 5 4; }
  .c0 { stroke: #0072b2; } .c1 { stroke: #d55e00; } .c2 { stroke: #009e73; } .c3 { stroke: #aa4499; }
  @media (prefers-color-scheme: dark) {
    svg { background: #161616; } text { fill: #ddd; } .grid { stroke: #383838; } .axis { stroke: #ddd; }
    .c0 { stroke: #56b4e9; } .c1 { stroke: #ff9248; } .c2 { stroke: #2fd0a0; } .c3 { stroke: #dd99cc; }
  }
</style>
";

/// A logarithmic scale from whole decades to coordinates on the page.
struct Scale {
    /// log10 of the ends.
    ends: (f64, f64),
    places: (f64, f64),
}

impl Scale {
    fn over(values: impl Iterator<Item = f64>, places: (f64, f64)) -> Self {
        let (low, high) =
            values.fold((f64::MAX, f64::MIN_POSITIVE), |(low, high), x| (low.min(x), high.max(x)));
        // log10 of a measured power of ten is exact, that of a computed one may be off by an ulp.
        let low = low.min(high).log10().floor();
        Self { ends: (low, high.log10().ceil().max(low + 1.0)), places }
    }

    fn place(&self, value: f64) -> f64 {
        let part = (value.log10() - self.ends.0) / (self.ends.1 - self.ends.0);
        self.places.0 + part * (self.places.1 - self.places.0)
    }

    fn decades(&self) -> impl Iterator<Item = i32> + use<> {
        self.ends.0 as i32..=self.ends.1 as i32
    }
}

/// Returns the plot of nanoseconds per element over the number of elements.
pub(crate) fn svg(series: &[Series]) -> String {
    let points = || series.iter().flat_map(|series| &series.points);
    let across = Scale::over(points().map(|point| point.0), (LEFT, RIGHT));
    let up = Scale::over(points().map(|point| point.1), (BOTTOM, TOP));
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">\n\
         <title>Time an element over the number of elements</title>\n{HEAD}"
    );
    frame(&mut text, &across, &up);
    for (at, series) in series.iter().enumerate() {
        let class = format!("series c{}{}", series.colour, if series.dashed { " dashed" } else { "" });
        let line: Vec<String> = series
            .points
            .iter()
            .map(|&(x, y)| format!("{:.1},{:.1}", across.place(x), up.place(y)))
            .collect();
        let (y, from, to) = (TOP + 10.0 + 22.0 * at as f64, RIGHT + 25.0, RIGHT + 55.0);
        let _ = write!(
            text,
            "<polyline class=\"{class}\" points=\"{}\"/>\n\
             <line class=\"{class}\" x1=\"{from}\" x2=\"{to}\" y1=\"{y}\" y2=\"{y}\"/>\n\
             <text x=\"{}\" y=\"{}\">{}</text>\n",
            line.join(" "),
            to + 8.0,
            y + 4.0,
            series.name
        );
    }
    text + "</svg>\n"
}

/// Draws the grid, the axes and their labels.
fn frame(text: &mut String, across: &Scale, up: &Scale) {
    for decade in across.decades() {
        let x = across.place(10_f64.powi(decade));
        let _ = write!(
            text,
            "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{BOTTOM}\"/>\n\
             <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">1e{decade}</text>\n",
            BOTTOM + 20.0
        );
    }
    for decade in up.decades() {
        for step in [1.0, 2.0, 5.0] {
            let value = step * 10_f64.powi(decade);
            let y = up.place(value);
            if y < TOP - 0.1 {
                continue;
            }
            let _ = write!(
                text,
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\n\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>\n",
                LEFT - 8.0,
                y + 4.0
            );
        }
    }
    let middle = f64::midpoint(LEFT, RIGHT);
    let _ = write!(
        text,
        "<path class=\"axis\" fill=\"none\" d=\"M{LEFT} {TOP}V{BOTTOM}H{RIGHT}\"/>\n\
         <text x=\"{LEFT}\" y=\"{}\">ns an element</text>\n\
         <text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">elements in one reduction</text>\n",
        TOP - 20.0,
        BOTTOM + 45.0
    );
}
