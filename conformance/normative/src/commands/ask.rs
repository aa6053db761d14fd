//! `cargo xtask ask RUNTIME[@VERSION] [WORD…]`: answers from the histories that the program holds, without a run.
//!
//! It lists what is wrong in a release (defects), what the text allows although it is not the norm (hazards), since when
//! and until when, the smallest call with the command that repeats it, and the release to take instead.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgAction, ArgMatches, Command};
use normative_conformance::display::shell::asking;
use normative_conformance::display::{counted, grouped, joined, plain};
use normative_conformance::judge::fault::Fault;
use normative_conformance::nearest::did_you_mean;
use normative_conformance::reference::{Outcome, Spec, rule};

use crate::backends::{self, unversioned};
use crate::findings::{self, Reported, reported, reports};
use crate::history;
use crate::history::matters::{AskedHistory, DEFECT, Matter, Places, Safety, count, shown};
use crate::history::model::{Facts, History, ReleaseCounts, ReleaseRun};
use crate::history::spans::{Release, is_named};
use crate::history::words::Words;
use crate::home::program;
use crate::outcome::ReleaseVerdict;
use crate::output;
use crate::select::Folder;

/// The characters of a commit that are shown.
const COMMIT: usize = 8;

/// Returns the command's options.
pub(crate) fn command() -> Command {
    Command::new("ask")
        .about("Answer from the histories of runtimes, without a run, if an operator is safe in a release")
        .after_help(
            "A defect is an answer that the text excludes. A hazard is one that it allows, and that is not the norm. Exit \
             code 0: no defect is known. 1: one is, or no such call is answered. 2: the histories do not have the answer.",
        )
        .arg(
            Arg::new("runtime")
                .value_name("RUNTIME[@VERSION]")
                .required(true)
                .help("The runtime; 1.22 is the newest judged release of 1.22 [default: the newest judged release]"),
        )
        .arg(
            Arg::new("words")
                .value_name("WORD")
                .action(ArgAction::Append)
                .num_args(0..)
                .help("An operator (ReduceL2), a type (f16, int64), a clause or question of the texts (empty-axes), or a kind of failure (crashed)"),
        )
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let runtime = matches.get_one::<String>("runtime").map_or("", String::as_str);
    let words: Vec<String> = matches.get_many("words").into_iter().flatten().cloned().collect();
    let (text, is_unsafe) = answer(runtime, &words)?;
    output::print(&text)?;
    Ok(ExitCode::from(u8::from(is_unsafe)))
}

/// Returns the answer, and true if a defect is known, or no call is answered.
fn answer(runtime: &str, words: &[String]) -> Result<(String, bool)> {
    let backend = &unversioned(runtime).to_lowercase();
    let history = history::of(backend)?.with_context(|| {
        let all: Vec<&str> = history::backends().collect();
        let near = did_you_mean(backend, all.iter().copied());
        format!(
            "expected a runtime with a history ({}), got {backend:?}{near}; docs/findings.md has what is known of others",
            all.join(", ")
        )
    })?;
    let version = runtime.split_once('@').map(|(_, version)| version);
    let release = release(history, version)?;
    let ledger = Folder::ours().ledger()?;
    let names = history.results.values().flat_map(|(_, facts)| facts.types.keys());
    let judged: BTreeSet<Spec> = names.filter_map(|name| Spec::from_name(name)).collect();
    let of_texts = ledger.iter().filter(|clause| judged.contains(&clause.clause.spec));
    let clauses: BTreeSet<&str> = of_texts.map(|clause| clause.clause.name.as_str()).collect();
    if let Some(version) = words.iter().find(|word| word.starts_with(|one: char| one.is_ascii_digit())) {
        bail!("{version}: expected a version behind @, as in {backend}@{version}");
    }
    let words = Words::of(words.iter(), history, &judged, &clauses)?;
    let runtimes = findings::known()?;
    let asked = AskedHistory::of(history, &words, &ledger);
    asked.answer(release, &reported(&runtimes, backend))
}

