//! `--partition hash:I/N`.

use clap::Arg;
use normative_conformance::session::Part;

/// Returns the option.
pub(crate) fn option() -> Arg {
    Arg::new("partition")
        .long("partition")
        .value_name("hash:I/N")
        .value_parser(clap::value_parser!(Part))
        .help("Ask only the I-th of N parts; cargo xtask report merge joins their records")
}
