//! The system calls that a replay needs, and no others: seccomp(2), filter mode.

use std::collections::BTreeMap;

use seccompiler::{
    BackendError, BpfProgram, Error, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, apply_filter_all_threads,
};

/// Calls that are allowed with any arguments.
const ALLOWED: [i64; 19] = [
    // Memory.
    libc::SYS_brk,
    libc::SYS_madvise,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    // Locks, time, and randomness, from which hash maps take their seeds.
    libc::SYS_clock_gettime,
    libc::SYS_futex,
    libc::SYS_getrandom,
    libc::SYS_sched_yield,
    // The end: a thread's, a panic's and an abort's too.
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
];

/// Calls that are allowed on the standard streams: a descriptor that was inherited by accident is of no use.
const ALLOWED_ON_STANDARD_STREAMS: [i64; 4] =
    [libc::SYS_close, libc::SYS_read, libc::SYS_write, libc::SYS_writev];

/// Denies all other calls to all threads of this process, those too that a kernel to come will have.
pub(super) fn apply() -> Result<(), Error> {
    apply_signalling(std::process::id())
}

/// The same, with signals to the threads of one process: to its own, since an abort is one.
pub(super) fn apply_signalling(process: u32) -> Result<(), Error> {
    // A denied call fails as one without permission does, so that libraries fall back where they can.
    let denied = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let machine = std::env::consts::ARCH.try_into()?;
    let filter = SeccompFilter::new(allowed(process)?, denied, SeccompAction::Allow, machine)?;
    apply_filter_all_threads(&BpfProgram::try_from(filter)?)
}

fn allowed(signalled: u32) -> Result<BTreeMap<i64, Vec<SeccompRule>>, BackendError> {
    let is_standard = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Le, 2)?;
    let on_standard_streams = SeccompRule::new(vec![is_standard])?;
    let mut allowed: BTreeMap<_, _> = ALLOWED.map(|call| (call, Vec::new())).into();
    allowed.extend(ALLOWED_ON_STANDARD_STREAMS.map(|call| (call, vec![on_standard_streams.clone()])));
    let is_signalled = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, signalled.into())?;
    allowed.insert(libc::SYS_tgkill, vec![SeccompRule::new(vec![is_signalled])?]);
    Ok(allowed)
}
