//! Random histories: honest and lying logs, two witnesses, stores that fail and requests that overtake each other.

use std::collections::BTreeMap;

use proptest::prelude::*;
use tlog::{Hash, Note, verify_consistency};
use witness::{AddCheckpoint, Answer, MemoryStore, Received, Reply, TreeHead, WitnessClient};

use crate::common::{Log, NOW, Trouble, Troubled, ask, latest, verifiers, witness};

const LARGEST: u64 = 12;

/// One request to one of the witnesses.
#[derive(Debug, Clone)]
struct Step {
    witness: usize,
    log: Log,
    /// `None`: the size that the witness has. A client that does not know it learns it from a 409.
    old: Option<u64>,
    new: u64,
    proof: ProofChoice,
    trouble: Option<TroubleChoice>,
}

#[derive(Debug, Clone)]
enum ProofChoice {
    Right,
    /// Of another old size, or of another branch.
    Of(Log, u64),
    Bytes(Vec<[u8; 32]>),
}

#[derive(Debug, Clone)]
enum TroubleChoice {
    FailsBefore,
    FailsAfter,
    Overtaken(Log, u64),
}

fn log() -> impl Strategy<Value = Log> {
    (0..LARGEST, 0_u8..3).prop_map(|(fork, branch)| Log { fork, branch })
}

fn step() -> impl Strategy<Value = Step> {
    let proof = prop_oneof![
        6 => Just(ProofChoice::Right),
        1 => (log(), 0..=LARGEST).prop_map(|(log, old)| ProofChoice::Of(log, old)),
        1 => proptest::collection::vec(any::<[u8; 32]>(), 0..5).prop_map(ProofChoice::Bytes),
    ];
    let trouble = prop_oneof![
        5 => Just(None),
        1 => Just(Some(TroubleChoice::FailsBefore)),
        1 => Just(Some(TroubleChoice::FailsAfter)),
        2 => (log(), 0..=LARGEST).prop_map(|(log, new)| Some(TroubleChoice::Overtaken(log, new))),
    ];
    let old = prop_oneof![3 => Just(None), 1 => (0..=LARGEST).prop_map(Some)];
    (0..2_usize, log(), old, 0..=LARGEST, proof, trouble)
        .prop_map(|(witness, log, old, new, proof, trouble)| Step { witness, log, old, new, proof, trouble })
}

/// What one witness has cosigned, in the order of its answers.
#[derive(Default)]
struct Cosigned(Vec<TreeHead>);

impl Cosigned {
    /// Checks the signatures of an answer, and that it fits all answers before.
    fn add(&mut self, note: &Note, answer: &Answer) {
        let Answer::Cosigned(signatures) = answer else { return };
        let checkpoint: tlog::Checkpoint = note.text().parse().unwrap();
        let cosigned = Note::new(note.text(), signatures.clone()).unwrap();
        assert_eq!(cosigned.verify(&verifiers()).unwrap().len(), 2);
        let head = TreeHead { size: checkpoint.size(), root: checkpoint.root() };
        if let Some(before) = self.0.last() {
            assert!(head.size >= before.size, "a smaller tree after a larger one");
        }
        self.0.push(head);
    }

    fn roots(&self) -> BTreeMap<u64, Hash> {
        let mut roots = BTreeMap::new();
        for head in &self.0 {
            assert_eq!(
                *roots.entry(head.size).or_insert(head.root),
                head.root,
                "two roots of size {}",
                head.size
            );
        }
        roots
    }
}

