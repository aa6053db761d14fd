//! The identity of a run: backend, suite and machine. Unknown facts are shown as unknown.

use std::fmt;

use super::table::{Table, text};
use super::{Evidence, EvidenceRun, names};
use normative_conformance::report::record::Machine;

/// The text for a fact that a record does not have.
const UNKNOWN: &str = "not known";

pub(super) fn write(out: &mut dyn fmt::Write, evidence: &Evidence<'_>) -> fmt::Result {
    out.write_str("<section id=\"identity\">\n<h2>Identity</h2>\n<h3>The suite that judged</h3>\n")?;
    let mut table = Table::of(&["what", "value"]);
    evidence.suite.iter().for_each(|(label, value)| table.row(&[label, value]));
    table.write(out)?;
    for (run, name) in evidence.runs.iter().zip(names(evidence.runs)) {
        of_run(out, &name, run)?;
    }
    out.write_str("</section>\n")
}

fn of_run(
    out: &mut dyn fmt::Write,
    name: &str,
    EvidenceRun { header, column, .. }: &EvidenceRun<'_>,
) -> fmt::Result {
    let clock = column.report.clock;
    writeln!(out, "<h3>{}: the runtime</h3>", text(name))?;
    let yes = |is: bool| if is { "yes" } else { "no" };
    let listed = |list: &[String]| if list.is_empty() { "none".to_owned() } else { list.join(", ") };
    let or_all =
        |list: &[String]| if list.is_empty() { "no list: all are asked".to_owned() } else { list.join(", ") };
    let (options, backend) = (&header.options, &header.backend);
    let sums: Vec<String> =
        backend.accumulation.iter().map(|(data, sums)| format!("{data} in {sums}")).collect();
    let mut table = Table::of(&["what", "value"]);
    for (what, value) in [
        ("name, as it says", backend.name.clone()),
        ("version, as it says", backend.version.clone()),
        ("where bugs are reported", backend.report_bugs_to.clone()),
        ("asked for as", header.name.clone()),
        ("families that it claims", listed(&backend.families)),
        ("of these, values alone", listed(&backend.values_alone)),
        ("operators that it lists", or_all(&backend.operators)),
        ("element types that it lists", or_all(&backend.dtypes)),
        ("sums, as it says", listed(&sums)),
        ("declares itself slow", yes(backend.slow).to_owned()),
    ] {
        table.row(&[what, &value]);
    }
    table.write(out)?;
    writeln!(out, "<h3>{}: the run</h3>", text(name))?;
    let mut table = Table::of(&["what", "value"]);
    for (what, value) in [
        ("began", header.started.clone().unwrap_or_else(|| UNKNOWN.to_owned())),
        (
            "asked by",
            format!("version {}, commit {}", header.suite, header.commit.as_deref().unwrap_or(UNKNOWN)),
        ),
        ("cases", format!("{} of {}", header.cases, header.corpus)),
        ("generated calls", {
            let calls =
                header.calls.map_or("as many as there was time for".to_owned(), |calls| calls.to_string());
            format!("{calls}, seed {}", header.seed)
        }),
        ("accuracy demanded", header.accuracy.clone().unwrap_or_else(|| "none".to_owned())),
        ("readings demanded", listed(&header.readings)),
        ("seconds an answer may take", options.timeout.to_string()),
        (
            "bytes of address space",
            options.memory.map_or("not limited".to_owned(), |memory| memory.to_string()),
        ),
        ("calls asked again, about", options.repeat.to_string()),
        ("deadlines missed, and met when asked again", clock.late.to_string()),
        ("other work of the machine", clock.load.map_or_else(|| UNKNOWN.to_owned(), |load| load.to_string())),
    ] {
        table.row(&[what, &value]);
    }
    table.write(out)?;
    for (at, machine) in header.machines.iter().enumerate() {
        let of = if header.machines.len() > 1 { format!(" {}", at + 1) } else { String::new() };
        writeln!(out, "<h3>{}: machine{of}</h3>", text(name))?;
        of_machine(machine).write(out)?;
        of_worker(out, machine)?;
    }
    Ok(())
}

fn of_machine(machine: &Machine) -> Table {
    let known = |value: &Option<String>| value.clone().unwrap_or_else(|| UNKNOWN.to_owned());
    let features = if machine.features.is_empty() { UNKNOWN.to_owned() } else { machine.features.join(" ") };
    let mut table = Table::of(&["what", "value"]);
    for (what, value) in [
        ("system", format!("{} ({})", known(&machine.system), machine.os)),
        (
            "processor",
            format!("{} ({}, {} logical processors)", known(&machine.processor), machine.arch, machine.cores),
        ),
        ("its extensions for floats", features),
        ("compiler of the judge", known(&machine.compiler)),
        ("rounding, in the judge's process", known(&machine.rounding)),
        ("subnormal numbers, in the judge's process", known(&machine.subnormals)),
    ] {
        table.row(&[what, &value]);
    }
    table
}

fn of_worker(out: &mut dyn fmt::Write, machine: &Machine) -> fmt::Result {
    out.write_str("<h4>Files of the backend</h4>\n")?;
    if machine.worker.is_empty() {
        return out.write_str("<p>Nothing is known of the files that were judged.</p>\n");
    }
    let mut table = Table::of(&["file", "bytes", "SHA-256"]);
    for file in &machine.worker {
        table.row(&[&file.name, &file.bytes.to_string(), &file.sha256]);
    }
    table.write(out)?;
    out.write_str(
        "<p class=\"note\">The program that was started, and every file that its command line or its variables name; on \
         Linux, the libraries that its process had loaded when it said hello; of packages of Python, the RECORD of \
         those of its virtual environment, of folders in PYTHONPATH, or of which a library was loaded, which lists the SHA-256 of each file of the package as it was installed. \
         Whether those files were changed since, and what is loaded later, is not known.</p>\n",
    )
}
