//! Plots of error against length: a panel for the worst element and one for the mean, per element type.
//!
//! Every line ends with its backends' names, so that colour and shape are not needed. Backends with the same
//! errors share a line. A table of the same numbers follows each pair of panels.
//! errors share a line. Beside each pair of panels stands a table of the same numbers.

use std::fmt;

use normative_reference::Dtype;

use super::escape::html;
use super::names;
use super::series::{self, Series, decades};
use crate::column::Column;
use normative_conformance::display::ulps;
use normative_conformance::judge::accuracy::Class;
use normative_conformance::run::measured::{Decade, Precision};

/// The size of the panel, in its own units.
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 268.0;
/// The edges of the plot within it; names are to the right.
const LEFT: f64 = 38.0;
const RIGHT: f64 = 262.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 232.0;
/// The lowest position of a name.
const FOOT: f64 = 246.0;
/// The least distance between two names, if there is room for all.
const PITCH: f64 = 12.5;
/// log10 of the least error on the scale; smaller errors are drawn there.
const LEAST: i32 = -3;
/// The most characters of a line's name; the title has longer ones in full.
const NAME: usize = 24;

/// The plotted value of a precision.
type Of = fn(&Precision) -> f64;

/// A line: the columns that share it, and its points.
struct Curve {
    backends: Vec<usize>,
    points: Vec<(Decade, f64)>,
}