/// Finds the judged release that a version names.
fn release<'h>(history: &'h History, version: Option<&str>) -> Result<&'h Release> {
    let judged = || history.results.keys();
    let version = version.map(|version| version.strip_prefix('v').unwrap_or(version));
    let Some(version) = version else { return judged().next_back().context("no release was judged") };
    let is_number = |part: &str| part.starts_with(|first: char| first.is_ascii_digit());
    if !version.split('.').all(|part| is_number(part) && part.chars().all(|one| one.is_ascii_alphanumeric()))
    {
        bail!("expected a version such as 1.22, got {version:?}");
    }
    let is_it = |release: &&Release| is_named(&release.0, version);
    if let Some(release) = judged().rfind(is_it) {
        return Ok(release);
    }
    if let Some((release, why)) = history.absent.iter().rfind(|(release, _)| is_it(release)) {
        bail!("{} could not be asked by the adapter of this suite: {why}", release.0);
    }
    let wanted = Release(version.to_owned());
    let before = judged()
        .rfind(|release| **release < wanted)
        .map(|release| format!("; judged before it: {}", release.0));
    let after =
        judged().find(|release| **release > wanted).map(|release| format!("; after it: {}", release.0));
    bail!("{version} was never asked{}{}", before.unwrap_or_default(), after.unwrap_or_default())
}

