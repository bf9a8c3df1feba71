//! A log whose signer is elsewhere, and does not always sign.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use ledger::{Ledger as _, LedgerError, Replicas as _};
use peers::postgres::Server;
use tlog::{Checkpoint, LogSigners, NoteSigner, SignError, SigningKey, VerifierKey};

use crate::store::open_with;
use crate::support::{SEED, hash, log_key, record, verifier};

const WELL: u8 = 0;
const FAILS: u8 = 1;
const LIES: u8 = 2;
/// Signs once it is told to.
const WAITS: u8 = 3;

struct Scripted {
    key: SigningKey,
    act: AtomicU8,
    asked: Sender<()>,
    go_on: Mutex<Receiver<()>>,
}

impl NoteSigner for Scripted {
    fn verifier(&self) -> &VerifierKey {
        NoteSigner::verifier(&self.key)
    }

    fn sign(&self, message: &[u8]) -> Result<[u8; 64], SignError> {
        match self.act.load(Ordering::SeqCst) {
            FAILS => Err(SignError::Failed { key: self.key.name().to_owned(), why: "no device".to_owned() }),
            LIES => self.key.sign(b"the former message"),
            act => {
                if act == WAITS {
                    self.asked.send(()).unwrap();
                    self.go_on.lock().unwrap().recv().unwrap();
                }
                self.key.sign(message)
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn without_a_signature_nothing_is_committed_and_while_one_is_awaited_the_rest_goes_on() {
    let database = Server::shared().database();
    let ((asked, was_asked), (go_on, waits)) = (channel(), channel());
    let signer = Scripted { key: log_key(SEED), act: AtomicU8::new(WELL), asked, go_on: Mutex::new(waits) };
    let signer = Arc::new(signer);
    let signers = LogSigners::new(Arc::clone(&signer) as _);
    let ledger = Arc::new(open_with(&database.address(), signers).await);
    ledger.append(record(0)).await.unwrap();
    for (act, number) in [(FAILS, 1), (LIES, 2)] {
        signer.act.store(act, Ordering::SeqCst);
        let refused = ledger.append(record(100 + number)).await;
        assert!(matches!(refused, Err(LedgerError::Busy)), "{refused:?}");
        assert_eq!(ledger.head().size, number);
        assert_eq!(ledger.receipt(&hash(100 + number)).await.unwrap(), None);
        signer.act.store(WELL, Ordering::SeqCst);
        assert_eq!(ledger.append(record(number)).await.unwrap().leaf, number);
    }
    signer.act.store(WAITS, Ordering::SeqCst);
    let appending = {
        let ledger = Arc::clone(&ledger);
        tokio::spawn(async move { ledger.append(record(3)).await })
    };
    tokio::task::spawn_blocking(move || was_asked.recv().unwrap()).await.unwrap();
    // The one thread of the runtime is free.
    assert_eq!(ledger.receipt(&hash(2)).await.unwrap().unwrap().leaf, 2);
    ledger.ping().await.unwrap();
    assert_eq!(ledger.head().size, 3);
    go_on.send(()).unwrap();
    assert_eq!(appending.await.unwrap().unwrap().leaf, 3);
    let head = ledger.head();
    let signed = Checkpoint::open(&head.checkpoint, &[verifier()]).unwrap();
    assert_eq!((signed.size(), signed.root()), (4, head.root));
}
