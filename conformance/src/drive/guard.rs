//! Ends workers and all processes they started when this process ends, however it ends.
//!
//! A killed process cannot clean up. So a shell, started before the first worker, is told when each group
//! begins and ends, and waits for the end of a pipe that only this process writes to. Then it kills the
//! remaining groups. It runs in its own group, so that signals to this group do not reach it.
//!
//! Processes that left their group (`setsid`), and workers that the shell does not know yet, are found by a mark in
//! their environment, on systems with `/proc`. A process that removes the mark and leaves its group is not followed.

use std::hash::{BuildHasher as _, RandomState};
use std::process::Command;
use std::sync::OnceLock;

#[cfg(unix)]
pub(super) use with_a_shell::{Watch, ready};

/// The environment variable set for all processes that this process starts, and inherited by their children.
const VARIABLE: &str = "NORMATIVE_JUDGE";

/// Returns its value, which no other process has.
fn mark() -> &'static str {
    static MARK: OnceLock<String> = OnceLock::new();
    MARK.get_or_init(|| format!("{}-{:016x}", std::process::id(), RandomState::new().hash_one(())))
}

/// Marks a command, so that its process can be found again.
pub(super) fn marked(command: &mut Command) {
    command.env(VARIABLE, mark());
}

/// An empty guard: this system has no groups of processes.
#[cfg(not(unix))]
pub(super) struct Watch;

#[cfg(not(unix))]
pub(super) fn ready() -> std::io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
impl Watch {
    pub(super) fn over(_: u32) -> std::io::Result<Self> {
        Ok(Self)
    }
}

#[cfg(unix)]
mod with_a_shell {
    use std::io::{self, Write};
    use std::os::unix::process::CommandExt;
    use std::process::{ChildStdin, Command, Stdio};
    use std::sync::{Mutex, PoisonError};

    /// The program of the shell. It uses `kill` without `--`, which some shells do not accept.
    const SCRIPT: &str = r#"trap '' HUP INT QUIT TERM
groups=" "
while read -r what group; do
  case $what in
    +) groups="$groups$group " ;;
    -) groups="${groups%% $group *} ${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -KILL "-$group"; done 2>/dev/null
for round in 1 2 3; do
  left=$(grep -lsaz "^$0\$" /proc/[0-9]*/environ)
  [ -n "$left" ] || break
  for of in $left; do of=${of#/proc/}; kill -KILL "${of%/environ}"; done
done 2>/dev/null"#;

    /// The pipe to the shell, once it runs.
    static PIPE: Mutex<Option<ChildStdin>> = Mutex::new(None);

    /// A group that is killed with this process, unless the watch is dropped before.
    pub(in crate::drive) struct Watch(u32);

    /// Starts the shell, unless it runs. It must run before the first worker, in case this process is killed.
    ///
    /// # Errors
    /// Fails when it cannot be started.
    pub(in crate::drive) fn ready() -> io::Result<()> {
        let mut pipe = PIPE.lock().unwrap_or_else(PoisonError::into_inner);
        if pipe.is_none() {
            *pipe = Some(shell()?);
        }
        Ok(())
    }

    impl Watch {
        /// Watches over a group.
        ///
        /// # Errors
        /// Fails when the shell cannot be started.
        pub(in crate::drive) fn over(group: u32) -> io::Result<Self> {
            let line = format!("+ {group}\n");
            let mut pipe = PIPE.lock().unwrap_or_else(PoisonError::into_inner);
            let told = pipe.as_mut().is_some_and(|pipe| pipe.write_all(line.as_bytes()).is_ok());
            if !told {
                // The shell was killed, so a new one is started.
                pipe.insert(shell()?).write_all(line.as_bytes())?;
            }
            Ok(Self(group))
        }
    }

    impl Drop for Watch {
        fn drop(&mut self) {
            if let Some(pipe) = PIPE.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
                // If the shell is gone, the message is not needed.
                let _gone = pipe.write_all(format!("- {}\n", self.0).as_bytes());
            }
        }
    }

    fn shell() -> io::Result<ChildStdin> {
        let mut command = Command::new("sh");
        let mark = format!("{}={}", super::VARIABLE, super::mark());
        command.args(["-c", SCRIPT, &mark]).current_dir("/").process_group(0);
        let shell = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        shell.stdin.ok_or_else(|| io::ErrorKind::BrokenPipe.into())
    }
}
