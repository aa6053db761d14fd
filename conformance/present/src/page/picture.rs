//! Draws the matrix as a picture, for a README.
//!
//! It is one SVG that loads nothing, with its text as text. Every cell repeats its colour in words, and the
//! colours follow the reader's light or dark mode. A backend's text is escaped, and cut to the room.

use std::fmt;

use super::cells::{Cell, Matrix, Matter, Row, short};
use super::escape::{html, visible};
use super::lead::{asked, outcome, partial, title};
use crate::column::Column;
use normative_conformance::display::grouped;

/// The colours, by class, in light and in dark mode.
const COLOURS: [(&str, &str, &str); 9] = [
    ("paper", "#fcfcfa", "#151617"),
    ("ink", "#1b1c1e", "#e5e3de"),
    ("soft", "#5c5b57", "#a4a29c"),
    ("right", "#dfe6de", "#2d3930"),
    ("shade-0", "#ede2c8", "#433927"),
    ("shade-1", "#f9f0ee", "#211a1a"),
    ("shade-2", "#f5e3df", "#2f1e1e"),
    ("shade-3", "#f1d3cf", "#402322"),
    ("shade-4", "#ecc1bc", "#522926"),
];

// Sizes are in pixels of the unscaled picture.

/// The margin around everything.
const MARGIN: usize = 16;
/// The width of the column of names.
const NAME: usize = 168;
/// The width of a cell, with the gap to the next.
const CELL: usize = 76;
/// The gap between cells.
const GAP: usize = 2;
/// The distance between the lines of a cell.
const LINE: usize = 14;
/// The top of the first row.
const HEAD: usize = 108;
/// The most characters of a name, and of a backend's own name and version, in the column of names.
const ROOM: (usize, usize) = (22, 26);

const LEGEND: [&str; 2] = [
    "Of cases and generated calls together: how many answers are wrong (fail), how often it crashed or hung (died).",
    "–: not supported. unstable: another answer when asked again. inconsistent: no single reading explains its answers.",
];

/// Draws the matrix.
///
/// # Errors
/// Errors of `out`.
pub fn write(out: &mut dyn fmt::Write, columns: &[Column<'_>]) -> fmt::Result {
    let Matrix { specs, families, rows } = Matrix::of(columns);
    let width = 2 * MARGIN + NAME + specs.len().max(4) * CELL;
    let tall = HEAD + rows.iter().map(height).sum::<usize>() + LEGEND.len() * LINE + 2 * MARGIN;
    let title = html(&cut(&title(columns), 2 * ROOM.1));
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{tall}\" \
         viewBox=\"0 0 {width} {tall}\" role=\"img\" class=\"ink\" aria-labelledby=\"title\">\n<title id=\"title\">{title}</title>"
    )?;
    style(out)?;
    writeln!(out, "<path class=\"paper\" d=\"M0 0h{width}v{tall}H0z\"/>")?;
    writeln!(out, "<text class=\"left title\" x=\"{MARGIN}\" y=\"34\">{title}</text>")?;
    let (outcome, partial) =
        (outcome(columns), partial(columns).map_or_else(String::new, |partial| partial + " "));
    writeln!(
        out,
        "<text class=\"left soft\" x=\"{MARGIN}\" y=\"54\">{outcome} {partial}{}.</text>",
        asked(columns)
    )?;
    let mut left = MARGIN + NAME;
    for (family, count) in families {
        let (middle, line) = (left + (count * CELL - GAP) / 2, count * CELL - GAP);
        writeln!(
            out,
            "<text x=\"{middle}\" y=\"80\">{family}</text><path class=\"soft\" d=\"M{left} 86h{line}v1h-{line}z\"/>"
        )?;
        left += count * CELL;
    }
    for (at, spec) in specs.iter().enumerate() {
        writeln!(out, "<text class=\"soft\" x=\"{}\" y=\"101\">{}</text>", middle(at), short(*spec))?;
    }
    let mut top = HEAD;
    for row in &rows {
        writeln!(out, "<g transform=\"translate(0 {top})\">")?;
        draw(out, row)?;
        out.write_str("</g>\n")?;
        top += height(row);
    }
    for (at, line) in LEGEND.iter().enumerate() {
        let y = top + MARGIN + (at + 1) * LINE;
        writeln!(out, "<text class=\"left soft\" x=\"{MARGIN}\" y=\"{y}\">{line}</text>")?;
    }
    out.write_str("</svg>\n")
}

fn style(out: &mut dyn fmt::Write) -> fmt::Result {
    out.write_str(
        "<style>\ntext{font:11px system-ui,-apple-system,\"Segoe UI\",Roboto,sans-serif;text-anchor:middle}\n\
         .left{text-anchor:start}.title{font-size:18px;font-weight:600}.name{font-size:12px;font-weight:600}\n",
    )?;
    for (theme, dark) in [("", false), ("@media(prefers-color-scheme:dark)", true)] {
        write!(out, "{theme}{}", if dark { "{" } else { "" })?;
        for (class, in_light, in_dark) in COLOURS {
            let colour = if dark { in_dark } else { in_light };
            write!(out, ".{class}{{fill:{colour}}}")?;
        }
        out.write_str(if dark { "}\n" } else { "\n" })?;
    }
    out.write_str("</style>\n")
}

