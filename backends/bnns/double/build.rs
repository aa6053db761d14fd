//! Compiles the C double.

fn main() {
    println!("cargo::rerun-if-changed=bnns.c");
    cc::Build::new().file("bnns.c").warnings_into_errors(true).extra_warnings(true).compile("bnns_double");
}
