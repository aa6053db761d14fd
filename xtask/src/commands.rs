//! The commands of the workshop, each in a file or folder, and the table of them.
//!
//! Commands do not use each other: shared modules lie beside this folder. `cargo xtask tidy` checks this.

mod cases;
mod findings;
mod site;
mod spec;
mod tidy;
mod zoo;

use normative::OneCommand;

/// All commands, in the order of `--help`.
pub(crate) const WORKSHOP: [OneCommand; 6] = [
    OneCommand { command: findings::command, run: findings::main, of_a_checkout: true },
    OneCommand { command: site::command, run: site::main, of_a_checkout: true },
    OneCommand { command: cases::command, run: cases::main, of_a_checkout: false },
    OneCommand { command: spec::command, run: spec::main, of_a_checkout: false },
    OneCommand { command: zoo::command, run: zoo::main, of_a_checkout: true },
    OneCommand { command: tidy::command, run: tidy::main, of_a_checkout: true },
];

#[cfg(test)]
mod tests {
    use normative::workshop::COMMANDS;

    use super::*;

    #[test]
    fn the_product_knows_every_command_of_the_workshop() {
        let names = WORKSHOP.map(|one| (one.command)().get_name().to_owned());
        assert_eq!(names, COMMANDS.map(|(name, _)| name.to_owned()));
    }
}