/// Plots every element type that was measured.
pub(super) fn write(out: &mut dyn fmt::Write, columns: &[Column<'_>]) -> fmt::Result {
    let (all, names) = (series::of(columns), names(columns));
    if all.is_empty() {
        return out.write_str("<p>No float was measured.</p>\n");
    }
    for (dtype, series) in all {
        writeln!(out, "<h3>{dtype}</h3>\n<div class=\"panels\">")?;
        for (what, of) in [("worst", (|p| p.worst) as Of), ("mean", |p| p.mean)] {
            panel(out, &names, dtype, &series, what, of)?;
        }
        writeln!(out, "</div>")?;
        table(out, &names, dtype, &series)?;
    }
    Ok(())
}

/// Returns the height of a value on a log scale; smaller values are on its foot.
fn height(value: f64, most: i32) -> f64 {
    let log = if value > 0.0 { value.log10() } else { f64::from(LEAST) };
    let share = (log - f64::from(LEAST)) / f64::from(most - LEAST);
    BOTTOM - share.clamp(0.0, 1.0) * (BOTTOM - TOP)
}

fn panel(
    out: &mut dyn fmt::Write,
    names: &[String],
    dtype: Dtype,
    series: &Series,
    what: &str,
    of: Of,
) -> fmt::Result {
    let curves = curves(series, of);
    let greatest = curves.iter().flat_map(|curve| &curve.points).map(|(_, value)| *value);
    let greatest = greatest.filter(|value| value.is_finite()).fold(1.0, f64::max);
    let most = (greatest.log10().ceil() as i32).max(1);
    let longest = decades(series).into_iter().map(exponent).max().unwrap_or(0);
    let step = (RIGHT - LEFT - 20.0) / f64::from(longest.max(1));
    let along = |exponent: u32| LEFT + 10.0 + step * f64::from(exponent);
    writeln!(
        out,
        "<figure><figcaption>{what} error, ulp</figcaption>\n\
         <svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{what} error of {dtype} in ulp against \
         the number of terms; the table below has the numbers\">"
    )?;
    // Draw only as many lines as a reader can tell apart.
    let every = if most - LEAST > 9 { 3 } else { 1 };
    for power in (LEAST..=most).step_by(every) {
        let y = height(10_f64.powi(power), most);
        let text = if power == LEAST { format!("≤{}", power_of_ten(power)) } else { power_of_ten(power) };
        writeln!(
            out,
            "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{RIGHT}\"/><text class=\"scale\" x=\"{:.1}\" y=\"{:.1}\">{text}</text>",
            LEFT - 5.0,
            y + 3.5
        )?;
    }
    let half = height(0.5, most);
    writeln!(out, "<path class=\"half\" d=\"M{LEFT} {half:.1}H{RIGHT}\"><title>half an ulp</title></path>")?;
    for exponent in 0..=longest {
        writeln!(
            out,
            "<text class=\"length\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            along(exponent),
            BOTTOM + 15.0,
            length(exponent)
        )?;
    }
    writeln!(
        out,
        "<text class=\"length\" x=\"{:.1}\" y=\"{:.1}\">terms</text>",
        f64::midpoint(LEFT, RIGHT),
        BOTTOM + 30.0
    )?;
    let ends: Vec<f64> =
        curves.iter().map(|curve| curve.points.last().map_or(BOTTOM, |(_, v)| height(*v, most))).collect();
    for (curve, label) in curves.iter().zip(apart(&ends)) {
        draw(out, names, curve, label, |(decade, value)| (along(exponent(*decade)), height(*value, most)))?;
    }
    out.write_str("</svg></figure>\n")
}

/// Draws one line with its marks, and its name to the right at the height `label`.
fn draw(
    out: &mut dyn fmt::Write,
    names: &[String],
    curve: &Curve,
    label: f64,
    place: impl Fn(&(Decade, f64)) -> (f64, f64),
) -> fmt::Result {
    let names: Vec<String> = curve.backends.iter().map(|&at| names[at].clone()).collect();
    let backends: Vec<String> = curve.backends.iter().map(ToString::to_string).collect();
    let points: Vec<(f64, f64)> = curve.points.iter().map(place).collect();
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    // Hue and shape of a backend are the same in every panel.
    let first = curve.backends.first().copied().unwrap_or_default();
    let (hue, shape) = (first % 6, first % 5);
    writeln!(
        out,
        "<g class=\"curve hue-{hue}\" data-backend=\"{}\"><title>{}</title><path class=\"line\" d=\"M{}\"/>",
        backends.join(" "),
        html(&names.join(", ")),
        path.join("L")
    )?;
    for (x, y) in &points {
        writeln!(out, "<path class=\"mark\" d=\"M{x:.1} {y:.1}{}\"/>", SHAPES[shape])?;
    }
    if let Some((x, y)) = points.last() {
        writeln!(
            out,
            "<path class=\"lead\" d=\"M{:.1} {y:.1}L{:.1} {label:.1}\"/><text class=\"name\" x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
            x + 4.0,
            RIGHT + 10.0,
            RIGHT + 13.0,
            label + 3.5,
            html(&shortened(&names))
        )?;
    }
    Ok(())
}

/// The marks around a point: circle, square, triangle, diamond, cross.
const SHAPES: [&str; 5] = [
    "m-2.6 0a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0 -5.2 0z",
    "m-2.4 -2.4h4.8v4.8h-4.8z",
    "m0 -3.2l3.1 5.4h-6.2z",
    "m0 -3.5l3.5 3.5l-3.5 3.5l-3.5 -3.5z",
    "m-2.8 -2.8l5.6 5.6m0 -5.6l-5.6 5.6",
];

/// Groups backends with the same points into curves.
fn curves(series: &Series, of: Of) -> Vec<Curve> {
    let mut curves: Vec<Curve> = Vec::new();
    for (at, precision) in series.iter().enumerate().filter(|(_, precision)| !precision.is_empty()) {
        let points: Vec<(Decade, f64)> =
            precision.iter().map(|(&decade, precision)| (decade, of(precision))).collect();
        match curves.iter_mut().find(|curve| curve.points == points) {
            Some(curve) => curve.backends.push(at),
            None => curves.push(Curve { backends: vec![at], points }),
        }
    }
    curves
}

/// Returns heights for names, in the given order, so that no two overlap.
fn apart(wanted: &[f64]) -> Vec<f64> {
    let pitch = pitch(wanted.len());
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    let mut heights = vec![0.0; wanted.len()];
    let mut next = TOP;
    for &at in &order {
        heights[at] = wanted[at].max(next);
        next = heights[at] + pitch;
    }
    // Names below the foot are moved up, and those above them as far as necessary.
    let mut next = FOOT;
    for &at in order.iter().rev() {
        heights[at] = heights[at].min(next);
        next = heights[at] - pitch;
    }
    heights
}

/// Returns the distance at which so many names fit.
fn pitch(names: usize) -> f64 {
    PITCH.min((FOOT - TOP) / names.max(2) as f64)
}

fn shortened(names: &[String]) -> String {
    let Some(first) = names.first() else { return String::new() };
    let all = names.join(", ");
    if all.chars().count() <= NAME {
        return all;
    }
    let more = if names.len() > 1 { format!(" +{}", names.len() - 1) } else { String::new() };
    let room = NAME - more.len();
    let cut = if first.chars().count() > room {
        format!("{}…", first.chars().take(room - 1).collect::<String>())
    } else {
        first.clone()
    };
    cut + &more
}

fn power_of_ten(power: i32) -> String {
    let digits: String = power.to_string().chars().map(superscript).collect();
    match power {
        0 => "1".into(),
        1 => "10".into(),
        _ => format!("10{digits}"),
    }
}

fn superscript(c: char) -> char {
    match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁰',
    }
}

