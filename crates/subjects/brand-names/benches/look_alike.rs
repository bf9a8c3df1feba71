//! The time of a look at a name: `cargo bench -p brand-names`.

use std::hint::black_box;

use brand_names::look_alike;
use criterion::{Criterion, criterion_group, criterion_main};
use domain_name::{PublicSuffixes, Rules, Subject};

fn looks(criterion: &mut Criterion) {
    let long =
        format!("{0}.{0}.{0}.example.com", "secure-paypa1-account-verify-wallet-claims-update-parcels-id");
    for (name, text) in [
        ("a name like none", "www.little-kiln-pottery.com"),
        ("a combination", "paypal-secure-login.io"),
        ("a name left of another", "paypal.com.evil-pay.io"),
        ("the longest labels", &long),
    ] {
        let subject = Subject::parse(text, &PublicSuffixes::bundled(), &Rules::default());
        let subject = subject.expect("it is a name");
        criterion.bench_function(name, |bencher| bencher.iter(|| look_alike(black_box(&subject))));
    }
}

criterion_group!(benches, looks);
criterion_main!(benches);
