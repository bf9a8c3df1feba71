//! Files that are no publication: each is refused, by name and whole.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;
use watchlist::lists::{Doubt, FileFormat};
use watchlist::{Import, ListError, Publication, PublicationBounds, Snapshot};

use crate::common::{ADD_CSV, ADVANCED_XML, ALT_CSV, SDN_CSV, SDN_XML, only, read};

const NAMES_JSON: &str = "{\"published\": \"2026-08-20\", \"entries\": [{\"uid\": 1, \"name\": \"X\", \"type\": \"entity\", \
                          \"programs\": [\"P\"], \"alternateNames\": [\"Y\"]}]}";
const WALLETS: &str = "{\"address\": \"1abc\", \"currency\": \"XBT\", \"uid\": 1, \"entity\": \"X\"}\n";
const TARGETS: &str = "id,schema,name,aliases,birth_date,countries,addresses,identifiers,sanctions,dataset\nA,Person,X,,,,,,,D\n";

const FORMS: [(&str, &str); 6] = [
    ("sdn.xml", SDN_XML),
    ("sdn_advanced.xml", ADVANCED_XML),
    ("sdn.csv", SDN_CSV),
    ("names.json", NAMES_JSON),
    ("addresses.jsonl", WALLETS),
    ("targets.simple.csv", TARGETS),
];

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(bytes).expect("memory takes every byte");
    packed.finish().expect("memory takes every byte")
}

fn read_bytes(name: &str, bytes: Vec<u8>, bounds: PublicationBounds) -> Result<Import, ListError> {
    Publication::from_bytes([(name.to_owned(), bytes)], bounds)?.read(None)
}

#[test]
fn every_form_is_read_and_read_packed() {
    for (name, text) in FORMS {
        let plain = only(read(&[(name, text)])).list;
        let packed =
            only(read_bytes(&format!("{name}.gz"), gzip(text.as_bytes()), PublicationBounds::default())).list;
        assert_eq!(plain, packed, "{name}");
    }
}

#[test]
fn a_truncated_file_never_gives_the_whole_list() {
    for (name, text) in FORMS {
        let whole = only(read(&[(name, text)])).list;
        for length in (0..text.len()).filter(|length| text.is_char_boundary(*length)) {
            let Ok(import) = read(&[(name, &text[..length])]) else { continue };
            let parsed = only(Ok(import));
            // Only white space or the end mark is missing, or an operator is asked, or whole lines are
            // missing.
            let asked = parsed.doubts.iter().any(|doubt| !matches!(doubt, Doubt::PartMissing { .. }));
            let by_lines = name.ends_with(".csv") && text[..length].trim_end().len() < text.trim_end().len();
            assert!(
                parsed.list == whole || asked || (by_lines && name.starts_with("targets")),
                "{name} cut at {length}"
            );
        }
        let packed = gzip(text.as_bytes());
        for length in [packed.len() - 1, packed.len() - 8, packed.len() / 2] {
            let cut = read_bytes(name, packed[..length].to_vec(), PublicationBounds::default());
            assert!(
                matches!(cut, Err(ListError::Malformed { .. } | ListError::UnknownForm { .. })),
                "{name}"
            );
        }
    }
}

#[test]
fn a_table_whose_last_record_is_cut_off_is_refused() {
    let quoted = TARGETS.replace(",D\n", ",\"D; E\"\n");
    for text in [TARGETS, &quoted] {
        assert!(read(&[("targets.simple.csv", text)]).is_ok());
        for length in 1..="\"D; E\"\n".len() {
            let cut = read(&[("targets.simple.csv", &text[..text.len() - length])]).unwrap_err();
            assert!(matches!(cut, ListError::Malformed { .. } | ListError::Empty { .. }), "{length}: {cut}");
        }
    }
    let marked = format!("{TARGETS}\u{1a}\nB,Person,Y,,,,,,,D\n");
    assert!(matches!(read(&[("targets.simple.csv", &marked)]), Err(ListError::Malformed { .. })));
}

#[test]
fn a_birth_before_the_year_1_is_no_date_that_a_snapshot_would_fail_to_keep() {
    for text in ["03 Mar -961", "01 Jan 0000 to 31 Dec 0000", "0000-01-01", "03 Mar 0"] {
        let parsed = only(read(&[("sdn.csv", &SDN_CSV.replace("03 Mar 1961", text))]));
        let births: Vec<String> =
            parsed.list.entry("101").unwrap().births.iter().map(ToString::to_string).collect();
        assert_eq!(births, ["1962~"], "{text}");
        let snapshot = Snapshot::of(parsed.list);
        assert_eq!(Snapshot::read(&snapshot.content()).unwrap().list, snapshot.list, "{text}");
    }
}

