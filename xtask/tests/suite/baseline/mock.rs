//! A backend controlled by an environment variable, by element type; this test's own executable is its worker.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::common::{RIGHT, Run, corpus, xtask};
use normative_backend::{Answer, Claim, Stub, serve};
use normative_conformance::reference::{Call, Expected, Family, Magnitude, Tensor, expect, rule};
use tempfile::TempDir;

/// The variable with the mock's behaviour, such as `i8=refuses u8=keeps`.
const ROLE: &str = "NORMATIVE_MOCK_ROLE";
/// The variable with the path of a file that counts calls to a flaky type, one byte each.
const CALLS: &str = "NORMATIVE_MOCK_CALLS";

struct Mock(String);

impl Mock {
    fn does(&self, what: &str, call: &Call) -> bool {
        self.0.split(' ').any(|word| word == format!("{}={what}", call.data.dtype()))
    }

    fn answer(&self, call: &Call) -> Answer {
        if self.does("declines", call) {
            return Answer::Unsupported("not any more".into());
        }
        // Answer the plainest call of the type: if that is refused, the type counts as unsupported.
        let is_plainest = call.data.shape() == [2] && call.data.bits()[0] == call.data.bits()[1];
        if self.does("refuses", call) && !is_plainest {
            return Answer::Rejected("no such type".into());
        }
        if self.does("refuses-some", call) && is_of_some(call) && !is_plainest {
            return Answer::Rejected("not this one".into());
        }
        if self.does("keeps", call) {
            return Answer::Tensor(call.data.clone());
        }
        assert!(!self.does("panics", call), "as told");
        if self.does("refuses-at-first", call) || self.does("refuses-later", call) {
            let path = PathBuf::from(std::env::var_os(CALLS).unwrap());
            let mut file = fs::OpenOptions::new().create(true).append(true).open(&path).unwrap();
            file.write_all(b".").unwrap();
            let is_first = fs::metadata(&path).unwrap().len() == 1;
            if is_first == self.does("refuses-at-first", call) {
                return Answer::Rejected("not in the mood".into());
            }
        }
        let ruling = rule(call);
        let late = self.does("other-reading", call) && call.data.len() % 2 == 1;
        let reading = |question: normative_conformance::reference::Question| {
            let readings = question.readings();
            if late { readings.last().copied() } else { readings.first().copied() }
        };
        match expect(call, &ruling.under(reading).unwrap().outcome).unwrap() {
            Expected::Rejection(clause) | Expected::Anything(clause) => Answer::Rejected(clause.to_string()),
            Expected::Exactly(tensor) => Answer::Tensor(tensor),
            Expected::Converted(converted) => Answer::Tensor(converted.best),
            Expected::Near(near) => Answer::Tensor(self.wrong(call, &near.rounded().unwrap())),
        }
    }

    /// Returns the right answer, changed by the mock. Infinities and NaNs stay: changing them is another failure.
    fn wrong(&self, call: &Call, right: &Tensor) -> Tensor {
        let dtype = right.dtype();
        let changed = |(at, bits): (usize, u64)| match dtype.magnitude(bits) {
            Magnitude::Finite { .. } if self.does("drifts", call) => bits + 1000,
            Magnitude::Finite { .. } if self.does("drifts-at-first", call) && at == 0 => bits + 1000,
            Magnitude::Finite { .. } if self.does("constant", call) => 0x3f80_0000,
            Magnitude::Infinite | Magnitude::Nan | Magnitude::Finite { .. } => bits,
        };
        let bits: Vec<u64> = right.bits().into_iter().enumerate().map(changed).collect();
        Tensor::from_bits(dtype, right.shape(), &bits).unwrap()
    }
}

/// Returns true for about half of all calls, by a hash.
fn is_of_some(call: &Call) -> bool {
    let bits = call.data.bits().into_iter().chain(call.data.shape().iter().map(|&dim| dim as u64));
    bits.fold(0_u64, |all, bits| (all ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 63 == 1
}

/// Runs the worker if the variable is set; otherwise it does nothing.
#[test]
fn the_mock() {
    if let Ok(role) = std::env::var(ROLE) {
        let mock = Mock(role);
        let mut backend = Stub::new("mock", |call| mock.answer(call));
        // Claim all families, so that a run with a filter asks no specs that a run without one excludes.
        backend.capabilities.claims = Claim::in_full(&Family::ALL);
        let _code = serve(backend);
        std::process::exit(0);
    }
}

/// Cases, and a folder for the baseline and the record.
pub(super) struct Setting {
    cases: TempDir,
    folder: TempDir,
}

impl Setting {
    pub(super) fn new() -> Self {
        Self { cases: corpus(RIGHT), folder: tempfile::tempdir().unwrap() }
    }

    pub(super) fn baseline(&self) -> PathBuf {
        self.folder.path().join("known.yaml")
    }

    pub(super) fn cases(&self) -> &Path {
        self.cases.path()
    }

    pub(super) fn text(&self) -> String {
        fs::read_to_string(self.baseline()).unwrap()
    }

    pub(super) fn write(&self, known: &str) {
        fs::write(self.baseline(), format!("runs: []\nknown:{known}")).unwrap();
    }

    pub(super) fn judge(&self, role: &str, more: &[&str]) -> Run {
        let exe = std::env::current_exe().unwrap();
        let worker = format!("cmd:'{}' --exact baseline::mock::the_mock", exe.display());
        let path = |path: &Path| path.to_str().unwrap().to_owned();
        let (cases, record) = (path(self.cases.path()), path(&self.folder.path().join("record")));
        let few =
            ["conformance", "--backend", &worker, "--cases", &cases, "--record", &record, "--repeat", "0"];
        let calls = self.folder.path().join("calls");
        Run::of(xtask(&[&few, more].concat()).env(ROLE, role).env(CALLS, calls))
    }

    /// Runs the cases alone, with the baseline.
    pub(super) fn check(&self, role: &str) -> Run {
        self.judge(role, &["--property", "0", "--baseline", self.baseline().to_str().unwrap()])
    }
}
