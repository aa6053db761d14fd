//! Tests the matrix as a picture: words repeat the colours, it is small, and foreign text cannot break out of it.

use std::collections::BTreeSet;

use crate::page_reports::{cases, columns, hostile, wrong};
use normative_conformance::reference::Spec;
use normative_present::column::Column;
use normative_present::page::picture;
use roxmltree::{Document, Node};

fn drawn(columns: &[Column<'_>]) -> String {
    let mut text = String::new();
    picture::write(&mut text, columns).unwrap();
    text
}

fn number(node: &Node<'_, '_>, name: &str) -> usize {
    node.attribute(name).unwrap().parse().unwrap()
}

/// Returns the rows of a picture.
fn rows<'d>(picture: &'d Document<'d>) -> Vec<Node<'d, 'd>> {
    picture.root_element().children().filter(|node| node.has_tag_name("g")).collect()
}

/// Returns the texts of a row's cells, by their positions.
fn words<'d>(row: &Node<'d, 'd>) -> Vec<(usize, &'d str)> {
    let texts = row.children().filter(|node| node.has_tag_name("text") && node.attribute("class").is_none());
    texts.map(|text| (number(&text, "x"), text.text().unwrap())).collect()
}

/// Returns the start of each cell of a row in this colour.
fn coloured(row: &Node<'_, '_>, colour: impl Fn(&str) -> bool) -> Vec<usize> {
    let paths = row.children().filter(|node| node.attribute("class").is_some_and(&colour));
    let paths = paths.filter_map(|node| node.attribute("d"));
    let starts = paths.flat_map(|d| d.split('M').skip(1).map(|cell| cell.split(' ').next().unwrap()));
    starts.map(|x| x.parse().unwrap()).collect()
}

#[test]
fn every_kind_of_cell_has_its_words_and_its_colour() {
    let cases = cases();
    let columns = columns(&cases, 100);
    insta::assert_snapshot!(drawn(&columns[..3]));
}

#[test]
fn what_a_colour_says_stands_there_in_words() {
    let cases = cases();
    let text = drawn(&columns(&cases, 400));
    let picture = Document::parse(&text).unwrap();
    let mut cells = 0;
    for row in rows(&picture) {
        let words = words(&row);
        let under = |start: usize| words.iter().filter(move |(x, _)| (start..start + 76).contains(x));
        let (right, wrong) =
            (coloured(&row, |class| class == "right"), coloured(&row, |class| class.starts_with("shade-")));
        for start in &right {
            assert!(under(*start).map(|(_, words)| *words).eq(["conforms"]), "{words:?}");
        }
        for start in &wrong {
            let says: Vec<&str> = under(*start).map(|(_, words)| words.rsplit(' ').next().unwrap()).collect();
            let known = ["fail", "died", "unstable", "inconsistent"];
            assert!(!says.is_empty() && says.iter().all(|word| known.contains(word)), "{words:?}");
        }
        let unsupported = words.iter().filter(|(_, words)| *words == "–").count();
        let places: BTreeSet<usize> = words.iter().map(|(x, _)| *x).collect();
        assert_eq!(places.len(), right.len() + wrong.len() + unsupported);
        cells += places.len();
    }
    assert!(cells > 33, "{cells}");
}

#[test]
fn nothing_stands_outside_of_the_picture_or_on_another_row() {
    let cases = cases();
    let columns = columns(&cases, 100);
    for columns in [&columns[..], &columns[..1], &[]] {
        let text = drawn(columns);
        let picture = Document::parse(&text).unwrap();
        let (width, height) =
            (number(&picture.root_element(), "width"), number(&picture.root_element(), "height"));
        let mut bottom = 0;
        for row in rows(&picture) {
            let top = row.attribute("transform").unwrap().trim_end_matches(')').rsplit(' ').next().unwrap();
            let top: usize = top.parse().unwrap();
            assert!(top > bottom);
            let last =
                row.children().filter(|node| node.has_tag_name("text")).map(|text| number(&text, "y")).max();
            bottom = top + last.unwrap();
        }
        for text in picture.descendants().filter(|node| node.has_tag_name("text")) {
            assert!(number(&text, "x") < width && number(&text, "y") < height);
        }
        assert!(bottom < height);
    }
}

#[test]
fn hostile_words_add_nothing_turn_nothing_around_and_are_cut() {
    let cases = cases();
    let text = drawn(&columns(&cases, 20));
    let picture = Document::parse(&text).unwrap();
    let elements: BTreeSet<&str> =
        picture.descendants().filter(Node::is_element).map(|node| node.tag_name().name()).collect();
    assert_eq!(elements, BTreeSet::from(["g", "path", "style", "svg", "text", "title"]));
    let attributes: BTreeSet<&str> =
        picture.descendants().flat_map(|node| node.attributes()).map(|attribute| attribute.name()).collect();
    let expected =
        ["aria-labelledby", "class", "d", "height", "id", "role", "transform", "viewBox", "width", "x", "y"];
    assert_eq!(attributes, BTreeSet::from(expected));
    // Only the start of the hostile text is shown.
    let shown: Vec<&str> = picture.descendants().filter_map(|node| node.text()).collect();
    let begun = &hostile()[..20];
    assert!(shown.iter().any(|text| text.starts_with(begun) && text.ends_with('…')), "{shown:?}");
    assert!(!text.contains(['\u{202e}', '\u{2028}']) && text.len() < 20_000);

    let alone = columns(&cases, 20).split_off(3);
    assert!(Document::parse(&drawn(&alone)).is_ok());
}

#[test]
fn no_character_that_xml_lacks_gets_in() {
    let cases = cases();
    let mut columns = columns(&cases, 0);
    for c in (0..0x120).chain(0x2000..0x2100).chain(0xfff0..=0xffff).filter_map(char::from_u32) {
        columns[0].name = format!("{c}{c}");
        columns[0].report.identity.version = c.into();
        let text = drawn(&columns[..1]);
        assert!(Document::parse(&text).is_ok(), "{c:?}");
    }
}

#[test]
fn the_same_reports_give_the_same_bytes_and_load_nothing() {
    let cases = cases();
    let text = drawn(&columns(&cases, 100));
    assert_eq!(text, drawn(&columns(&cases, 100)));
    let own = text.replacen("http://www.w3.org/2000/svg", "", 1);
    assert!(!own.contains("://") && !own.contains("url(") && !own.contains("@import"), "{own}");
    assert!(text.contains("@media(prefers-color-scheme:dark)"));
}

#[test]
fn two_dozen_backends_that_are_wrong_in_every_way_take_two_kilobytes_a_spec() {
    let cases = cases();
    let columns: Vec<Column<'_>> = std::iter::repeat_with(|| wrong(&cases, 200)).take(24).collect();
    let text = drawn(&columns);
    assert!(text.contains(" fail<") && text.contains(" died<") && text.contains("wrong (24)"));
    assert!(text.len() < 2_000 * Spec::ALL.len(), "{}", text.len());
}
