//! Describes the machine of a run, and the files of the backend on it. No verdict depends on it.
//!
//! The standard library knows little of a machine; the caller fills in further fields, as far as known.

use serde::{Deserialize, Serialize};

/// The kind of machine, and the backend's files on it; nothing that identifies a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Machine {
    /// The operating system, such as `linux`.
    pub os: String,
    /// The instruction set, such as `x86_64`.
    pub arch: String,
    /// The number of logical processors that this process may use.
    pub cores: usize,
    /// The operating system and its version, in its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The model of the processor, in its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor: Option<String>,
    /// The extensions of the instruction set that change how floats are computed, and that the machine has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<String>,
    /// The compiler that the judge was built with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compiler: Option<String>,
    /// The rounding of the judge's process, found by arithmetic. The backend has a process of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounding: Option<String>,
    /// The treatment of subnormal numbers in the judge's process, found by arithmetic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subnormals: Option<String>,
    /// The known files of the backend: its program, files that its command line or variables name, and libraries that
    /// its process had loaded when it said hello.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worker: Vec<WorkerFile>,
}

/// A file of a backend.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct WorkerFile {
    /// Its name, without the folder.
    pub name: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal digits.
    pub sha256: String,
}

impl Machine {
    /// Returns this machine, as far as the standard library knows it.
    pub fn here() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let (os, arch) = (std::env::consts::OS.to_owned(), std::env::consts::ARCH.to_owned());
        Self { os, arch, cores, ..Self::default() }
    }
}

/// Returns true if a count is left out.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
pub(super) const fn is_zero(count: &usize) -> bool {
    *count == 0
}