/// Returns log10 of the least length of a decade; 0 for lengths below 10.
fn exponent(decade: Decade) -> u32 {
    decade.bounds().0.checked_ilog10().unwrap_or(0)
}

/// Returns the lengths of a decade, in few characters.
fn length(exponent: u32) -> String {
    match exponent {
        0 => "0–9".into(),
        1 => "10–99".into(),
        more => format!("{}+", power_of_ten(more as i32)),
    }
}

/// Writes the numbers: worst and mean, a row per backend.
fn table(out: &mut dyn fmt::Write, names: &[String], dtype: Dtype, series: &Series) -> fmt::Result {
    let decades = decades(series);
    write!(
        out,
        "<details><summary>{dtype} as a table</summary><div class=\"wide\" tabindex=\"0\" role=\"region\" \
         aria-label=\"errors of {dtype}\"><table class=\"errors\"><caption>Errors of {dtype} in ulp, worst / mean, \
         by number of terms</caption>\n<thead><tr><th scope=\"col\">backend</th>"
    )?;
    for decade in &decades {
        let (least, most) = decade.bounds();
        write!(out, "<th scope=\"col\">{least}–{most}</th>")?;
    }
    out.write_str("</tr></thead>\n<tbody>\n")?;
    for (at, precision) in series.iter().enumerate().filter(|(_, precision)| !precision.is_empty()) {
        write!(out, "<tr data-backend=\"{at}\"><th scope=\"row\">{}</th>", html(&names[at]))?;
        for decade in &decades {
            let cell = precision.get(decade).map_or_else(
                || "–".to_owned(),
                |Precision { class, worst, mean, .. }| {
                    let mark = if *class == Class::Beyond { " <b>beyond</b>" } else { "" };
                    format!("{} / {}{mark}", ulps(*worst), ulps(*mean))
                },
            );
            write!(out, "<td>{cell}</td>")?;
        }
        out.write_str("</tr>\n")?;
    }
    out.write_str("</tbody></table></div></details>\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn names_stand_apart_in_the_order_of_their_lines(
            wanted in proptest::collection::vec(TOP..=BOTTOM, 0..60)
        ) {
            let heights = apart(&wanted);
            let mut order: Vec<usize> = (0..wanted.len()).collect();
            order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
            for pair in order.windows(2) {
                prop_assert!(heights[pair[1]] - heights[pair[0]] >= pitch(wanted.len()) - 1e-9);
            }
            prop_assert!(heights.iter().all(|height| (TOP..=FOOT).contains(height)));
        }
    }

    #[test]
    fn errors_keep_their_order_and_stay_on_the_panel() {
        let values = [0.0, 1e-9, 1e-3, 0.5, 1.0, 40.0, 1e4, 1e9];
        let heights: Vec<f64> = values.iter().map(|value| height(*value, 4)).collect();
        assert!(heights.is_sorted_by(|a, b| a >= b), "{heights:?}");
        assert!(heights.iter().all(|height| (TOP..=BOTTOM).contains(height)));
        assert!(heights[3] > heights[4]);
    }
}
