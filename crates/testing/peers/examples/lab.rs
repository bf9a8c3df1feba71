//! Keeps a lab until its input ends, to look at by hand: `cargo run -p peers --example lab`.

use std::io::Read as _;

use peers::lab::Lab;

fn main() {
    let Some(lab) = Lab::start("the lab") else { return };
    println!("knot      dig @{} -p {} NAME TYPE", lab.dns.ip(), lab.dns.port());
    println!("unbound   dig @{} -p {} NAME TYPE", lab.resolver.ip(), lab.resolver.port());
    println!("root key  {}", lab.anchor().display());
    println!("authority {}", lab.authority_file().display());
    println!("https     {}", lab.https);
    println!("http      {}", lab.http);
    println!("registry  {}", lab.rdap());
    println!("end its input (Ctrl-D) to end it");
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
}