#[test]
fn a_legacy_file_without_its_end_mark_raises_a_doubt() {
    let all = [("sdn.csv", SDN_CSV), ("alt.csv", ALT_CSV), ("add.csv", ADD_CSV)];
    assert_eq!(only(read(&all)).doubts, []);
    for (at, (name, text)) in all.into_iter().enumerate() {
        let mut files = all;
        // The last row is gone, or the mark alone.
        for cut in [text.trim_end_matches('\u{1a}'), &text[..text.trim_end().rfind("\n").unwrap_or(0)]] {
            files[at].1 = cut;
            let doubts = match read(&files) {
                Ok(import) => only(Ok(import)).doubts,
                // Nothing is left of it.
                Err(error) => {
                    assert!(matches!(error, ListError::UnknownForm { .. }), "{error}");
                    continue;
                }
            };
            assert!(doubts.contains(&Doubt::NoEndMark { file: name.to_owned() }), "{name}: {doubts:?}");
        }
    }
}

#[test]
fn a_main_file_without_its_aliases_raises_a_doubt() {
    let missing =
        |file: &str| [Doubt::PartMissing { file: file.to_owned(), missing: FileFormat::LegacyAliases }];
    assert_eq!(only(read(&[("sdn.csv", SDN_CSV), ("add.csv", ADD_CSV)])).doubts, missing("sdn.csv"));
    assert_eq!(only(read(&[("cons_prim.csv", SDN_CSV)])).doubts, missing("cons_prim.csv"));
    // Wallets have no aliases either; another form of the whole list has them.
    let wallets = WALLETS.replace("\"uid\": 1", "\"uid\": 101");
    assert_eq!(only(read(&[("sdn.csv", SDN_CSV), ("addresses.jsonl", &wallets)])).doubts, missing("sdn.csv"));
    assert_eq!(only(read(&[("sdn.csv", SDN_CSV), ("sdn.xml", SDN_XML)])).doubts, []);
    assert_eq!(missing("sdn.csv")[0].to_string(), "sdn.csv came without its legacy aliases");
}

#[test]
fn long_remarks_that_do_not_go_on_in_the_comments_raise_a_doubt() {
    let remarks = "Linked To: SOMEBODY ELSE; ".repeat(50);
    let main = SDN_CSV.replace("Secondary sanctions risk: section 1.", &remarks);
    let comments = "101,\"Passport CD 456 (Russia).\"\r\n\u{1a}";
    let parsed = only(read(&[("sdn.csv", &main), ("alt.csv", ALT_CSV), ("sdn_comments.csv", comments)]));
    assert_eq!(parsed.doubts, []);
    let cut = Doubt::RemarksCut { file: "sdn.csv".to_owned(), entries: 1 };
    let without = only(read(&[("sdn.csv", &main), ("alt.csv", ALT_CSV)]));
    assert_eq!(without.doubts, std::slice::from_ref(&cut));
    let of_another = comments.replace("101,", "102,");
    let files = [("sdn.csv", &*main), ("alt.csv", ALT_CSV), ("sdn_comments.csv", &of_another)];
    assert!(only(read(&files)).doubts.contains(&cut));
    assert_eq!(cut.to_string(), "the remarks of 1 entries of sdn.csv do not go on in its comments");
}

#[test]
fn a_doubled_file_is_refused_or_gives_the_same() {
    for (name, text) in FORMS {
        let doubled = format!("{text}{text}");
        match read(&[(name, &doubled)]) {
            Ok(import) => assert_eq!(only(Ok(import)).list, only(read(&[(name, text)])).list, "{name}"),
            Err(error) => {
                assert!(matches!(error, ListError::Malformed { .. } | ListError::Doubled { .. }), "{error}");
            }
        }
    }
    let twice = read(&[("sdn.xml", SDN_XML), ("copy.xml", SDN_XML)]).unwrap_err();
    assert!(matches!(twice, ListError::Twice { .. }), "{twice}");
    let twice = read(&[("sdn.csv", SDN_CSV), ("alt.csv", ALT_CSV), ("alt2.csv", ALT_CSV)]).unwrap_err();
    assert!(matches!(twice, ListError::Twice { .. }), "{twice}");
    let entry_twice = SDN_XML.replace("<uid>104</uid>", "<uid>103</uid>");
    assert!(matches!(read(&[("sdn.xml", &entry_twice)]), Err(ListError::Doubled { .. })));
}

