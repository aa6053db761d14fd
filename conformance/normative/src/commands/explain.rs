//! `cargo xtask explain CASE|SEED:INDEX|CALL`: derives the expectation of a case or generated call, so that a reader can
//! check a verdict by hand.
//!
//! Prints the call, the clauses, and every reading with its expectation. For one output element it prints the terms,
//! their exact sum and the rounding.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Result, anyhow};
use clap::{Arg, ArgMatches, Command};
use normative_conformance::corpus::Case;
use normative_conformance::corpus::clauses::Ledger;
use normative_conformance::display;
use normative_conformance::generate::Profile;
use normative_conformance::reference::newest::Newest;
use normative_conformance::reference::{
    Alternative, Call, Choice, Elements, Expected, Kind, Near, Norm, Outcome, Reduction, Tensor, Value,
    expect, rule,
};
use normative_conformance::report::derivation::{self, form};
use normative_conformance::report::finding::Line;
use normative_conformance::run::property::Id;

use crate::named::Named;
use crate::select::{Folder, find, kind};

/// The number of terms printed in full; of more, those in the middle are cut.
const TERMS: usize = 12;

/// Returns the command's options.
pub(crate) fn command() -> Command {
    Command::new("explain")
        .about("Show how the expectation of a case, or of a generated call, comes about")
        .arg(Arg::new("name").value_name("CASE|SEED:INDEX|CALL").required(true).help(
            "The case: its name, its id, or any part of its name that no other has; or a generated call, or a call \
             in one line, as failures print it",
        ))
        .arg(
            Arg::new("element")
                .long("element")
                .value_name("INDEX")
                .value_parser(clap::value_parser!(usize))
                .default_value("0")
                .help("Which output element to work out, counted row-major from 0"),
        )
        .arg(Folder::option())
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let folder = Folder::of(matches);
    let name = matches.get_one("name").map_or("", String::as_str);
    let element = matches.get_one("element").copied().unwrap_or(0);
    let mut text = String::new();
    let ledger = folder.ledger()?;
    match Named::of(name).map_err(|why| anyhow!("{name}: {why}"))? {
        Named::Generated(id) => explain_generated(&mut text, id, &ledger, element)?,
        Named::Stated(cases) => {
            for case in cases {
                writeln!(text, "{}", case.name)?;
                explain_call(&mut text, &case.call, &ledger, element)?;
            }
        }
        Named::Case(name) => {
            let corpus = folder.load()?;
            let cases: Vec<&Case> = corpus.cases.iter().collect();
            explain_case(&mut text, find(&cases, &name)?, &ledger, element)?;
        }
    }
    std::io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn explain_case(text: &mut String, case: &Case, ledger: &Ledger, element: usize) -> Result<()> {
    writeln!(text, "{}", case.name)?;
    writeln!(text, "  file      {}:{}", case.file.display(), case.line)?;
    writeln!(text, "  kind      {}", kind(case))?;
    writeln!(text, "  catches   {}", case.why)?;
    for clause in &case.clauses {
        let says = match ledger.get(clause.spec, &clause.name) {
            Some(entry) => format!("{} ({}, {})", entry.says, entry.source, entry.place),
            None => "not in the ledger".into(),
        };
        writeln!(text, "  clause    {clause}: {says}")?;
    }
    explain_call(text, &case.call, ledger, element)
}

fn explain_generated(text: &mut String, id: Id, ledger: &Ledger, element: usize) -> Result<()> {
    writeln!(text, "generated call {id}")?;
    let kind = match id.profile() {
        Profile::Valid => "made to be valid",
        Profile::Open => "made to meet what is open, or to be valid",
        Profile::Invalid => "made to be invalid",
    };
    writeln!(text, "  kind      {kind}")?;
    if let Some((before, difference)) = id.before().zip(id.difference()) {
        let words = difference.words();
        writeln!(text, "  after     asked right after {before}, which differs in one thing alone: {words}")?;
    }
    explain_call(text, &id.call(), ledger, element)
}

fn explain_call(text: &mut String, call: &Call, ledger: &Ledger, element: usize) -> Result<()> {
    writeln!(text, "  call      {}", display::call(call))?;
    writeln!(text, "  data      {}", display::data(&call.data))?;
    let ruling = rule(call);
    for question in ruling.questions() {
        writeln!(text, "  question  {}: {} {}", question.name(), question.asks(), question.because())?;
        if let Some(Newest { reading, since, place }) = question.newest() {
            writeln!(text, "  today     {reading}, by the text since {since} ({place})")?;
        }
    }
    // Readings that expect the same are said once.
    let mut said: Vec<(String, Vec<&Alternative>)> = Vec::new();
    for alternative in &ruling.alternatives {
        let mut expects = String::new();
        explain_outcome(&mut expects, call, &alternative.outcome, ledger, element)?;
        match said.iter_mut().find(|(known, _)| *known == expects) {
            Some((_, alternatives)) => alternatives.push(alternative),
            None => said.push((expects, vec![alternative])),
        }
    }
    let mut meant = Vec::new();
    for (expects, alternatives) in &said {
        writeln!(text)?;
        explain_readings(text, alternatives, &mut meant)?;
        text.push_str(expects);
    }
    Ok(())
}

/// Writes readings that expect the same, and the meaning of each that is not in `meant` yet.
fn explain_readings(text: &mut String, alternatives: &[&Alternative], meant: &mut Vec<Choice>) -> Result<()> {
    let first = meant.len();
    for (at, alternative) in alternatives.iter().enumerate() {
        let readings: Vec<String> = alternative.choices.iter().map(ToString::to_string).collect();
        let readings = if readings.is_empty() { "determined".into() } else { readings.join(", ") };
        writeln!(text, "{}{readings}", if at == 0 { "" } else { "or " })?;
        for choice in &alternative.choices {
            if !meant.contains(choice) {
                meant.push(*choice);
            }
        }
    }
    for choice in &meant[first..] {
        writeln!(text, "  reading   {choice}: {}", choice.meaning())?;
    }
    Ok(())
}

fn explain_outcome(
    text: &mut String,
    call: &Call,
    outcome: &Outcome,
    ledger: &Ledger,
    element: usize,
) -> Result<()> {
    let expected = &expect(call, outcome)?;
    if let Expected::Rejection(clause) = expected {
        writeln!(text, "  refused, because it breaks {clause}")?;
        return write_lines(text, form::of_refusal(call, clause, ledger));
    }
    match outcome {
        // Said above.
        Outcome::Rejected(_) => {}
        Outcome::OutOfScope(clause) => {
            writeln!(text, "  any answer conforms: outside the scope of the text, by {clause}")?;
        }
        Outcome::Unchanged => writeln!(text, "  the data come back, bit for bit")?,
        Outcome::Reduce(reduction, _) => {
            let (shape, terms) =
                (reduction.output_shape(call.data.shape()), reduction.terms(call.data.shape()));
            let norm = match reduction.norm {
                Norm::L1 => "sum of absolute values",
                Norm::L2 => "root of the sum of squares",
                Norm::SumSquare => "sum of squares",
                Norm::Sum => "sum of elements",
            };
            match reduction.elements {
                Elements::All => writeln!(text, "  {norm} over row-major axes {:?}", reduction.axes)?,
                Elements::Spaced { count, first, step } => {
                    writeln!(text, "  {norm} of {count} elements, from element {first} in steps of {step}")?;
                }
            }
            write_lines(text, form::of_reduction(call, reduction, ledger))?;
            writeln!(text, "  output    {}{shape:?}, {terms} terms each", call.data.dtype())?;
            match expected {
                // A reduction never expects these here.
                Expected::Rejection(_) | Expected::Anything(_) => {}
                Expected::Exactly(tensor) => explain_integer(text, call, reduction, tensor, element)?,
                Expected::Converted(converted) => {
                    explain_integer(text, call, reduction, &converted.best, element)?;
                    writeln!(
                        text,
                        "  or        what a {} near the norm is converted to",
                        converted.near.dtype
                    )?;
                }
                Expected::Near(near) => explain_float(text, call, reduction, near, element)?,
            }
        }
    }
    Ok(())
}

fn write_lines(text: &mut String, lines: impl IntoIterator<Item = Line>) -> Result<()> {
    for Line { label, text: line } in lines {
        writeln!(text, "  {label:<9} {line}")?;
    }
    Ok(())
}

fn explain_integer(
    text: &mut String,
    call: &Call,
    reduction: &Reduction,
    output: &Tensor,
    element: usize,
) -> Result<()> {
    let Some(&bits) = output.bits().get(element) else { return no_element(text, element) };
    write_terms(text, call, reduction, element)?;
    let dtype = output.dtype();
    writeln!(text, "  expected  {} ({})", display::element(dtype, bits), display::bits(dtype, bits))?;
    Ok(())
}

fn explain_float(
    text: &mut String,
    call: &Call,
    reduction: &Reduction,
    near: &Near,
    element: usize,
) -> Result<()> {
    let (Some(value), Kind::Float(format)) = (near.values.get(element), near.dtype.kind()) else {
        return no_element(text, element);
    };
    write_terms(text, call, reduction, element)?;
    if let Value::Finite(real) = value
        && real.root
    {
        let mut sum = real.clone();
        sum.root = false;
        writeln!(text, "  squares   {} in all", display::exact(&Value::Finite(sum)))?;
    }
    let bits = value.round(format);
    writeln!(text, "  exact     {}", display::exact(value))?;
    writeln!(text, "  rounded   {}", display::in_full(near.dtype, bits))?;
    if let Value::Finite(real) = value {
        write_lines(text, derivation::lines(real, format, near, None, &[false, true]))?;
    }
    Ok(())
}

fn no_element(text: &mut String, element: usize) -> Result<()> {
    writeln!(text, "  the output has no element {element}")?;
    Ok(())
}

/// Writes the input elements of one output element.
fn write_terms(text: &mut String, call: &Call, reduction: &Reduction, element: usize) -> Result<()> {
    let (data, terms) = (reduction.operand(&call.data), reduction.terms(call.data.shape()));
    let bits = data.bits_by(&reduction.outer_to_inner(data.rank()));
    let bits = &bits[element * terms..(element + 1) * terms];
    let show = |bits: &[u64]| -> String {
        let shown: Vec<String> = bits.iter().map(|&bits| display::element(data.dtype(), bits)).collect();
        shown.join(", ")
    };
    if bits.len() <= TERMS {
        writeln!(text, "  terms     {}", show(bits))?;
    } else {
        let half = TERMS / 2;
        writeln!(
            text,
            "  terms     {}, … {} more …, {}",
            show(&bits[..half]),
            bits.len() - TERMS,
            show(&bits[bits.len() - half..])
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn what_several_readings_expect_and_what_each_means_is_said_once() {
        let mut text = String::new();
        explain_generated(&mut text, "1:7016".parse().unwrap(), &Ledger::default(), 0).unwrap();
        let (_, readings) = text.split_once("\n\n").unwrap();
        let lines = |is: &dyn Fn(&str) -> bool| readings.lines().filter(|line| is(line)).collect::<Vec<_>>();
        let meanings = lines(&|line| line.starts_with("  reading "));
        assert_eq!(meanings.iter().collect::<BTreeSet<_>>().len(), meanings.len(), "{text}");
        let is_body = |line: &&str| line.starts_with("  ") && !line.starts_with("  reading ");
        let bodies: Vec<Vec<&str>> =
            readings.split("\n\n").map(|block| block.lines().filter(is_body).collect()).collect();
        assert_eq!(bodies.iter().collect::<BTreeSet<_>>().len(), bodies.len(), "{text}");
        let is_readings = |line: &str| line.trim_start_matches("or ").starts_with("integer-");
        assert!(lines(&is_readings).len() > bodies.len(), "{text}");
    }
}
