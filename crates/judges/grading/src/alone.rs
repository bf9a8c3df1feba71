//! Grading in a process that may start no threads.

/// Makes the statistics of this process run on the calling thread alone, for a process that may start no threads. A
/// second call has no effect.
pub fn reckon_on_this_thread() {
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    // It fails where there are threads already: then none need be started.
    let _ = alone.build_global();
}