#[test]
fn another_schema_is_refused() {
    let others = [
        ("sdn.xml", "<html><body>Service unavailable</body></html>"),
        ("sdn.xml", "<?xml version=\"1.0\"?><CONSOLIDATED_LIST/>"),
        ("sdn.csv", "a,b,c\n1,2,3\n"),
        ("x.json", "{\"message\": \"rate limited\"}"),
        ("x.json", "[1, 2]"),
        ("x.jsonl", "{\"id\": 1}\n"),
        ("x", ""),
        ("x", "   "),
        ("x", "\u{feff}"),
    ];
    for (name, text) in others {
        let error = read(&[(name, text)]).unwrap_err();
        assert!(matches!(error, ListError::UnknownForm { .. }), "{text}: {error}");
    }
    let stray = SDN_XML.replace("sdnEntry>", "sdnParty>");
    assert!(matches!(read(&[("sdn.xml", &stray)]), Err(ListError::Malformed { .. })));
    let columns = SDN_CSV.replacen("102,\"EXAMPLE & SONS, LLC\",-0- ,", "102,\"EXAMPLE & SONS, LLC\",", 1);
    assert!(matches!(read(&[("sdn.csv", &columns)]), Err(ListError::Malformed { .. })));
}

#[test]
fn a_reference_that_leads_nowhere_is_refused() {
    for (from, to) in [
        ("FeatureTypeID=\"344\"", "FeatureTypeID=\"345\""),
        ("LocationID=\"27\"", "LocationID=\"28\""),
        ("IdentityID=\"9101\"", "IdentityID=\"9109\""),
        ("ProfileID=\"102\"", "ProfileID=\"109\""),
        ("NamePartGroupID=\"6\"", "NamePartGroupID=\"7\""),
        ("PartySubTypeID=\"3\"", "PartySubTypeID=\"9\""),
        ("ListID=\"1550\"", "ListID=\"1\""),
    ] {
        let broken = ADVANCED_XML.replace(from, to);
        assert_ne!(broken, ADVANCED_XML);
        let error = read(&[("sdn_advanced.xml", &broken)]).unwrap_err();
        assert!(matches!(error, ListError::Malformed { .. }), "{from}: {error}");
    }
}

#[test]
fn a_wrong_record_count_raises_a_doubt() {
    let wrong = SDN_XML.replace("<Record_Count>4<", "<Record_Count>5<");
    let parsed = only(read(&[("sdn.xml", &wrong)]));
    assert_eq!(parsed.doubts, [Doubt::RecordCount { declared: 5, parsed: 4 }]);
    let none = SDN_XML.replace("<Record_Count>4</Record_Count>", "");
    assert!(matches!(read(&[("sdn.xml", &none)]), Err(ListError::Malformed { .. })));
}

#[test]
fn a_list_of_nobody_is_refused() {
    let head = &SDN_XML[..SDN_XML.find("<sdnEntry>").unwrap()];
    let empty = format!("{}</sdnList>", head.replace("<Record_Count>4<", "<Record_Count>0<"));
    let advanced =
        format!("{}</ns2:Sanctions>", &ADVANCED_XML[..ADVANCED_XML.find("<ns2:Locations>").unwrap()]);
    let json = "{\"published\": \"2026-08-20\", \"entries\": []}";
    let targets = TARGETS.split_inclusive('\n').next().unwrap();
    for (name, text) in [("sdn.xml", &*empty), ("a.xml", &advanced), ("n.json", json), ("t.csv", targets)] {
        let error = read(&[(name, text)]).unwrap_err();
        assert!(matches!(error, ListError::Empty { .. }), "{name}: {error}");
    }
    let nameless = SDN_XML.replace("<lastName>EP-EXA</lastName>", "<lastName> </lastName>");
    assert!(matches!(read(&[("sdn.xml", &nameless)]), Err(ListError::Malformed { .. })));
}

#[test]
fn a_file_that_is_replaced_while_it_is_read_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sdn.xml");
    let replacements: [&dyn Fn(&PathBuf); 3] = [
        &|path| fs::write(path, SDN_XML.replace("VANYA", "VANJA ")).unwrap(),
        &|path| {
            let beside = path.with_extension("new");
            fs::write(&beside, SDN_XML).unwrap();
            fs::rename(beside, path).unwrap();
        },
        &|path| fs::remove_file(path).unwrap(),
    ];
    for replace in replacements {
        fs::write(&path, SDN_XML).unwrap();
        let publication =
            Publication::open(std::slice::from_ref(&path), PublicationBounds::default()).unwrap();
        replace(&path);
        let error = publication.read(None).unwrap_err();
        assert!(matches!(error, ListError::Replaced { .. } | ListError::Io { .. }), "{error}");
    }
}