impl AskedHistory<'_> {
    fn answer(&self, release: &Release, reported: &[Reported<'_>]) -> Result<(String, bool)> {
        let (run, facts) = self.history.results.get(release).context("no such release")?;
        let matters = self.matters(release, facts);
        let (mut text, defects) = (String::new(), count(&matters, DEFECT));
        let of = self
            .words
            .shown
            .iter()
            .chain(&self.words.topics)
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(" ");
        let hazards = || counted(matters.len() - defects, "hazard", "hazards");
        let state = self.state(facts, &matters);
        for dtype in &self.words.types {
            let one = Words { types: [*dtype].into(), ..self.words.clone() };
            let one = self.for_words(&one);
            if one.state(facts, &one.matters(release, facts)) == Safety::Never {
                let all = Words { types: BTreeSet::new(), ..self.words.clone() };
                let all = self.for_words(&all);
                let types: BTreeSet<&str> = all.counts(facts).map(|(_, dtype, _)| dtype).collect();
                let (runtime, types) = (&self.history.runtime, joined(types));
                bail!("{runtime}: expected a type that was asked ({types}), got {dtype}");
            }
        }
        let verdict = match state {
            Safety::Never => bail!("{}: expected what its texts have, got {of}", self.history.runtime),
            Safety::Refused => {
                "not supported: the runtime or its adapter says so of every valid call, none is refused"
                    .to_owned()
            }
            Safety::Conforms => "no defect and no hazard known".to_owned(),
            Safety::Hazards => format!("no defect known, {}", hazards()),
            Safety::Defects => {
                let alone = self.version_alone(facts, &matters);
                format!("NOT SAFE{alone}: {}, {}", counted(defects, "defect", "defects"), hazards())
            }
        };
        let about = if of.is_empty() { String::new() } else { format!(", {of}") };
        // A release is good as a whole: with fewer defects of one word it may have others.
        let words = Words { topics: Vec::new(), ..self.words.clone() };
        let whole = self.for_words(&words);
        let all = whole.matters(release, facts);
        let more = if defects == 0 { self.beyond_topics(&all) } else { String::new() };
        let better = whole.better(release, &all);
        let without = if self.words.topics.is_empty() {
            String::new()
        } else {
            format!(" (without the word {})", self.words.topics.join(" "))
        };
        writeln!(text, "{} {}{about}: {verdict}{more}", self.history.runtime, release.0)?;
        writeln!(text, "take    {better}{without}")?;
        let own = format!("{}-norm", self.history.backend);
        if history::backends().any(|other| other == own) {
            writeln!(
                text,
                "asked   sums of abs and square; for the library's own norm: {} ask {own}",
                program()
            )?;
        }
        if state == Safety::Refused {
            self.write_why(&mut text, release, facts)?;
        }
        for matter in &matters {
            self.write(&mut text, release, matter)?;
            for one in reports(reported, self, release, facts, matter) {
                let of = one.upstream_of.as_ref().map_or_else(String::new, |of| format!(" (of {of})"));
                writeln!(text, "        upstream: {}{of}", one.upstream)?;
            }
        }
        self.write_readings(&mut text, facts)?;
        self.write_run(&mut text, run, facts, &matters)?;
        Ok((text, matches!(state, Safety::Defects | Safety::Refused)))
    }

    fn write(&self, text: &mut String, release: &Release, matter: &Matter) -> Result<()> {
        let Matter { label, title, about, places, answers, call, .. } = matter;
        let span = matter.span_in_words();
        if self.words.is_empty() {
            let types: BTreeSet<&str> = places.iter().map(|(_, dtype)| dtype.as_str()).collect();
            let types: Vec<&str> = types.into_iter().filter(|dtype| !dtype.is_empty()).collect();
            let of = if types.is_empty() { String::new() } else { format!(" ({})", types.join(" ")) };
            return Ok(writeln!(text, "{label}  {}{of}: {span}", plain(title))?);
        }
        writeln!(text, "{label}  {}", plain(title))?;
        writeln!(text, "        {span}; {}; {about}", shown(places))?;
        if let Some(answers) = answers {
            writeln!(text, "        {}", plain(answers))?;
        }
        let backend = backends::asked_by(&self.history.backend, &release.0);
        let shows = match (call, places.first()) {
            (Some(call), _) => asking(call),
            // Several calls are read in several ways together.
            (None, Some((spec, _))) => format!("--spec {spec}"),
            (None, None) => return Ok(()),
        };
        Ok(writeln!(text, "        {} conformance --backend {backend} {shows}", program())?)
    }

    /// Writes the command that shows in the words of the runtime or its adapter why it does not support a call.
    fn write_why(&self, text: &mut String, release: &Release, facts: &Facts) -> Result<()> {
        let is_valid = |call: &&String| {
            let all = history::asked(call).map(|call| rule(&call).alternatives);
            all.is_some_and(
                |all| matches!(all.as_slice(), [only] if matches!(only.outcome, Outcome::Reduce(..))),
            )
        };
        let valid = self.calls.iter().map(|(call, _)| *call).filter(is_valid);
        let spec = || {
            self.counts(facts)
                .find(|(.., counts)| counts.valid > 0)
                .map(|(spec, ..)| format!("--spec {spec}"))
        };
        let shows = valid.min_by_key(|call| call.len()).map(|call| asking(call)).or_else(spec);
        let backend = backends::asked_by(&self.history.backend, &release.0);
        Ok(writeln!(
            text,
            "why     {} conformance --backend {backend} {}",
            program(),
            shows.unwrap_or_default()
        )?)
    }

    /// Counts all defects and hazards, found without the clauses, questions and failures of the words: a defect stands at one
    /// clause of several.
    fn beyond_topics(&self, all: &[Matter]) -> String {
        if self.words.topics.is_empty() {
            return String::new();
        }
        let defects = count(all, DEFECT);
        let found = [(defects, "defect", "defects"), (all.len() - defects, "hazard", "hazards")];
        let found = found.into_iter().filter(|(found, ..)| *found > 0);
        let found: Vec<String> = found.map(|(found, one, several)| counted(found, one, several)).collect();
        if found.is_empty() {
            return String::new();
        }
        format!("; without the word {}: {}", self.words.topics.join(" "), found.join(", "))
    }

    /// Names the one operator version with a defect, if others of the question have none.
    fn version_alone(&self, facts: &Facts, matters: &[Matter]) -> String {
        if self.words.specs.is_empty() {
            return String::new();
        }
        let defects = matters.iter().filter(|matter| matter.label == DEFECT);
        let bad: BTreeSet<&str> =
            defects.flat_map(|matter| &matter.places).map(|(spec, _)| spec.as_str()).collect();
        let answered = self.counts(facts).filter(|(.., counts)| counts.answered > 0).map(|(spec, ..)| spec);
        let good = answered.filter(|spec| !bad.contains(spec)).count();
        if good == 0 || bad.len() > 1 { String::new() } else { format!(" in {} alone", joined(bad)) }
    }

    /// Writes how this release reads the questions that the words name.
    fn write_readings(&self, text: &mut String, facts: &Facts) -> Result<()> {
        let is_named = |question: &str| !self.words.topics.is_empty() && self.words.are_in(&[question], None);
        let mut lines: BTreeMap<(&str, &str), Places> = BTreeMap::new();
        for ((question, spec, dtype), reading) in &facts.readings {
            if is_named(question) && self.words.take(spec, dtype) {
                lines.entry((question, reading)).or_default().insert((spec.clone(), dtype.clone()));
            }
        }
        for ((question, reading), places) in lines {
            writeln!(text, "reads   {question}: {reading} ({})", shown(&places))?;
        }
        Ok(())
    }

    /// Returns the release to take instead, in words: the newest with the fewest defects, and then hazards.
    fn better(&self, release: &Release, matters: &[Matter]) -> String {
        let rank = |matters: &[Matter]| (count(matters, DEFECT), matters.len());
        // Calls in a type that the text excludes are answered, and none of them is valid.
        let is_served = |facts: &Facts| self.served(facts).0 > 0 || self.served(facts).1 == 0;
        let ranked = self.history.results.iter().filter(|(_, (_, facts))| is_served(facts));
        let ranked = ranked.map(|(release, (_, facts))| {
            let matters = self.matters(release, facts);
            (rank(&matters), release, matters, facts)
        });
        let best =
            ranked.min_by(|(one, older, ..), (other, newer, ..)| one.cmp(other).then(newer.cmp(older)));
        let Some(((defects, all), best, its, facts)) = best else {
            return "no judged release answers such a call".to_owned();
        };
        let is_served_here = self.history.results.get(release).is_some_and(|(_, facts)| is_served(facts));
        if best == release || (defects, all) >= rank(matters) && is_served_here {
            let which = if count(matters, DEFECT) == 0 { "this one" } else { "no other" };
            return format!("{which}: no judged release is better");
        }
        let (defects, hazards) =
            (counted(defects, "defect", "defects"), counted(all - defects, "hazard", "hazards"));
        let is_new =
            |one: &&Matter| one.label == DEFECT && !matters.iter().any(|known| known.name == one.name);
        let added: Vec<String> = its.iter().filter(is_new).map(|one| plain(&one.name)).collect();
        let added = if added.is_empty() { String::new() } else { format!("; it adds: {}", added.join("; ")) };
        let asked = self.history.results.get(release);
        let (here, of_here) = asked.map_or((0, 0), |(_, facts)| self.served(facts));
        let (there, valid) = self.served(facts);
        let fewer = if there * of_here < here * valid {
            format!("; it answers {} of {} calls, this one {}", grouped(there), grouped(valid), grouped(here))
        } else {
            String::new()
        };
        format!("{}: {defects}, {hazards}{added}{fewer}", best.0)
    }

    /// Writes when and by what the release was judged, and what it never answered.
    fn write_run(
        &self,
        text: &mut String,
        run: &ReleaseRun,
        facts: &Facts,
        matters: &[Matter],
    ) -> Result<()> {
        let ReleaseRun { judged, suite, cases, generated, .. } = run;
        let (answered, valid) = self.served(facts);
        let (cases, generated) = (grouped(*cases), grouped(*generated));
        let suite = short(suite);
        writeln!(text, "judged  {judged} by {cases} cases and {generated} generated calls, suite {suite}")?;
        let (answered, valid) = (grouped(answered), grouped(valid));
        writeln!(
            text,
            "        {answered} of {valid} valid calls of these operators and types are answered"
        )?;
        let never = self.refused(facts);
        let in_any = self.history.results.values().map(|(_, facts)| self.refused(facts));
        let in_any = in_any.reduce(|one, other| &one & &other).unwrap_or_default();
        let here = &never - &in_any;
        let refuses = Some(ReleaseVerdict::Fails(Fault::RefusedValid));
        let refusing = matters.iter().filter(|matter| matter.verdict == refuses);
        let refused: Places = refusing.flat_map(|matter| matter.places.iter().cloned()).collect();
        for (places, of) in [(in_any, "any judged release"), (here, "this release")] {
            for (but, places) in [("", &places - &refused), (", but refused,", &places & &refused)] {
                if !places.is_empty() {
                    writeln!(text, "never   answered{but} in {of}: {}", shown(&places))?;
                }
            }
        }
        Ok(())
    }

    /// Returns the specs and types of which no valid call is answered.
    fn refused(&self, facts: &Facts) -> Places {
        // A wrong answer is one too.
        let is_silent = |counts: ReleaseCounts| counts.answered + counts.wrong == 0 && counts.valid > 0;
        let refused = self.counts(facts).filter(|(.., counts)| is_silent(*counts));
        refused.map(|(spec, dtype, _)| (spec.to_owned(), dtype.to_owned())).collect()
    }
}

/// Returns a suite's version, the start of its commit, and a mark if it had changes.
fn short(suite: &str) -> String {
    let (version, commit) = suite.split_once(' ').unwrap_or((suite, ""));
    let start: String = commit.chars().take_while(char::is_ascii_hexdigit).take(COMMIT).collect();
    let mark = commit.find('+').map_or("", |at| &commit[at..]);
    format!("{version} {start}{mark}").trim().to_owned()
}

#[cfg(test)]
mod tests;
