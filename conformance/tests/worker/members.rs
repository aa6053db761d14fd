//! Backends whose answer depends on the call alone: right, wrong, dying, late; and one that also depends on
//! the previous call. Some processes are slower than others, so that answers of a team come out of order.

use std::fs::OpenOptions;
use std::hash::{BuildHasher as _, RandomState};
use std::io::Write as _;
use std::process;
use std::thread;
use std::time::Duration;

use normative_backend::{Stub, serve};
use normative_conformance::digest::Digest;
use normative_conformance::{Answer, Backend as _};
use normative_reference::{Call, Dtype};

use crate::reference_backend::{Policy, Reference};

/// The prefix of all their roles.
const MEMBER: &str = "member-";

/// The environment variable with the file in which every process writes a line for its start and each call.
pub(crate) const DIARY: &str = "NORMATIVE_MOCK_DIARY";

/// The number of processes that may start in the role with few starts.
const FEW_STARTS: usize = 5;

/// The prefix of the role that is wrong about a call only right after another one. The digests of the two
/// follow, separated by `-`.
pub(crate) const WRONG_AFTER: &str = "wrong-after-";

struct Member {
    role: String,
    diary: Option<std::fs::File>,
    /// The digest of the previous call.
    before: String,
    /// The number of calls before this process ends, in the role that ends.
    left: u64,
}

/// Plays such a role until the test hangs up; returns false for other roles.
pub(crate) fn play(role: &str) -> bool {
    let Some(role) = role.strip_prefix(MEMBER) else { return false };
    let path = std::env::var_os(DIARY);
    let diary = path.as_ref().map(|path| OpenOptions::new().append(true).create(true).open(path).unwrap());
    let left = 40 + RandomState::new().hash_one(()) % 60;
    let mut member = Member { role: role.to_owned(), diary, before: String::new(), left };
    member.note("start");
    if let Some(path) = path.filter(|_| role == "starts-a-few-times") {
        // Several may start at once: the line number of this start counts, which later starts do not change.
        let (diary, own) = (std::fs::read_to_string(path).unwrap(), format!("{} start", process::id()));
        let starts: Vec<&str> = diary.lines().filter(|line| line.ends_with("start")).collect();
        let place = starts.iter().rposition(|line| *line == own).unwrap();
        if place >= FEW_STARTS {
            process::exit(3);
        }
    }
    if serve(Stub::new("member", move |call| member.answer(call))) != process::ExitCode::SUCCESS {
        process::exit(101);
    }
    true
}

impl Member {
    fn note(&mut self, what: &str) {
        if let Some(diary) = &mut self.diary {
            diary.write_all(format!("{} {what}\n", process::id()).as_bytes()).unwrap();
        }
    }

    fn answer(&mut self, call: &Call) -> Answer {
        let digest = Digest::of_call(call);
        self.note(&digest.to_string());
        let before = std::mem::replace(&mut self.before, digest.to_string());
        if self.role.strip_prefix(WRONG_AFTER).is_some_and(|pair| pair == format!("{before}-{digest}")) {
            return Answer::Tensor(ndarray::arr1(&[0_u8; 7]).into_dyn().into());
        }
        if process::id().is_multiple_of(3) {
            thread::sleep(Duration::from_micros(300));
        }
        match self.role.as_str() {
            "wrong" if call.data.rank() == 3 => return Answer::Rejected("no cubes".into()),
            "wrong" if call.data.dtype() == Dtype::F32 && call.data.len() == 4 => {
                return Answer::Tensor(call.data.clone());
            }
            "dies" | "starts-a-few-times" if digest.number().is_multiple_of(23) => process::exit(3),
            "dies-of-all" => process::exit(3),
            "hangs" if digest.number().is_multiple_of(97) => hang(),
            "late-for-all" => hang(),
            "ends-some-time" if self.left == 0 => process::abort(),
            _ => {}
        }
        self.left -= 1.min(self.left);
        Reference(Policy::new()).answer(call)
    }
}

fn hang() -> ! {
    loop {
        thread::sleep(Duration::from_secs(60));
    }
}
