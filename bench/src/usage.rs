//! Processor time and memory, as the kernel counts them in `/proc`.

use std::fs;

use anyhow::Context as _;

/// `/proc` counts processor time in hundredths of a second (`USER_HZ`) on every architecture that Linux serves.
const TICKS_A_SECOND: f64 = 100.0;

/// A page of the kernel's on the processors that this runs on.
const PAGE_BYTES: u64 = 4096;

/// Processor seconds so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// This process.
    pub generator: f64,
    /// The processes under test.
    pub server: f64,
    /// The kernel's interrupt work, which belongs to no process: here nearly all of it is loopback's packets.
    pub network: f64,
    /// All processes and the kernel, on all cores.
    pub busy: f64,
    /// All that the cores had to give.
    pub total: f64,
}

impl Usage {
    /// Reads the processor time that has been used until now.
    pub fn now(servers: &[u32]) -> anyhow::Result<Self> {
        let machine = machine()?;
        let mut server = 0.0;
        for pid in servers {
            server += of_process(&pid.to_string())?;
        }
        Ok(Self { generator: of_process("self")?, server, ..machine })
    }

    /// The processor time that was used since `earlier`.
    pub fn since(self, earlier: Self) -> Self {
        Self {
            generator: self.generator - earlier.generator,
            server: self.server - earlier.server,
            network: self.network - earlier.network,
            busy: self.busy - earlier.busy,
            total: self.total - earlier.total,
        }
    }

    /// The share of the machine that was used by others than this process and the one under test, or that the
    /// hypervisor withheld: how noisy it was.
    pub fn others(&self) -> f64 {
        self.others_than(self.generator + self.server)
    }

    /// The same, where what is measured used so many processor seconds.
    pub fn others_than(&self, measured: f64) -> f64 {
        ((self.busy - measured - self.network) / self.total).max(0.0)
    }
}

/// User and system seconds of a process, all its threads.
fn of_process(pid: &str) -> anyhow::Result<f64> {
    let fields = stat(pid)?;
    Ok((fields[11] + fields[12]) / TICKS_A_SECOND)
}

/// User and system seconds of all children of this process that have been waited for.
pub fn of_children() -> anyhow::Result<f64> {
    let fields = stat("self")?;
    Ok((fields[13] + fields[14]) / TICKS_A_SECOND)
}

/// The fields of `/proc/PID/stat` after the process's name, from `state` on (proc(5)).
fn stat(pid: &str) -> anyhow::Result<Vec<f64>> {
    let path = format!("/proc/{pid}/stat");
    let text = fs::read_to_string(&path).with_context(|| format!("read {path}"))?;
    let (_, rest) = text.rsplit_once(')').context("a process without a name")?;
    let fields: Vec<f64> =
        rest.split_ascii_whitespace().map(|field| field.parse().unwrap_or_default()).collect();
    anyhow::ensure!(fields.len() > 15, "{path} is too short");
    Ok(fields)
}

/// The seconds of all cores (proc(5), `/proc/stat`); those of processes are left at 0.
fn machine() -> anyhow::Result<Usage> {
    let text = fs::read_to_string("/proc/stat").context("read /proc/stat")?;
    let line = text.lines().next().unwrap_or_default();
    let words = line.split_ascii_whitespace().skip(1).take(8);
    let seconds: Vec<f64> =
        words.filter_map(|word| Some(word.parse::<f64>().ok()? / TICKS_A_SECOND)).collect();
    let [user, nice, system, idle, waiting, interrupts, soft, stolen] = seconds[..] else {
        anyhow::bail!("/proc/stat begins with {line:?}");
    };
    let network = interrupts + soft;
    let busy = user + nice + system + network + stolen;
    Ok(Usage { network, busy, total: busy + idle + waiting, ..Usage::default() })
}

/// Resident memory of a process in bytes (`VmRSS`).
pub fn resident_bytes(pid: u32) -> anyhow::Result<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).context("read the process's status")?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().context("VmRSS")?;
    Ok(kib * 1024)
}

/// The bytes that all TCP sockets of this machine hold in the kernel: what was sent and not read (proc(5),
/// `/proc/net/sockstat`, in pages).
pub fn socket_bytes() -> anyhow::Result<u64> {
    let text = fs::read_to_string("/proc/net/sockstat").context("read /proc/net/sockstat")?;
    let line = text.lines().find_map(|line| line.strip_prefix("TCP:")).context("no line of TCP")?;
    let pages = line.split_ascii_whitespace().skip_while(|word| *word != "mem").nth(1);
    let pages: u64 = pages.and_then(|pages| pages.parse().ok()).context("no pages of TCP")?;
    Ok(pages * PAGE_BYTES)
}

/// The processor's name and how many of its cores this process may use.
pub fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map(|(_, name)| name.trim());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let plural = if cores == 1 { "core" } else { "cores" };
    format!("{}, {cores} {plural}", name.unwrap_or("an unnamed processor"))
}

/// The load average of the last minute.
pub fn load_average() -> f64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_uses_memory_and_no_more_than_the_machine_has() {
        assert!(resident_bytes(std::process::id()).unwrap() > 1 << 20);
        socket_bytes().unwrap();
        let usage = Usage::now(&[std::process::id()]).unwrap();
        assert!(usage.busy <= usage.total && usage.generator <= usage.busy);
    }
}
