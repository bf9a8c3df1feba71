//! The end of a lab when its owner goes, and two labs beside each other.

use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use peers::HANG;
use peers::lab::Lab;

use crate::UNTESTED;

/// Waits until nothing is left of a lab: neither its folder nor anybody at its ports.
fn await_end(folder: &Path, ports: &[u16]) {
    let started = Instant::now();
    let is_left = || {
        folder.exists() || ports.iter().any(|port| TcpStream::connect((Ipv4Addr::LOCALHOST, *port)).is_ok())
    };
    while is_left() {
        assert!(started.elapsed() < HANG, "{} or one of {ports:?} is left", folder.display());
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_lab_ends_with_its_owner_and_its_neighbour_stays() {
    let (Some(first), Some(second)) = (Lab::start(UNTESTED), Lab::start(UNTESTED)) else { return };
    let folder = first.anchor().parent().unwrap().to_owned();
    let ports = [first.dns.port(), first.resolver.port(), first.https, first.http];
    drop(first);
    await_end(&folder, &ports);
    assert!(second.delv("signed.test", "A").contains("fully validated"));
}

#[test]
fn a_lab_ends_when_its_owner_is_killed() {
    let Some(_) = Lab::shared(UNTESTED) else { return };
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "--nocapture", "lifetime::keep_a_lab"]);
    let mut owner = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(owner.stdout.take().unwrap()).lines();
    let line = lines.find_map(|line| Some(line.unwrap().split_once("LAB ")?.1.to_owned())).unwrap();
    let (ports, folder) = line.split_once(' ').unwrap();
    let ports: Vec<_> = ports.split(',').map(|port| port.parse().unwrap()).collect();
    owner.kill().unwrap();
    owner.wait().unwrap();
    await_end(&PathBuf::from(folder), &ports);
}

#[test]
#[ignore = "the one above runs it, in a process of its own"]
fn keep_a_lab() {
    let Some(lab) = Lab::start(UNTESTED) else { return };
    let folder = lab.anchor();
    println!(
        "LAB {},{},{},{} {}",
        lab.dns.port(),
        lab.resolver.port(),
        lab.https,
        lab.http,
        folder.parent().unwrap().display()
    );
    let _ = std::io::stdin().read_line(&mut String::new());
}
