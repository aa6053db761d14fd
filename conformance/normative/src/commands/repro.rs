//! `cargo xtask repro CASE|SEED:INDEX|CALL|DEFECT --backend NAME --output DIR`: writes a folder that reproduces a backend's
//! answer without this project.
//!
//! It asks the backend, so the answer and the version are facts. It asks an answered call three times, the last time
//! in a fresh process: uninitialised memory is sometimes right by chance. [`normative_repro`] decides the content of
//! the folder.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Arg, ArgMatches, Command};
use normative_conformance::corpus::{ClauseRef, Ledger, line};
use normative_conformance::drive::{StartError, Worker};
use normative_conformance::judge::verdict::{Verdict, judge};
use normative_conformance::reference::Call;
use normative_conformance::report::finding::Line;
use normative_conformance::report::record::Machine;
use normative_conformance::run::probe::settle_alone;
use normative_conformance::run::property::{Made, clause};
use normative_conformance::run::{Asked, Judged};
use normative_conformance::{Demands, Driver, Observed, display};
use normative_repro::{Due, Subject, Target, folder};

use crate::backends::{target, unversioned};
use crate::defect::{self, Known};
use crate::named::Named;
use crate::output::{fresh_folder, output_folder, write_file};
use crate::select::{self, Folder};
use crate::{demands, findings, provenance, runner};

/// Returns the command's options.
pub(crate) fn command() -> Command {
    Command::new("repro")
        .about("Write a folder that reproduces what a backend answers, without this project")
        .after_help(
            "Exit code 0: it was written. 2: it was not, because the backend has no stand-alone reproduction yet, or \
             the call cannot be reproduced.",
        )
        .arg(Arg::new("name").value_name("CASE|SEED:INDEX|CALL|DEFECT").required(true).help(
            "The case, the generated call, or the call in one line, as failures print it; or a defect of the backend's \
             last full run, by its number or its name, for its smallest call",
        ))
        .arg(runner::option().required(true))
        .arg(demands::reading("Accept no other reading of this question (repeatable)"))
        .arg(demands::timeout())
        .arg(output_folder())
        .arg(Folder::option())
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let word = |name| matches.get_one::<String>(name).map_or("", String::as_str);
    let (backend, name) = (word("backend"), word("name"));
    let target = target(backend)?;
    let folder = Folder::of(matches);
    let corpus = folder.load()?;
    let ledger = folder.ledger()?;
    let (named, known) = if defect::is_named(name) {
        let known = defect::one(backend, name, &corpus, &folder)?;
        (known.smallest.clone(), Some(known))
    } else {
        let named = Named::of(name).map_err(|why| anyhow!("{name}: {why}"))?;
        // Reports print the small call of a defect, whose extent is then known. Without a record it is not.
        let all = if line::is_one(name) { defect::all(backend, &corpus, &folder) } else { Ok(Vec::new()) };
        let known = all.unwrap_or_default().into_iter().find(|known| known.smallest == named);
        (named, known)
    };
    let limits = demands::limits(matches);
    let program = runner::program(backend)?;
    let worker = Worker::start(program.clone(), limits).map_err(|error| match error {
        StartError::Unavailable(why) => anyhow!("{backend} is {why}"),
        error => anyhow::Error::new(error).context("the worker did not start"),
    })?;
    let demands =
        Demands { capabilities: worker.capabilities(), accuracy: None, readings: demands::readings(matches) };
    let output = matches.get_one("output").cloned();
    let shows = |call: &str| {
        known.as_ref().map_or(call == name, |known| known.failures.iter().any(|failure| failure == call))
    };
    let machine = provenance::origin(&program, worker.process_id()).machine;
    let releases = findings::about(unversioned(backend), shows)?;
    let writer = Writer { target, worker, demands, ledger, known, releases, machine, output };
    if let Named::Generated(id) = named {
        let made = Made::for_backend(id, &writer.demands.capabilities)
            .with_context(|| format!("generated call {id}"))?;
        let clauses = |judged: &Judged<Made>, ledger: &Ledger| {
            vec![clause(&judged.asked.call, &judged.verdict, ledger)]
        };
        return writer.write(made, &format!("generated call {id}"), clauses);
    }
    let all: Vec<_> = corpus.cases.iter().collect();
    let case = match &named {
        Named::Stated(cases) => cases.first().context("no call is stated")?,
        named => select::find(&all, &named.word())?,
    };
    let prepared = select::prepared([case])?;
    let prepared = prepared.first().context("the case was not prepared")?;
    let title = if case.clauses.is_empty() { "the call".to_owned() } else { format!("case {}", case.name) };
    writer.write(prepared, &title, |judged, ledger| match case.clauses.as_slice() {
        [] => vec![clause(&case.call, &judged.verdict, ledger)],
        clauses => clauses.to_vec(),
    })
}

