//! Writes the page of the results site: every runtime and release with a history, and a reader of records.
//!
//! Like [`page`](crate::page) it is data and a script in one file that loads nothing, so it also works from a disk. The
//! data come from `cargo xtask site`, which describes them.

use std::fmt;

use serde_json::Value;

use crate::page::escape;

/// Writes the page; `made_by` names the suite.
///
/// # Errors
/// Errors of `out`.
pub fn write(out: &mut dyn fmt::Write, data: &Value, made_by: &str) -> fmt::Result {
    write!(
        out,
        include_str!("site/site.html"),
        maker = escape::html(&escape::visible(made_by)),
        style = include_str!("page/page.css"),
        own_style = include_str!("site/site.css"),
        data = escape::script(&data.to_string()),
        elements = include_str!("page/elements.js"),
        charts = include_str!("site/charts.js"),
        record = include_str!("site/record.js"),
        views = include_str!("site/views.js"),
    )
}
