//! Prints docs/PARAMETERS.md, made from the declarations of the parameters (`make parameters`).

fn main() {
    print!("{}", spinney::params::reference::markdown());
}