struct Writer {
    target: Target,
    worker: Worker,
    demands: Demands,
    ledger: Ledger,
    /// The defect that the call shows, if known.
    known: Option<Known>,
    /// The releases with the failure, as far as known.
    releases: Vec<Line>,
    machine: Machine,
    output: Option<PathBuf>,
}

impl Writer {
    /// Asks a call and writes the folder.
    fn write<T: Asked>(
        mut self,
        asked: T,
        name: &str,
        clauses: impl Fn(&Judged<T>, &Ledger) -> Vec<ClauseRef>,
    ) -> Result<ExitCode> {
        let (judged, again) = judged(asked, &mut self.worker, &self.demands)?;
        let (call, verdict) = (judged.asked.call(), &judged.verdict);
        let wrong = match verdict {
            Verdict::Unsupported(why) => bail!("nothing to reproduce: the call is unsupported: {why}"),
            verdict if verdict.is_failure() => Some(Line::new("", &verdict.reason()).text),
            _ => None,
        };
        let (clauses, identity) = (clauses(&judged, &self.ledger), self.worker.identity());
        let due = Due::of(judged.asked.sheet(), call.spec(), &self.demands)?;
        let files = folder(&Subject {
            target: self.target,
            identity: &identity,
            name,
            call,
            due: &due,
            came: &judged.answer,
            again: &again,
            defect: self.known.as_ref().map(|known| (known.name.as_str(), known.extent.as_slice())),
            wrong: wrong.as_deref(),
            clauses: &clauses,
            ledger: &self.ledger,
            releases: &self.releases,
            machine: &self.machine,
        })?;
        let output = self.output.context("no folder is given")?;
        fresh_folder(&output)?;
        for file in files {
            write_file(&output.join(file.path), file.bytes)?;
        }
        let mut out = std::io::stdout().lock();
        let who = display::who(&identity);
        match &wrong {
            Some(wrong) => writeln!(out, "FAIL: {who}, {name}: {}", display::said(wrong))?,
            None => writeln!(out, "conforms, so it will PASS: {who}, {name}")?,
        }
        let first = if self.target.is_filled_in() { "fill in the call of your function, and " } else { "" };
        writeln!(out, "written to {}; there, {first}run {}", output.display(), self.target.command())?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Judges one call as a run of it alone would, with the further calls that settle the meaning of a refusal. Returns
/// the first wrong answer of several, or else the first, and the other answers.
fn judged<T: Asked>(
    asked: T,
    worker: &mut impl Driver,
    demands: &Demands,
) -> Result<(Judged<T>, Vec<Observed>)> {
    let call = asked.call();
    let mut answers = vec![worker.ask(call)];
    if let [Observed::Tensor(_)] = answers.as_slice() {
        answers.push(worker.ask(call));
        answers.extend(worker.ask_afresh(&[call]));
    }
    let is_wrong = |answer: &Observed| judge(asked.sheet(), answer, demands).is_failure();
    let answer = answers.remove(answers.iter().position(is_wrong).unwrap_or(0));
    let Judged { asked, answer, verdict } = Judged::of(asked, answer, demands);
    let ask = |calls: &[&Call]| Ok::<_, anyhow::Error>(worker.ask_all(calls));
    let verdict = settle_alone(asked.call(), &answer, verdict, &demands.capabilities, ask)?;
    worker.check()?;
    Ok((Judged { asked, answer, verdict }, answers))
}

#[cfg(test)]
mod tests {
    use std::iter;

    use normative_conformance::reference::{Axes, Dtype, Norm, Operator, Tensor};
    use normative_conformance::{Answer, Sheet, Stub};
    use rstest::rstest;

    use super::*;

    fn f32s(shape: &[usize], values: &[f32]) -> Tensor {
        let bits: Vec<u64> = values.iter().map(|value| value.to_bits().into()).collect();
        Tensor::from_bits(Dtype::F32, shape, &bits).unwrap()
    }

    #[rstest]
    fn a_call_that_is_wrong_one_time_of_three_is_wrong(#[values(0, 1, 2, 3)] right: usize) {
        let operator = Operator::OpenVino { norm: Norm::L1, keep_dims: Some(false) };
        let call = Call::new(operator, f32s(&[2], &[3.0, -4.0]), Axes::list(&[0]));
        let sheet = Sheet::of(&call).unwrap();
        let asked = Made { id: "1:0".parse().unwrap(), call, sheet };
        // It answers 7 `right` times, 8 once, and then 7 again.
        let mut values = iter::repeat_n(7.0, right).chain([8.0]).chain(iter::repeat(7.0));
        let mut wrong_once =
            Stub::new("wrong once", |_| Answer::Tensor(f32s(&[], &[values.next().unwrap()])));
        let (judged, again) = judged(asked, &mut wrong_once, &Demands::default()).unwrap();
        assert_eq!(judged.verdict.is_failure(), right < 3);
        let varies = again.iter().any(|again| *again != judged.answer);
        assert_eq!((again.len(), varies), (2, right < 3));
    }
}
