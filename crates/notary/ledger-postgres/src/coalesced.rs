//! Reads that every request makes, several at once: those that wait are read together, in one statement.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use ledger::LedgerError;
use tokio::sync::{mpsc, oneshot};

use crate::connection::{Connection, Result};
use crate::postgres_ledger::ReadPools;

/// The most reads that wait. Beyond it the ledger is [busy](LedgerError::Busy).
const MAX_WAITING: usize = 4096;
/// The most reads of one statement.
const MAX_TOGETHER: usize = 256;

/// Reads the values of keys, one for each key and in their order.
pub(crate) type ReadFn<K, V> = for<'a> fn(Connection<'a>, &'a [K]) -> BoxFuture<'a, Result<Vec<V>>>;

type Waiting<K, V> = (K, oneshot::Sender<std::result::Result<V, LedgerError>>);

/// A kind of read. Each sees what was durable when it was asked for, since its statement begins later.
pub(crate) struct Coalesced<K, V>(mpsc::Sender<Waiting<K, V>>);

impl<K: Send + Sync + 'static, V: Send + 'static> Coalesced<K, V> {
    /// Starts the task that reads. It ends when this is dropped.
    pub(crate) fn start(pools: Arc<ReadPools>, read: ReadFn<K, V>) -> Self {
        let (queue, waiting) = mpsc::channel(MAX_WAITING);
        tokio::spawn(run(waiting, pools, read));
        Self(queue)
    }

    /// The value of a key.
    pub(crate) async fn read(&self, key: K) -> std::result::Result<V, LedgerError> {
        let (reply, answer) = oneshot::channel();
        self.0.try_send((key, reply)).map_err(|_| LedgerError::Busy)?;
        answer.await.map_err(|_| LedgerError::Busy)?
    }
}

async fn run<K, V>(mut waiting: mpsc::Receiver<Waiting<K, V>>, pools: Arc<ReadPools>, read: ReadFn<K, V>) {
    while let Some(first) = waiting.recv().await {
        let (mut keys, mut replies) = (vec![first.0], vec![first.1]);
        while keys.len() < MAX_TOGETHER
            && let Ok((key, reply)) = waiting.try_recv()
        {
            keys.push(key);
            replies.push(reply);
        }
        let values = async {
            let reader = pools.reader().await?;
            reader.short(read(reader.connection(), &keys)).await
        };
        match values.await {
            Ok(values) => {
                for (value, reply) in values.into_iter().zip(replies) {
                    drop(reply.send(Ok(value)));
                }
            }
            Err(error) => {
                tracing::debug!(%error, "reads of several requests failed");
                for reply in replies {
                    drop(reply.send(Err(LedgerError::Busy)));
                }
            }
        }
    }
}
