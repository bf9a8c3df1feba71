//! How a watch ends.

use std::sync::Arc;

use super::*;
use crate::support::store::Store;

/// That a change is told of one watch, and not of the others.
#[track_caller]
fn assert_only_told_of(service: &Service, live: &Value, ended: &[&Value]) {
    publish(service, 21, true);
    alerts(service, live, 1);
    for receipt in ended {
        assert_eq!(standing(service, receipt)["alerts"], json!([]));
    }
}

#[test]
fn who_holds_the_id_ends_the_watch_once_and_for_all() {
    let service = started(launch(), false);
    let (ended, live) = (watch(&service, PARTY, None), watch(&service, PARTY, None));
    let delete = |target: &str| service.send(&Request::new("DELETE", target));
    let answer = delete(&path(&ended)).expect(204);
    assert_eq!((answer.body.len(), answer.header("content-type")), (0, None));
    let after = standing(&service, &ended);
    assert_eq!(text(&after, "status"), "ended");
    delete(&path(&ended)).expect(204);
    assert_eq!(standing(&service, &ended), after, "the first end counts");
    let unknown = [
        format!("/watch/{}", "0".repeat(32)),
        format!("/watch/{}", id(&ended).to_uppercase() + "0"),
        format!("/watch/{}", text(&ended["watch"], "sha256")),
        format!("/watch/{}", hash(&ended)),
        "/watch/%00".to_owned(),
    ];
    for target in unknown {
        service.get(&target).problem(404);
        delete(&target).problem(404);
    }
    assert_only_told_of(&service, &live, &[&ended]);
}

#[test]
fn a_watch_whose_time_is_over_is_shown_as_such_and_told_nothing() {
    let service = started(launch(), false);
    let [over, long_over, live] = [(); 3].map(|()| watch(&service, PARTY, None));
    let data = Arc::clone(&service.data);
    service.stop();
    let store = Store::of(data.path());
    store.let_watch_be_over(&over, 0);
    store.let_watch_be_over(&long_over, 31 * 24 * 3600 * 1000);
    let service = launch().on(&data).start();
    until("it is over", || text(&standing(&service, &over), "status") == "expired");
    // Nothing is forgotten at once: a clock may be set only after the start.
    assert_eq!(text(&standing(&service, &long_over), "status"), "expired");
    assert_only_told_of(&service, &live, &[&over, &long_over]);
    // Nobody can end it sooner any more.
    service.send(&Request::new("DELETE", &path(&over))).expect(204);
    assert_eq!(text(&standing(&service, &over), "status"), "expired");
}
