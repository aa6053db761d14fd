//! Tests that a run gives the same record and report, byte for byte, with a single worker or a team of any size.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use normative_conformance::Verdict;
use normative_conformance::corpus::{Case, Corpus, Ledger, load, load_ledger};
use normative_conformance::digest::Digest;
use normative_conformance::drive::{Driver, Limits, Program, Team, Worker};
use normative_conformance::reference::Spec;
use normative_conformance::run::prepare;
use normative_conformance::session::{Calls, Job, Origin, Recorder, SessionError, Settings, Watch};
use normative_present::column::Column;
use normative_present::terminal::{self, Detail};
use rstest::rstest;

use crate::members;
use crate::{limits, program};

/// The driver of a run.
#[derive(Clone, Copy, Debug)]
enum Asked {
    /// A worker without a team.
    Alone,
    /// A team of so many workers.
    Team(usize),
}

const TEAMS: [Asked; 4] = [Asked::Team(1), Asked::Team(2), Asked::Team(3), Asked::Team(5)];

/// The cases, and the number of repeated calls.
struct Scene {
    corpus: Corpus,
    ledger: Ledger,
    folder: tempfile::TempDir,
    repeat: usize,
    shrink: usize,
}

/// A finished run.
struct Ran {
    record: String,
    report: String,
}

