//! A backend that answers right by returning the data, except for a call with null axes: then it plays its
//! role. In the role [`PLANTED`] each call names its own fault ([`planted`]).

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use normative_backend::{frame, serve, wire};
use normative_conformance::{Answer, Backend, Capabilities, Identity, Unavailable};
use normative_reference::{Axes, Call, Dtype};

/// The environment variable that holds the role.
pub(crate) const ROLE: &str = "NORMATIVE_MOCK_ROLE";

/// The role in which a call's only axis selects the fault: its place in [`FAULTS`].
pub(crate) const PLANTED: &str = "planted";

/// The faults.
pub(crate) const FAULTS: [&str; 12] = [
    "panic",
    "abort",
    "exit",
    "stack-overflow",
    "loop",
    "garbage",
    "cut",
    "lying-length",
    "wrong-tag",
    "wrong-number",
    "twice",
    "dribble",
];

/// Returns a call with this fault for the role [`PLANTED`].
pub(crate) fn planted(fault: usize, call: Call) -> Call {
    Call { axes: Axes::list(&[fault as i64]), ..call }
}

fn planted_in(call: &Call) -> Option<&'static str> {
    let Axes::Given(axes) = &call.axes else { return None };
    axes.values.first().and_then(|&fault| FAULTS.get(usize::try_from(fault).ok()?)).copied()
}

pub(crate) struct Mock {
    role: String,
}

impl Mock {
    pub(crate) fn new(role: &str) -> Self {
        Self { role: role.to_owned() }
    }
}

impl Backend for Mock {
    fn identity(&self) -> Identity {
        assert_ne!(self.role, "hello-panic", "as told");
        Identity { name: "möck".into(), version: "1.2".into(), report_bugs_to: "nobody".into() }
    }

    fn capabilities(&self) -> Capabilities {
        let accumulation = vec![(Dtype::F16, Dtype::F32), (Dtype::F64, Dtype::F64)];
        Capabilities { accumulation, slow: true, ..Capabilities::default() }
    }

    fn answer(&mut self, call: &Call) -> Answer {
        match &call.axes {
            Axes::Absent => {}
            Axes::OtherForm(_) => return Answer::Unsupported("axes in the form of another opset".into()),
            Axes::Null => return misbehave(&self.role, call),
            Axes::Given(axes) if axes.values.is_empty() => process::exit(3),
            Axes::Given(_) => return Answer::Rejected(process::id().to_string()),
        }
        Answer::Tensor(call.data.clone())
    }
}

fn misbehave(role: &str, call: &Call) -> Answer {
    match role {
        "panic" => panic!("as told"),
        "panic-any" => std::panic::panic_any(7),
        "has-a-child" if !HAS_A_CHILD.swap(true, Ordering::Relaxed) => {
            let child = leave_a_child("60", false);
            return Answer::Rejected(format!("{} {child}", process::id()));
        }
        "abort" | "has-a-child" => process::abort(),
        "exit-after-lines" => {
            eprintln!("Error: the cause");
            (1..=100).for_each(|line| eprintln!("    at frame {line}"));
            std::process::exit(3);
        }
        "exit" => {
            eprintln!("leaving\nfor good");
            process::exit(3)
        }
        "leaves-a-child" => {
            leave_a_child("8", true);
            process::exit(3)
        }
        "stack-overflow" => return Answer::Rejected(deep(1).to_string()),
        "loop" => loop {
            std::hint::spin_loop();
        },
        "hog" => {
            // The limit is on address space, so the memory need not be written, which would take long.
            let mut hoard: Vec<Vec<u8>> = Vec::new();
            loop {
                hoard.push(std::hint::black_box(vec![0; 64 << 20]));
            }
        }
        "flood" => {
            let line = "x".repeat(1000);
            for _ in 0..5000 {
                println!("{line}");
                eprintln!("{line}");
            }
        }
        "says-much" => return Answer::Rejected("words\n".repeat(10 << 20)),
        "large-result" => return Answer::Tensor(ndarray::Array1::<u8>::zeros(40 << 20).into_dyn().into()),
        // Longer than the first limit of a second, but within the second limit.
        "slow" => thread::sleep(Duration::from_millis(1500)),
        "says-it-died" => return Answer::Crashed("of its own accord".into()),
        "leaves" => {
            thread::spawn(|| {
                thread::sleep(Duration::from_millis(100));
                process::exit(0)
            });
        }
        _ => {}
    }
    Answer::Tensor(call.data.clone())
}

/// True if this process left a child.
static HAS_A_CHILD: AtomicBool = AtomicBool::new(false);

/// Starts a process that holds standard error and outlives this one; returns its id.
fn leave_a_child(seconds: &str, leaves_the_group: bool) -> u32 {
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};

    let mut command = Command::new("sleep");
    command.arg(seconds).stdin(Stdio::null()).stdout(Stdio::null());
    if leaves_the_group {
        command.process_group(0);
    }
    command.spawn().unwrap().id()
}

fn deep(n: u64) -> u64 {
    let frame = std::hint::black_box([n; 1000]);
    if n == 0 { 0 } else { deep(n + 1) + frame[999] }
}

