//! A case in its two forms: all in one object, and as it goes over the pipe.

use super::*;

fn read(input: &[u8]) -> Result<RerunCase, CaseError> {
    RerunCase::read(input)
}

/// The bytes that go over the pipe.
fn piped(case: &RerunCase) -> Vec<u8> {
    let mut input = case.head().unwrap();
    case.following().for_each(|bytes| input.extend_from_slice(bytes));
    input
}

#[test]
fn a_case_is_read_as_it_was_written_in_either_form() {
    let mut case = case();
    case.evidence.push(StoredBlob { role: "gone \u{1f4dc} \"\\".to_owned(), sha256: [7; 32], bytes: None });
    case.evidence.push(stored("list", b"\n{}\n\0"));
    case.evidence.push(stored("nothing", b""));
    for request in [case.request.clone(), None] {
        case.request = request;
        assert_eq!(read(&case.to_json().unwrap()).as_ref(), Ok(&case));
        assert_eq!(read(&piped(&case)).as_ref(), Ok(&case));
    }
    let by_hand =
        format!("\n{:#}\n\n", serde_json::from_slice::<serde_json::Value>(&case.to_json().unwrap()).unwrap());
    assert_eq!(read(by_hand.as_bytes()), Ok(case));
}

#[test]
fn the_largest_record_is_a_case_and_a_longer_text_is_none() {
    let mut case = case();
    case.evidence = vec![stored("body", &vec![7; ledger::MAX_RECORD_BYTES])];
    let json = case.to_json().unwrap();
    assert!(json.len() <= MAX_CASE_BYTES && read(&json).is_ok());
    case.evidence = vec![stored("body", &vec![7; MAX_CASE_BYTES])];
    assert_eq!(case.to_json(), Err(CaseError::TooLarge));
    assert_eq!(read(&vec![b' '; MAX_CASE_BYTES + 1]), Err(CaseError::TooLarge));
}

/// The lists of several publishers, of which each receipt has only the address.
#[test]
fn what_judges_keep_makes_a_case_far_longer_than_a_record() {
    let lists: Vec<Vec<u8>> = (0..6_u8).map(|at| vec![at; 15 << 20]).collect();
    let mut case = case();
    case.evidence.extend(lists.iter().map(|list| StoredBlob { bytes: None, ..stored("list", list) }));
    let kept = |address: &[u8; 32]| lists.iter().find(|list| sha256(list) == *address).cloned();
    let case = case.with_kept(kept).unwrap();
    let input = piped(&case);
    assert!(input.len() > 5 * ledger::MAX_RECORD_BYTES);
    let read = read(&input).unwrap();
    assert_eq!(read.evidence.iter().filter(|blob| blob.bytes.is_some()).count(), 1 + lists.len());
    assert_eq!(read, case);
}

#[test]
fn more_than_the_process_may_hold_is_too_large() {
    let gone = |address| StoredBlob { role: "list".to_owned(), sha256: [address; 32], bytes: None };
    let case = RerunCase { evidence: vec![gone(0), gone(1), gone(2)], ..case() };
    let asked = std::cell::Cell::new(0);
    let kept = |_: &[u8; 32]| {
        asked.set(asked.get() + 1);
        Some(vec![0; MAX_FOLLOWING_BYTES / 2 + 1])
    };
    assert_eq!(case.with_kept(kept), Err(CaseError::TooLarge));
    assert_eq!(asked.get(), 2, "the third is not read any more");
}

#[test]
fn what_is_no_case_is_told() {
    let good = case().to_json().unwrap();
    let piped = String::from_utf8(piped(&case())).unwrap();
    assert!(piped.ends_with("\nkept"), "{piped}");
    for text in [
        "",
        "null",
        "[]",
        "{}",
        "\u{0}",
        r#"{"payload":"AA==","judged_at":7,"request":null,"evidence":[]}"#,
        // Of the four bytes that follow, one is missing, or one is too many, or the line feed.
        &piped[..piped.len() - 1],
        &format!("{piped}t"),
        &piped.replace('\n', ""),
        &piped.replace('\n', " "),
        &piped.replace(r#""follow":4"#, r#""follow":-4"#),
        &piped.replace(r#""bytes":null"#, r#""bytes":"a2VwdA==""#),
        &format!("{piped}{}", " ".repeat(5000)),
    ] {
        assert!(matches!(read(text.as_bytes()), Err(CaseError::Malformed(_))), "{text}");
    }
    let endless = piped.replace(r#""follow":4"#, &format!(r#""follow":{}"#, MAX_FOLLOWING_BYTES + 1));
    assert_eq!(read(endless.as_bytes()), Err(CaseError::TooLarge));
    for (pointer, value) in
        [("/payload", "!"), ("/judged_at", "now"), ("/evidence/0/sha256", "7"), ("/request", "==")]
    {
        let bad = changed(&good, |case| *case.pointer_mut(pointer).unwrap() = value.into());
        assert!(matches!(read(&bad), Err(CaseError::Malformed(_))), "{pointer}");
    }
    let extra = changed(&good, |case| case["extra"] = 1.into());
    assert!(matches!(read(&extra), Err(CaseError::Malformed(_))));
    for payload in [&b"["[..], b"{}", br#"{"class":"claim-verdict"}"#] {
        let case = RerunCase { payload: payload.to_vec(), ..case() };
        let answer = answer(&route_table(), case, SANDBOX, &key(), &kid());
        assert!(matches!(answer, Err(CaseError::NotAReceipt(_))));
    }
}
