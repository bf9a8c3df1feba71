//! Where snapshots are read: off the threads that answer calls, and not many at once.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tracing::Span;
use verdict::Objection;

use super::busy;
use crate::live::Lists;

/// Readers at once. A clone is the same desk.
#[derive(Clone, Debug)]
pub(super) struct Desk {
    lists: Lists,
    /// Those that read, and those that wait for it; the next is turned away.
    room: Arc<Semaphore>,
    places: Arc<Semaphore>,
}

/// How many may wait, for each place.
pub(super) const WAITING: usize = 16;

impl Desk {
    pub(super) fn new(lists: Lists, places: usize) -> Self {
        let room = Arc::new(Semaphore::new(places * (1 + WAITING)));
        Self { lists, room, places: Arc::new(Semaphore::new(places)) }
    }

    /// Does what reads, and waits for it. It goes on where the caller has gone away, and keeps its place until it ends.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Lists) -> Result<T, Objection> + Send + 'static,
    ) -> Result<T, Objection> {
        let room = Arc::clone(&self.room).try_acquire_owned().map_err(|_| busy())?;
        let place = Arc::clone(&self.places).acquire_owned().await.map_err(|_| busy())?;
        let lists = self.lists.clone();
        let span = Span::current();
        let reading = tokio::task::spawn_blocking(move || {
            let _held = (room, place);
            span.in_scope(|| work(&lists))
        });
        reading.await.unwrap_or_else(|_| Err(busy()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn who_finds_no_room_is_turned_away_and_a_place_is_free_again_after() {
        let desk = Desk::new(Lists::none(), 1);
        let (open, gate) = mpsc::channel::<()>();
        let first = tokio::spawn({
            let desk = desk.clone();
            async move { desk.read(move |_| Ok(gate.recv().is_ok())).await }
        });
        let waiting: Vec<_> = (0..WAITING)
            .map(|_| {
                tokio::spawn({
                    let desk = desk.clone();
                    async move { desk.read(|_| Ok(())).await }
                })
            })
            .collect();
        while desk.room.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert!(matches!(desk.read(|_| Ok(())).await, Err(Objection::Unavailable(_))));
        open.send(()).unwrap();
        assert_eq!(first.await.unwrap(), Ok(true));
        for waited in waiting {
            assert_eq!(waited.await.unwrap(), Ok(()));
        }
        assert_eq!(desk.read(|_| Ok(7)).await, Ok(7));
    }
}