#[test]
fn every_bound_is_held() {
    let exceeded = |bounds: PublicationBounds, name: &str, text: &str| {
        let read = read_bytes(name, text.as_bytes().to_vec(), bounds);
        matches!(read, Err(ListError::TooLarge { .. }))
    };
    let bounds = PublicationBounds::default();
    assert!(exceeded(PublicationBounds { file_bytes: 100, ..bounds }, "sdn.xml", SDN_XML));
    assert!(exceeded(PublicationBounds { entries: 3, ..bounds }, "sdn.xml", SDN_XML));
    assert!(exceeded(PublicationBounds { entries: 3, ..bounds }, "sdn_advanced.xml", ADVANCED_XML));
    assert!(exceeded(PublicationBounds { entries: 3, ..bounds }, "sdn.csv", SDN_CSV));
    assert!(exceeded(PublicationBounds { names: 2, ..bounds }, "sdn.xml", SDN_XML));
    assert!(exceeded(PublicationBounds { values: 1, ..bounds }, "sdn.xml", SDN_XML));
    assert!(exceeded(PublicationBounds { text_bytes: 20, ..bounds }, "sdn.xml", SDN_XML));
    let long = "x".repeat(bounds.text_bytes + 1);
    assert!(exceeded(bounds, "targets.simple.csv", &TARGETS.replace(",D\n", &format!(",{long}\n"))));
    let issuer = SDN_XML.replace("<idCountry>Russia<", &format!("<idCountry>{long}<"));
    assert_ne!(issuer, SDN_XML);
    assert!(exceeded(bounds, "sdn.xml", &issuer));
    assert!(exceeded(PublicationBounds { remarks_bytes: 20, ..bounds }, "sdn.xml", SDN_XML));
    assert!(exceeded(PublicationBounds { xml_depth: 3, ..bounds }, "sdn.xml", SDN_XML));
    assert!(exceeded(PublicationBounds { record_bytes: 20, ..bounds }, "addresses.jsonl", WALLETS));
    let files = [("sdn.xml".to_owned(), SDN_XML.as_bytes().to_vec())];
    assert!(matches!(
        Publication::from_bytes(files, PublicationBounds { files: 0, ..bounds }),
        Err(ListError::TooLarge { .. })
    ));
}

#[test]
fn a_record_without_end_and_a_gzip_bomb_stop_at_their_bounds() {
    let bounds =
        PublicationBounds { unpacked_bytes: 1 << 20, record_bytes: 1 << 16, ..PublicationBounds::default() };
    let blank = |bytes: usize| " ".repeat(bytes);
    let bomb = gzip(format!("{SDN_XML}{}", blank(1 << 21)).as_bytes());
    assert!(bomb.len() < 1 << 16);
    assert!(matches!(read_bytes("sdn.xml", bomb, bounds), Err(ListError::TooLarge { .. })));
    let endless = [
        ("sdn.xml", SDN_XML.replace("<title>Director", &format!("<title>{}", "x".repeat(1 << 19)))),
        ("sdn.csv", format!("{}105,\"{}", &SDN_CSV[..SDN_CSV.len() - 1], "x".repeat(1 << 19))),
        ("names.json", NAMES_JSON.replace("\"X\"", &format!("\"{}\"", "x".repeat(1 << 19)))),
        ("addresses.jsonl", format!("{WALLETS}{{\"address\": \"{}", "x".repeat(1 << 19))),
    ];
    for (name, text) in endless {
        let read = read_bytes(name, text.into_bytes(), bounds);
        assert!(matches!(read, Err(ListError::TooLarge { .. })), "{name}: {read:?}");
    }
}

#[test]
fn no_entity_is_expanded_and_no_document_type_read() {
    let declared = SDN_XML.replace("<sdnList", "<!DOCTYPE sdnList [<!ENTITY a \"aaaa\">]><sdnList");
    let error = read(&[("sdn.xml", &declared)]).unwrap_err();
    assert!(matches!(error, ListError::UnknownForm { .. } | ListError::Malformed { .. }), "{error}");
    let used = SDN_XML.replace("VANYA", "&a;");
    assert!(matches!(read(&[("sdn.xml", &used)]), Err(ListError::Malformed { .. })));
    let outside = SDN_XML.replace("Director", "&#x110000;");
    assert!(matches!(read(&[("sdn.xml", &outside)]), Err(ListError::Malformed { .. })));
    let deep = SDN_XML.replace("Director", &"<a>".repeat(10_000));
    assert!(matches!(read(&[("sdn.xml", &deep)]), Err(ListError::TooLarge { .. })));
}

proptest::proptest! {
    #[test]
    fn no_bytes_make_it_panic(at in 0_usize..6, cut in 0.0_f64..1.0, noise in proptest::collection::vec(0_u8.., 0..40)) {
        let (name, text) = FORMS[at];
        let mut bytes = text.as_bytes().to_vec();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
        let place = (bytes.len() as f64 * cut) as usize;
        let end = (place + noise.len()).min(bytes.len());
        bytes.splice(place..end, noise);
        let _ = read_bytes(name, bytes, PublicationBounds::default());
    }
}
