//! The records of a domain, asked for straight and behind a stub that leaves the SOA out.

use dns::{DnsTranscript, RecordingResolver, Resolver};
use domain_name::{PublicSuffixes, Rules, Subject};
use peers::lab::Lab;
use trust::records;
use verdict::Timestamp;

use crate::stub::stub;

/// All that is looked up of a domain; once more where a machine that is busy with other things left no time for it.
async fn read(resolver: &Resolver, subject: &Subject) -> DnsTranscript {
    for _ in 0..4 {
        let recorder = RecordingResolver::of(resolver);
        records::read(&recorder, subject, Timestamp::EPOCH).await;
        if !recorder.has_failed() {
            return recorder.into_transcript();
        }
    }
    panic!("{} cannot be looked up", subject.name)
}

#[tokio::test]
async fn behind_a_stub_that_leaves_the_soa_out_a_domain_has_the_records_that_it_has() {
    let Some(lab) = Lab::shared("name servers asked for records") else { return };
    let straight = Resolver::at(&[lab.resolver]).unwrap();
    let behind = Resolver::at(&[stub(lab.resolver).await]).unwrap();
    let rules = Rules { allowed_suffixes: vec!["test".to_owned()] };
    for name in ["perfect.test", "plain.test", "nomail.test", "alias.test", "nothing.test"] {
        let subject = Subject::parse(name, &PublicSuffixes::default(), &rules).unwrap();
        assert_eq!(read(&straight, &subject).await, read(&behind, &subject).await, "{name}");
    }
}