/// Plays a role until the test hangs up.
pub(crate) fn play(role: &str) {
    let raw = [
        PLANTED,
        "dies-unless-first",
        "late-unless-first",
        "changes-data",
        "garbage-after",
        "one-at-a-time",
        "out-of-order",
        "flood-of-answers",
        "garbage",
        "cut",
        "lying-length",
        "wrong-tag",
        "wrong-number",
        "forges",
        "dribble",
        "stall",
        "deaf",
        "twice",
        "no-hello",
        "unavailable-and-more",
    ];
    if raw.contains(&role) {
        speak(role);
    } else {
        // As in a worker's `main`.
        let there = role != "unavailable";
        let mock = there.then(|| Mock::new(role)).ok_or(Unavailable("libmöck.so is not there".into()));
        let code = serve(mock);
        if code != process::ExitCode::SUCCESS {
            process::exit(101);
        }
    }
}

fn line() -> File {
    File::from(io::stdin().as_fd().try_clone_to_owned().unwrap())
}

fn rest() -> ! {
    loop {
        thread::sleep(Duration::from_secs(60));
    }
}

/// Speaks the protocol by hand, with the role's mistakes.
fn speak(role: &str) {
    let (mut from, mut to) = (line(), line());
    let mock = Mock::new(role);
    let hello =
        wire::encode_hello(&wire::Hello { identity: mock.identity(), capabilities: mock.capabilities() });
    match role {
        "no-hello" => rest(),
        "unavailable-and-more" => frame::write(&mut to, wire::UNAVAILABLE, &[0, 0, 0, 0, 1]).unwrap(),
        _ => {}
    }
    frame::write(&mut to, wire::HELLO, &hello).unwrap();
    if role == "deaf" {
        deaf_unless_small(&mut from, &mut to);
    }
    let (mut asked, mut held) = (0, None);
    while let Some(frame) = frame::read(&mut from, frame::MAX_BODY).unwrap() {
        let (number, call) = wire::decode_call(&frame.body).unwrap();
        asked += 1;
        if role == "one-at-a-time" {
            drop_what_waits(&from);
        }
        if call.axes == Axes::list(&[]) {
            process::exit(3);
        }
        if call.axes == Axes::Null && asked > 1 {
            match role {
                "dies-unless-first" => process::exit(3),
                "late-unless-first" => rest(),
                _ => {}
            }
        }
        let fault = planted_in(&call).filter(|_| role == PLANTED);
        if let Some(fault) = fault {
            misbehave(fault, &call);
        }
        let null = call.axes == Axes::Null;
        let answer = Answer::Tensor(call.data);
        let mut body = Vec::new();
        if null && role == "changes-data" {
            wire::put_changed_data(&mut body, number, "as told");
        } else {
            wire::put_answer(&mut body, number, &answer);
        }
        if null && role == "out-of-order" {
            held = Some(body);
            continue;
        }
        if null || fault.is_some() {
            misanswer(fault.unwrap_or(role), &mut to, &answer, number);
        }
        frame::write(&mut to, wire::ANSWER, &body).unwrap();
        if let Some(late) = held.take() {
            frame::write(&mut to, wire::ANSWER, &late).unwrap();
        }
        if null && role == "forges" {
            let forged = wire::encode_answer(number.wrapping_add(1), &Answer::Rejected("forged".into()));
            frame::write(&mut to, wire::ANSWER, &forged).unwrap();
        }
        if null && role == "garbage-after" {
            to.write_all(&[0xff; 64]).unwrap();
        }
    }
}

fn misanswer(role: &str, to: &mut File, answer: &Answer, number: u64) {
    let body = wire::encode_answer(number, answer);
    let mut framed = Vec::new();
    frame::write(&mut framed, wire::ANSWER, &body).unwrap();
    match role {
        "garbage" => to.write_all(&[0xa5; 4096]).unwrap(),
        "cut" => {
            to.write_all(&framed[..framed.len() - 1]).unwrap();
            process::exit(3)
        }
        "lying-length" => to.write_all(b"\xff\xff\xff\xff\x03abc").unwrap(),
        "wrong-tag" => frame::write(to, wire::HELLO, &body).unwrap(),
        "wrong-number" => frame::write(to, wire::ANSWER, &wire::encode_answer(77, answer)).unwrap(),
        "dribble" => {
            for byte in framed {
                to.write_all(&[byte]).unwrap();
                thread::sleep(Duration::from_millis(200));
            }
        }
        "stall" => {
            to.write_all(&framed[..7]).unwrap();
            rest()
        }
        "twice" => frame::write(to, wire::ANSWER, &body).unwrap(),
        "flood-of-answers" => {
            while frame::write(to, wire::ANSWER, &body).is_ok() {}
            process::exit(3)
        }
        _ => {}
    }
}

/// Drops all waiting input, like a worker that takes one read for one call.
fn drop_what_waits(from: &File) {
    use std::io::Read;

    let line = std::os::unix::net::UnixStream::from(from.as_fd().try_clone_to_owned().unwrap());
    line.set_nonblocking(true).unwrap();
    let mut waiting = vec![0; 1 << 16];
    while matches!((&line).read(&mut waiting), Ok(1..)) {}
    line.set_nonblocking(false).unwrap();
}

/// Reads only the header of a large call.
fn deaf_unless_small(from: &mut File, to: &mut File) {
    use std::io::Read;

    let mut header = [0; frame::HEADER];
    from.read_exact(&mut header).unwrap();
    let length = u32::from_le_bytes([header[0], header[1], header[2], header[3]]);
    if length > 1 << 16 {
        rest();
    }
    let mut body = vec![0; length as usize];
    from.read_exact(&mut body).unwrap();
    let (number, call) = wire::decode_call(&body).unwrap();
    frame::write(to, wire::ANSWER, &wire::encode_answer(number, &Answer::Tensor(call.data))).unwrap();
}