/// Draws a row, from its top left.
fn draw(out: &mut dyn fmt::Write, row: &Row) -> fmt::Result {
    let height = height(row);
    writeln!(
        out,
        "<text class=\"left name\" x=\"{MARGIN}\" y=\"13\">{}</text>",
        html(&cut(&row.name, ROOM.0))
    )?;
    writeln!(
        out,
        "<text class=\"left soft\" x=\"{MARGIN}\" y=\"26\">{}</text>",
        html(&cut(&row.who, ROOM.1))
    )?;
    // One shape per colour, for all cells of that colour.
    for (class, ..) in COLOURS {
        let of_class = |&at: &usize| class_of(&row.cells[at]).as_deref() == Some(class);
        let these: Vec<usize> = (0..row.cells.len()).filter(of_class).collect();
        if these.is_empty() {
            continue;
        }
        write!(out, "<path class=\"{class}\" d=\"")?;
        for at in these {
            let (x, w, h) = (MARGIN + NAME + at * CELL, CELL - GAP, height - GAP);
            write!(out, "M{x} 0h{w}v{h}h-{w}z")?;
        }
        out.write_str("\"/>\n")?;
    }
    for (at, cell) in row.cells.iter().enumerate() {
        let lines = words(cell);
        let first = (height - GAP - lines.len() * LINE) / 2 + 11;
        for (line, words) in lines.iter().enumerate() {
            write!(out, "<text x=\"{}\" y=\"{}\">{words}</text>", middle(at), first + line * LINE)?;
        }
    }
    out.write_str("\n")
}

/// Returns the middle of a column of cells.
const fn middle(at: usize) -> usize {
    MARGIN + NAME + at * CELL + (CELL - GAP) / 2
}

/// Returns the height of a row, with the gap to the next.
fn height(row: &Row) -> usize {
    let lines = row.cells.iter().map(|cell| words(cell).len()).max().unwrap_or(0);
    GAP + 4 + LINE * lines.max(2)
}

/// Returns the lines of a cell.
fn words(cell: &Cell) -> Vec<String> {
    match cell {
        Cell::NotAsked => Vec::new(),
        Cell::Unsupported => vec!["–".into()],
        Cell::Conforms => vec!["conforms".into()],
        Cell::Against { parts, .. } => {
            let line = |(count, matter): &(usize, Matter)| match matter {
                // There is not enough room for a count.
                Matter::Inconsistent => matter.word().to_owned(),
                _ => format!("{} {}", grouped(*count), matter.word()),
            };
            parts.iter().map(line).collect()
        }
    }
}

/// Returns the class of its colour.
fn class_of(cell: &Cell) -> Option<String> {
    match cell {
        Cell::NotAsked | Cell::Unsupported => None,
        Cell::Conforms => Some("right".into()),
        Cell::Against { shade, .. } => Some(format!("shade-{shade}")),
    }
}

/// Returns a text on one line, in at most `room` characters.
fn cut(text: &str, room: usize) -> String {
    let text: Vec<char> = visible(text).chars().map(|c| if c == '\n' { ' ' } else { c }).collect();
    match text.get(..room) {
        Some(start) if text.len() > room => start.iter().take(room - 1).chain(&['…']).collect(),
        _ => text.iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes WCAG's relative luminance.
    fn luminance(colour: &str) -> f64 {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.039_28 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(text: &str, ground: &str) -> f64 {
        let (text, ground) = (luminance(text), luminance(ground));
        (text.max(ground) + 0.05) / (text.min(ground) + 0.05)
    }

    #[test]
    fn text_can_be_read_on_every_ground_in_light_and_in_dark() {
        let of = |name: &str| COLOURS.into_iter().find(|(class, ..)| *class == name).unwrap();
        for (class, light, dark) in COLOURS {
            let text = match class {
                "ink" | "soft" => continue,
                _ => of("ink"),
            };
            // WCAG's stricter level demands 7 for small text.
            assert!(contrast(text.1, light) >= 7.0 && contrast(text.2, dark) >= 7.0, "{class}");
        }
        let (paper, soft) = (of("paper"), of("soft"));
        assert!(contrast(soft.1, paper.1) >= 4.5 && contrast(soft.2, paper.2) >= 4.5);
    }

    #[test]
    fn a_cut_text_has_the_room_it_was_given() {
        assert_eq!(cut("onnxruntime", 11), "onnxruntime");
        assert_eq!(cut("onnxruntime", 10), "onnxrunti…");
        assert_eq!(cut("ä\nä", 3), "ä ä");
    }
}