impl Scene {
    fn new() -> Self {
        let cases = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("cases");
        let mut corpus = load(&cases).unwrap();
        corpus.cases.retain(|case| case.call.spec().name().starts_with("openvino/ReduceL1"));
        corpus.cases.truncate(150);
        let ledger = load_ledger(&cases.join("clauses")).unwrap();
        Self { corpus, ledger, folder: tempfile::tempdir().unwrap(), repeat: 20, shrink: 10 }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn program(&self, role: &str) -> Program {
        let mut program = program(&format!("member-{role}"));
        program.env.push((members::DIARY.into(), self.path("diary").into()));
        program
    }

    /// Returns the lines that processes wrote: their ids and actions.
    fn diary(&self) -> Vec<(String, String)> {
        let text = fs::read_to_string(self.path("diary")).unwrap();
        let lines = text.lines().map(|line| line.split_once(' ').unwrap());
        lines.map(|(process, what)| (process.to_owned(), what.to_owned())).collect()
    }

    /// Runs a role; `resumed` is the beginning of a record to continue.
    fn run(
        &self,
        role: &str,
        asked: Asked,
        resumed: Option<&[u8]>,
        watch: &mut dyn Watch,
    ) -> Result<Ran, SessionError> {
        // Enough time for an honest call on a busy machine.
        let answer = Duration::from_millis(match role {
            "late-for-all" => 60,
            // A call that hangs costs five times this; a late honest call gets four times this when asked again.
            "hangs" => 500,
            _ => 1500,
        });
        let first = Worker::start(self.program(role), Limits { answer, ..limits() }).unwrap();
        let (mut alone, mut team);
        let driver: &mut dyn Driver = match asked {
            Asked::Alone => {
                alone = first;
                &mut alone
            }
            Asked::Team(size) => {
                team = Team::of(first);
                team.grow(size).unwrap();
                assert_eq!(team.size(), size);
                &mut team
            }
        };
        let prepared = prepare(&self.corpus.cases).unwrap();
        let calls = Calls::Row { seed: 3, calls: Some(250), specs: vec![Spec::ALL[0]] };
        let (repeat, shrink) = (self.repeat, self.shrink);
        let job = Job { calls, repeat, shrink, ..Job::of(prepared.len(), &prepared) };
        let (name, again) = (String::from("member"), String::from("again"));
        let origin = Origin::default();
        let settings =
            Settings { name: name.clone(), timeout: 1, memory: None, again: again.clone(), origin };
        let header = job.header(&self.corpus, driver, settings);
        let path = self.path("record");
        let open = match resumed {
            Some(beginning) => {
                fs::write(&path, beginning).unwrap();
                Recorder::resume
            }
            None => Recorder::create,
        };
        let mut recorder = open(path.clone(), &header, &self.ledger)?;
        let report = job.judge(driver, Some(&mut recorder), watch)?;
        let mut text = String::new();
        let column = Column { name, report, again, repro: None };
        terminal::write(&mut text, &column, &self.ledger, Detail::All).unwrap();
        Ok(Ran { record: fs::read_to_string(path).unwrap(), report: text })
    }

    fn whole(&self, role: &str, asked: Asked) -> Ran {
        self.run(role, asked, None, &mut ()).unwrap()
    }
}

/// Removes the number of deadlines that were missed and then met, which depends on the machine.
fn timeless(text: &str) -> String {
    let of_line = |line: &str| match line.split_once("\"late\":") {
        Some((before, after)) => {
            // A record without missed deadlines lacks the number.
            let after = after.trim_start_matches(|c: char| c.is_ascii_digit());
            format!("{before}{}\n", after.trim_start_matches(','))
        }
        None => format!("{line}\n"),
    };
    text.lines().filter(|line| !line.contains("missed and met")).map(of_line).collect()
}

/// Checks that two runs are equal, and shows only the first line that differs.
fn assert_same(got: &Ran, expected: &Ran, of: &str) {
    let pairs = [(&got.record, &expected.record), (&got.report, &expected.report)];
    for (got, expected) in pairs.map(|(got, expected)| (timeless(got), timeless(expected))) {
        let mut lines = got.lines().zip(expected.lines()).enumerate();
        if let Some((at, (got, expected))) = lines.find(|(_, (got, expected))| got != expected) {
            panic!("{of}, line {at}:\n{got:.2000}\nexpected\n{expected:.2000}");
        }
        assert_eq!(got.len(), expected.len(), "{of}: one is longer");
    }
}

/// Returns the verdicts of a record, which do not depend on timing.
fn verdicts(record: &str) -> Vec<&str> {
    let is_verdict = |line: &&str| line.starts_with("{\"case\":") || line.starts_with("{\"call\":");
    record.lines().filter(is_verdict).collect()
}

#[rstest]
#[case::of_one_that_conforms("right")]
#[case::of_one_that_is_wrong("wrong")]
#[case::of_one_that_dies_over_some_calls("dies")]
#[case::of_one_that_hangs_over_some_calls("hangs")]
#[case::of_one_that_is_given_up_because_it_dies("dies-of-all")]
#[case::of_one_that_is_given_up_because_it_is_late("late-for-all")]
fn teams_of_any_size_leave_the_record_and_report_of_one(#[case] role: &str) {
    let scene = Scene::new();
    let alone = scene.whole(role, Asked::Alone);
    assert_eq!(verdicts(&alone.record).len(), 400);
    // Waiting for hanging calls takes long, so only one size of team is tried.
    let teams = if role == "hangs" { &TEAMS[2..3] } else { &TEAMS[..] };
    for &team in teams {
        assert_same(&scene.whole(role, team), &alone, &format!("{team:?}"));
    }
}

#[test]
fn every_call_is_asked_once_and_by_several() {
    let scene = Scene { repeat: 0, shrink: 0, ..Scene::new() };
    scene.whole("right", Asked::Team(3));
    let diary = scene.diary();
    let mut processes: Vec<&str> = Vec::new();
    for (process, _) in diary.iter().filter(|(_, what)| what != "start") {
        processes.push(process);
    }
    assert_eq!(processes.len(), 400);
    processes.sort_unstable();
    let shares: Vec<usize> = processes.chunk_by(|a, b| a == b).map(<[_]>::len).collect();
    assert_eq!(shares.len(), 3);
    assert!(shares.iter().all(|share| (90..=170).contains(share)), "{shares:?}");
}

#[test]
fn processes_that_end_by_chance_cost_no_verdict() {
    let scene = Scene::new();
    let right = scene.whole("right", Asked::Alone);
    for team in TEAMS {
        let ran = scene.whole("ends-some-time", team);
        assert!(ran.record.contains("{\"flake\":"), "{team:?}: no process ended");
        assert!(verdicts(&ran.record) == verdicts(&right.record), "{team:?}");
    }
}

/// Kills the worker of the last call, by the diary, after so many verdicts. It does so once: a call whose
/// process is killed again when asked alone is rightly blamed.
struct Killer {
    diary: PathBuf,
    judged: usize,
    after: usize,
}

impl Watch for Killer {
    fn judged(&mut self, _: &Verdict) {
        self.judged += 1;
        if self.judged == self.after {
            let diary = fs::read_to_string(&self.diary).unwrap();
            let process = diary.lines().last().and_then(|line| line.split(' ').next()).unwrap();
            // The process may have ended already.
            Command::new("kill").args(["-KILL", process]).status().unwrap();
        }
    }
}

#[test]
fn nothing_is_lost_when_a_worker_is_killed() {
    let scene = Scene::new();
    let right = scene.whole("right", Asked::Alone);
    let mut killer = Killer { diary: scene.path("diary"), judged: 0, after: 60 };
    let ran = scene.run("right", Asked::Team(3), None, &mut killer).unwrap();
    assert!(verdicts(&ran.record) == verdicts(&right.record));
}

#[rstest]
#[case::wrong("wrong")]
#[case::dying("dies")]
#[case::given_up("late-for-all")]
fn a_record_cut_anywhere_is_completed_by_a_team_of_another_size(#[case] role: &str) {
    let scene = Scene::new();
    let whole = scene.whole(role, Asked::Team(2));
    let bytes = whole.record.as_bytes();
    let head = whole.record.find('\n').unwrap() + 1;
    let cuts = 7;
    for (at, asked) in
        (1..cuts).zip([Asked::Team(3), Asked::Alone, Asked::Team(1), Asked::Team(5)].iter().cycle())
    {
        let cut = head + (bytes.len() - head) * at / cuts;
        let resumed = scene.run(role, *asked, Some(&bytes[..cut]), &mut ()).unwrap();
        assert_same(&resumed, &whole, &format!("{asked:?}, cut at byte {cut}"));
    }
}

/// Stops a run after so many failures.
struct Failures(usize);

impl Watch for Failures {
    fn judged(&mut self, verdict: &Verdict) {
        self.0 -= usize::from(verdict.is_failure());
    }

