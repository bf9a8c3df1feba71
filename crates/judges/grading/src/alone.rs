//! Grading in a process that may start no threads.

/// Lets this thread reckon alone, for a process that may start no other. A second call changes nothing.
pub fn reckon_on_this_thread() {
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    // It fails where there are threads already: then none need be started.
    let _ = alone.build_global();
}
