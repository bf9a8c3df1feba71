//! Queries of 64 KB with thousands of short names, on routes that read a query.

use crate::attack::client::Request;
use crate::attack::crew::Crew;
use crate::attack::group;
use crate::attack::scene::attacker;

const ROUTES: [&str; 5] = ["/verify", "/snapshots/diff", "/trust-score", "/trust-score/model", "/snapshots"];
const ADDRESSES: u16 = 4;
/// Of each address on each route; `/verify` lets in ten times as many.
const A_SECOND: f64 = 10.0;
/// Nearly all that a request's head may have.
const QUERY_BYTES: usize = 64_000;

pub fn enlist(crew: &mut Crew) {
    let names = names();
    for number in 0..ADDRESSES {
        for route in ROUTES {
            let request = Request::get(&format!("{route}?{names}"));
            crew.asks(route, attacker(group::QUERIES, number), A_SECOND, move |_| request.clone());
        }
    }
}

/// Different names of one to three letters.
fn names() -> String {
    const LETTERS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let mut query = String::with_capacity(QUERY_BYTES);
    for mut number in 0_usize.. {
        if query.len() + 4 > QUERY_BYTES {
            break;
        }
        loop {
            query.push(char::from(LETTERS[number % LETTERS.len()]));
            number /= LETTERS.len();
            let Some(next) = number.checked_sub(1) else { break };
            number = next;
        }
        query.push('&');
    }
    query.pop();
    query
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_query_has_sixteen_thousand_different_names() {
        let query = super::names();
        let names: Vec<&str> = query.split('&').collect();
        let different: std::collections::BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(different.len(), names.len());
        assert!(names.len() > 16_000 && query.len() < 64_000);
    }
}