    fn stops(&self) -> bool {
        self.0 == 0
    }
}

#[test]
fn a_run_stops_at_the_same_failure_whoever_is_asked() {
    let scene = Scene::new();
    let stopped = |asked| scene.run("wrong", asked, None, &mut Failures(5)).unwrap();
    let alone = stopped(Asked::Alone);
    assert!(verdicts(&alone.record).len() < 400);
    for team in TEAMS {
        assert_same(&stopped(team), &alone, &format!("{team:?}"));
    }
}

#[test]
fn a_run_whose_workers_start_no_more_can_be_completed() {
    let scene = Scene::new();
    let whole = scene.whole("dies", Asked::Alone);
    fs::remove_file(scene.path("diary")).unwrap();
    match scene.run("starts-a-few-times", Asked::Team(2), None, &mut ()) {
        Err(SessionError::Halted(_)) => {}
        Err(other) => panic!("expected a halt, got {other}"),
        Ok(_) => panic!("expected a halt, got a report"),
    }
    let record = fs::read(scene.path("record")).unwrap();
    assert!(
        whole.record.as_bytes().starts_with(&record),
        "what is on record is not the beginning of the whole"
    );
    let resumed = scene.run("dies", Asked::Team(3), Some(&record), &mut ()).unwrap();
    assert_same(&resumed, &whole, "resumed");
}

#[test]
fn a_row_that_is_blamed_holds_what_one_worker_was_asked() {
    let scene = Scene::new();
    // Calls are dealt 32 at a time: of two workers the first gets the 65th call right after the 32nd.
    let [before, call] = [31, 64].map(|at| &scene.corpus.cases[at]);
    let digest = |case: &Case| Digest::of_call(&case.call).to_string();
    let role = format!("{}{}-{}", members::WRONG_AFTER, digest(before), digest(call));
    let ran = scene.whole(&role, Asked::Team(2));
    let (_, unstable) = ran.report.split_once(&format!("NONDETERMINISTIC {}\n", call.name)).unwrap();
    let (finding, _) = unstable.split_once("\n\n").unwrap();
    let again = finding.lines().find(|line| line.starts_with("  again ")).unwrap();
    assert!(again.contains(&format!(" --case {} ", before.name)), "{finding}");
    assert!(again.ends_with(&format!(" --case {}", call.name)), "{finding}");
}

#[test]
fn a_team_is_as_large_as_its_workers_start() {
    let scene = Scene::new();
    let mut team = Team::of(Worker::start(scene.program("starts-a-few-times"), limits()).unwrap());
    assert!(team.grow(8).is_err());
    assert_eq!(team.size(), 5);
    assert!(!team.is_halted());
}
