//! The page is part of the binary: built anew, it makes the binary out of date.

fn main() {
    println!("cargo::rerun-if-changed=../../web/dist");
}