/// Runs a history. Returns what each witness has cosigned.
fn run(steps: &[Step]) -> [Cosigned; 2] {
    let stores = [Troubled::default(), Troubled::default()];
    let mut cosigned = [Cosigned::default(), Cosigned::default()];
    for step in steps {
        let store = &stores[step.witness];
        let recorded = latest(store).map_or(0, |head| head.size);
        let old = step.old.unwrap_or(recorded);
        let proof = match &step.proof {
            ProofChoice::Right => step.log.proof(old, step.new),
            ProofChoice::Of(log, old) => log.proof(*old, step.new),
            ProofChoice::Bytes(bytes) => bytes.iter().copied().map(Hash).collect(),
        };
        let note = step.log.note(step.new);
        let overtaker = match &step.trouble {
            Some(TroubleChoice::Overtaken(log, new)) => Some(log.note(*new)),
            _ => None,
        };
        let trouble = step.trouble.as_ref().map(|trouble| match trouble {
            TroubleChoice::FailsBefore => Trouble::FailsBefore,
            TroubleChoice::FailsAfter => Trouble::FailsAfter,
            TroubleChoice::Overtaken(log, new) => Trouble::Overtaken(log.body(recorded, *new)),
        });
        *store.troubles.lock().unwrap() = trouble.into_iter().collect();
        let body = AddCheckpoint::new(old, proof, note.clone()).unwrap().to_string();
        let answer = ask(&witness(), store, &body);
        // The overtaker was answered first.
        for other in store.overtakers.lock().unwrap().drain(..) {
            cosigned[step.witness].add(overtaker.as_ref().unwrap(), &other);
        }
        cosigned[step.witness].add(&note, &answer);
        assert!(!matches!(answer, Answer::Malformed(_) | Answer::NotSigned(_) | Answer::NotCosigned(_)));
        if let (Answer::Cosigned(_), Some(head)) = (&answer, latest(store)) {
            assert_eq!(head, step.log.head(step.new), "the answer is the record");
        }
        store.troubles.lock().unwrap().clear();
    }
    cosigned
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_witness_cosigns_two_roots_of_one_size_or_a_smaller_tree_after_a_larger_one(
        steps in proptest::collection::vec(step(), 1..24),
    ) {
        for cosigned in run(&steps) {
            let roots = cosigned.roots();
            // All that one witness has cosigned is of one history: each log of the steps that has the last root has
            // them all.
            if let Some((last, root)) = roots.last_key_value() {
                let log = steps.iter().flat_map(|step| {
                    let overtaker = match step.trouble {
                        Some(TroubleChoice::Overtaken(log, _)) => Some(log),
                        _ => None,
                    };
                    [Some(step.log), overtaker]
                });
                let log = log.flatten().find(|log| log.head(*last).root == *root).unwrap();
                for (size, root) in &roots {
                    prop_assert_eq!(log.head(*size).root, *root);
                    let proof = log.proof(*size, *last);
                    prop_assert!(verify_consistency(*size, *last, root, &log.head(*last).root, &proof).is_ok());
                }
            }
        }
    }

    #[test]
    fn an_honest_log_is_cosigned_by_both_in_at_most_two_requests_each(
        sizes in proptest::collection::vec((0..2_usize, 0..40_u64), 1..12), forgets in any::<bool>(),
    ) {
        let log = Log { fork: 0, branch: 0 };
        let stores = [MemoryStore::default(), MemoryStore::default()];
        let mut clients = [(); 2].map(|()| WitnessClient::new(verifiers()).unwrap());
        let mut size = 0;
        for (number, more) in sizes {
            size += more;
            if forgets {
                clients[number] = WitnessClient::new(verifiers()).unwrap();
            }
            let client = &mut clients[number];
            let mut requests = 0;
            while client.wants(size) {
                requests += 1;
                prop_assert!(requests <= 2);
                let proof = log.proof(client.old_size(), size);
                let submission = client.begin(log.note(size), proof, NOW).unwrap();
                let answer = ask(&witness(), &stores[number], &submission.body());
                let body = answer.body();
                let reply = Reply {
                    status: answer.status(),
                    content_type: answer.content_type(),
                    body: body.as_bytes(),
                };
                match client.finish(submission, reply, NOW).unwrap() {
                    Received::Cosigned(lines) => prop_assert_eq!(lines.len(), 2),
                    Received::SendAgain => {}
                }
            }
            prop_assert_eq!(latest(&stores[number]), Some(log.head(size)));
        }
    }

    #[test]
    fn any_answer_is_taken_or_refused_without_a_panic(
        status in prop_oneof![Just(200_u16), Just(409), any::<u16>()],
        content_type in prop_oneof![Just("text/x.tlog.size".to_owned()), "\\PC{0,20}"],
        body in proptest::collection::vec(any::<u8>(), 0..80),
        number in proptest::option::of(any::<u64>()),
    ) {
        let mut client = WitnessClient::new(verifiers()).unwrap();
        let submission = client.begin(Log { fork: 0, branch: 0 }.note(5), Vec::new(), NOW).unwrap();
        let body = number.map_or(body, |number| format!("{number}\n").into_bytes());
        let received = client.finish(submission, Reply { status, content_type: &content_type, body: &body }, NOW);
        prop_assert!(!matches!(received, Ok(Received::Cosigned(_))), "nobody can guess a signature");
        prop_assert!(client.old_size() <= 5);
    }
}
