//! Wallets: found under every label and spelling, and nothing else found.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

use std::collections::BTreeSet;
use std::sync::Arc;

use wallet_address::{AddressError, Form, WalletIndex, form};

use crate::common::{only, read, read_paths, real_data};

fn index(lines: &str) -> WalletIndex {
    WalletIndex::new(vec![Arc::new(only(read(&[("addresses.jsonl", lines)])).list)])
}

fn line(address: &str, currency: &str, uid: u64) -> String {
    format!(
        "{{\"address\": \"{address}\", \"currency\": \"{currency}\", \"uid\": {uid}, \"entity\": \"X\"}}\n"
    )
}

#[test]
fn every_real_address_is_found_in_every_spelling_that_means_it() {
    let Some(folder) = real_data() else { return };
    let path = folder.join("crypto/addresses-2026-08-20.jsonl");
    let rows = std::fs::read_to_string(&path).unwrap();
    let rows: Vec<serde_json::Value> = rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    let index = WalletIndex::new(vec![Arc::new(only(read_paths(&[path])).list)]);
    let mut addresses = BTreeSet::new();
    for row in &rows {
        let address = row["address"].as_str().unwrap();
        addresses.insert(address);
        let mut spellings = vec![address.to_owned()];
        match row["kind"].as_str().unwrap() {
            "evm" => spellings.extend([
                address.to_lowercase(),
                address.to_uppercase(),
                address.to_uppercase().replacen("0X", "0x", 1),
                address[2..].to_owned(),
                address[2..].to_uppercase(),
                format!("xdc{}", &address[2..]),
                bech32_of("inj", &account_of_hex(address)),
                bech32_of("one", &account_of_hex(address)).to_uppercase(),
                format!("ethereum:{address}"),
                format!("eip155:1:{address}"),
            ]),
            "bech32" => spellings.extend([
                address.to_uppercase(),
                format!("bitcoin:{address}"),
                format!("BITCOIN:{}", address.to_uppercase()),
                format!("bip122:000000000019d6689c085ae165831e93:{address}"),
            ]),
            "cashaddr" => spellings.extend([
                format!("bitcoincash:{address}"),
                format!("BITCOINCASH:{}", address.to_uppercase()),
            ]),
            "base58" => {
                spellings.extend([format!("bitcoin:{address}"), format!("litecoin:{address}")]);
                spellings.extend(older_litecoin(address));
            }
            "tron" => {
                let hex = hex::encode(payload(address));
                spellings.extend([format!("tron:{address}"), format!("tron:0x2b6653dc:{address}")]);
                spellings.extend([format!("0x{hex}"), hex.to_uppercase(), hex]);
            }
            "xmr" => {
                spellings.push(format!("monero:{address}"));
                spellings.extend(integrated(address));
            }
            _ => {}
        }
        for spelling in spellings {
            let found = index.find(&spelling).unwrap();
            // Whatever the label of this row, every row of the address is found.
            let same = rows.iter().filter(|other| account(other) == account(row));
            let same: BTreeSet<_> =
                same.map(|row| (row["uid"].to_string(), row["currency"].to_string())).collect();
            assert_eq!(found.len(), same.len(), "{spelling}");
            assert!(found.iter().any(|found| {
                let (_, entry, wallet) = index.resolve(found).unwrap();
                row["uid"] == entry.uid.parse::<u64>().unwrap() && row["currency"] == *wallet.currency
            }));
        }
    }
    assert_eq!(addresses.len(), 961);
    // One account is listed as Ethereum writes it and as Tron does.
    assert_eq!(index.len(), 960);
}

/// What rows of the same address share.
fn account(row: &serde_json::Value) -> String {
    let address = row["address"].as_str().unwrap();
    match row["kind"].as_str().unwrap() {
        "tron" => format!("0x{}", hex::encode(&payload(address)[1..])),
        "evm" => address.to_lowercase(),
        _ => address.to_owned(),
    }
}

#[test]
fn no_neighbour_of_a_real_address_is_found() {
    let Some(folder) = real_data() else { return };
    let path = folder.join("crypto/addresses-2026-08-20.jsonl");
    let list = Arc::new(only(read_paths(&[path])).list);
    let index = WalletIndex::new(vec![Arc::clone(&list)]);
    let mut asked = 0;
    for wallet in list.entries.iter().flat_map(|entry| &entry.wallets) {
        let last = wallet.address.chars().next_back().unwrap();
        let other = if last == '2' { '3' } else { '2' };
        let neighbour = format!("{}{other}", &wallet.address[..wallet.address.len() - 1]);
        let swapped: String = wallet.address.chars().map(swap_case).collect();
        let is_number = wallet.address.starts_with("0x");
        asked += 1;
        assert!(index.find(&neighbour).map_or(true, <[_]>::is_empty), "{neighbour}");
        let base58 =
            matches!(form(&wallet.address), Ok(Form::Base58Check | Form::Base58 | Form::RippleBase58Check));
        if base58 && !is_number {
            assert!(index.find(&swapped).map_or(true, <[_]>::is_empty), "{swapped}");
        }
    }
    assert_eq!(asked, 976);
}

/// The bytes of base58check.
fn payload(address: &str) -> Vec<u8> {
    bs58::decode(address).with_check(None).into_vec().unwrap()
}

fn account_of_hex(address: &str) -> [u8; 20] {
    hex::decode(&address[2..]).unwrap().try_into().unwrap()
}

fn bech32_of(prefix: &str, bytes: &[u8]) -> String {
    bech32::encode::<bech32::Bech32>(bech32::Hrp::parse(prefix).unwrap(), bytes).unwrap()
}

/// A Litecoin script's address as it was written before the version had a letter of its own.
fn older_litecoin(address: &str) -> Option<String> {
    let mut bytes =
        bs58::decode(address).with_check(None).into_vec().ok().filter(|bytes| bytes[0] == 0x32)?;
    bytes[0] = 0x05;
    Some(bs58::encode(bytes).with_check().into_string())
}

/// A Monero address with a payment's number; nothing of a subaddress, or of one that is mistyped.
fn integrated(address: &str) -> Option<String> {
    let is_standard = address.starts_with('4') && form(address) == Ok(Form::Other);
    let keys = is_standard.then(|| monero_bytes(address))?[1..65].to_vec();
    let mut bytes = [&[19][..], &keys, &[7; 8]].concat();
    bytes.extend_from_slice(&alloy_primitives::keccak256(&bytes)[..4]);
    let block = |block: &[u8]| {
        let number = &block[block.iter().take_while(|byte| **byte == 0).count()..];
        let width = if block.len() == 8 { 11 } else { 7 };
        format!("{:1>width$}", bs58::encode(number).into_string())
    };
    Some(bytes.chunks(8).map(block).collect())
}

fn monero_bytes(address: &str) -> Vec<u8> {
    let block = |block: &[u8]| {
        let size = if block.len() == 11 { 8 } else { 5 };
        let bytes = bs58::decode(block).into_vec().unwrap();
        let number = &bytes[bytes.iter().take_while(|byte| **byte == 0).count()..];
        [vec![0; size - number.len()], number.to_vec()].concat()
    };
    address.as_bytes().chunks(11).flat_map(block).collect()
}

fn swap_case(c: char) -> char {
    if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
}

#[test]
fn every_real_address_but_for_unknown_forms_has_a_form_that_holds() {
    let Some(folder) = real_data() else { return };
    let list = only(read_paths(&[folder.join("crypto/addresses-2026-08-20.jsonl")])).list;
    let forms: Vec<_> = list
        .entries
        .iter()
        .flat_map(|entry| &entry.wallets)
        .map(|wallet| (form(&wallet.address), &*wallet.currency))
        .collect();
    let fails = |label: &str| label != "XMR";
    let failed = forms.iter().find(|(form, label)| form.is_err() && fails(label));
    assert!(failed.is_none(), "{failed:?}");
    // One of the Monero addresses has letters that base58 does not have.
    assert!(forms.contains(&(Ok(Form::Other), "XMR")));
    assert!(forms.iter().all(|(form, label)| *form != Ok(Form::Other) || *label == "XMR"));
}

#[test]
fn no_real_address_is_cleared_in_a_spelling_that_is_not_understood() {
    let Some(folder) = real_data() else { return };
    let list = Arc::new(only(read_paths(&[folder.join("crypto/addresses-2026-08-20.jsonl")])).list);
    let index = WalletIndex::new(vec![Arc::clone(&list)]);
    let mut asked = 0;
    for wallet in list.entries.iter().flat_map(|entry| &entry.wallets) {
        let address = &*wallet.address;
        let mut spellings = vec![
            format!("unheard-of:{address}"),
            format!("bitcoin:{address}?amount=1"),
            format!("ethereum:{address}@1"),
            format!("ethereum:pay-{address}"),
            format!("https://chain.example/{address}"),
            format!("{address},{address}"),
            format!("{address}.eth"),
        ];
        if let Some(digits) = address.strip_prefix("0x") {
            spellings.extend([format!("xdc{digits}"), format!("0x{digits:0>64}"), format!("41{digits}")]);
        }
        if form(address) == Ok(Form::Bech32) {
            let (first, rest) = address.split_at(1);
            let (prefix, data) = address.split_at(address.find('1').unwrap());
            spellings.push(format!("{}{rest}", first.to_uppercase()));
            spellings.push(format!("{}{data}", prefix.to_uppercase()));
            spellings.push(format!("{prefix}{}", data.to_uppercase()));
        }
        if address.starts_with('T') {
            let payload = bs58::decode(address).with_check(None).into_vec().unwrap();
            let digits = hex::encode(payload);
            spellings.extend([digits.to_uppercase(), format!("0x{digits}"), digits]);
        }
        for spelling in spellings {
            asked += 1;
            assert!(index.find(&spelling).map_or(true, |found| !found.is_empty()), "{spelling}");
        }
    }
    assert!(asked > 0);
}

#[test]
fn a_listed_address_is_found_though_its_checksum_fails() {
    let index = index(&line("1BoatSLRHtKNngkdXEeobR76b53LETtpyU", "XBT", 7));
    assert_eq!(index.find("1BoatSLRHtKNngkdXEeobR76b53LETtpyU").unwrap().len(), 1);
    assert_eq!(index.find("1BoatSLRHtKNngkdXEeobR76b53LETtpyV"), Err(AddressError::Checksum("base58check")));
}

#[test]
fn long_hex_is_found_in_either_case_and_without_the_zeros_at_its_front() {
    let listed = "0x00C5e0b6f3d84719a2c5e0b6f3d84719a2c5e0b6f3d84719a2c5e0b6f3d84719";
    let index = index(&line(listed, "ETH", 7));
    for spelling in [listed.to_owned(), listed.to_lowercase(), listed.replacen("0x00", "0X", 1)] {
        assert_eq!(index.find(&spelling).unwrap().len(), 1, "{spelling}");
    }
    assert_eq!(index.find(&listed.replace('f', "a")), Ok(&[][..]));
}

#[test]
fn text_in_no_known_form_is_found_where_it_is_listed_and_refused_elsewhere() {
    let index = index(&line("unusual.chain", "XYZ", 7));
    assert_eq!(index.find("unusual.chain").unwrap().len(), 1);
    assert_eq!(index.find("unusual.chair"), Err(AddressError::Unknown));
}

#[test]
fn one_address_under_two_currencies_is_found_with_both() {
    let lines = line("TA3941uFAvmVibSkQ6fMJXxmaSNovX86mz", "TRX", 1)
        + &line("TA3941uFAvmVibSkQ6fMJXxmaSNovX86mz", "USDT", 1)
        + &line("TA3941uFAvmVibSkQ6fMJXxmaSNovX86mz", "USDT", 2);
    let index = index(&lines);
    assert_eq!(index.len(), 1);
    assert_eq!(index.find(" TA3941uFAvmVibSkQ6fMJXxmaSNovX86mz ").unwrap().len(), 3);
}

#[test]
fn an_address_is_found_in_every_form_that_it_has_whichever_of_them_is_listed() {
    // Of the specification of CashAddr, of Harmony's documentation, and made from the same bytes.
    let account = "0x7c41e0668b551f4f902cfaec05b5bdca68b124ce";
    let bytes = account_of_hex(account);
    let tron = [&[0x41][..], &bytes].concat();
    let accounts = [
        account.to_owned(),
        "one103q7qe5t2505lypvltkqtddaef5tzfxwsse4z7".to_owned(),
        "ONE103Q7QE5T2505LYPVLTKQTDDAEF5TZFXWSSE4Z7".to_owned(),
        bech32_of("inj", &bytes),
        bech32_of("evmos", &bytes),
        format!("xdc{}", &account[2..]),
        bs58::encode(&tron).with_check().into_string(),
        hex::encode(&tron),
    ];
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    for spellings in [
        accounts.to_vec(),
        owned(&[
            "1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu",
            "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a",
            "qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a",
            "QPM2QSZNHKS23Z7629MMS6S4CWEF74VCWVY22GDX6A",
        ]),
        owned(&["16w1D5WRVKJuZUsSRzdLp9w3YGcgoxDXb", "qqq3728yw0y47sqn6l2na30mcw6zm78dzqre909m2r"]),
        owned(&["3CWFddi6m4ndiGyKqzYvsFYagqDLPVMTzC", "ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq"]),
        owned(&["zr6m7j9njldwwzlg9v7v53unlr4jkmx6eycnjehshe", "qr6m7j9njldwwzlg9v7v53unlr4jkmx6eylep8ekg2"]),
        owned(&[
            "ltc1qr8ntsedq8tv0svmxqhzvdcdl5k7kntdmnhwep7",
            "LTC1QR8NTSEDQ8TV0SVMXQHZVDCDL5K7KNTDMNHWEP7",
            "litecoin:LTC1QR8NTSEDQ8TV0SVMXQHZVDCDL5K7KNTDMNHWEP7",
        ]),
    ] {
        for listed in &spellings {
            let index = index(&line(listed, "XBT", 7));
            for asked in &spellings {
                assert_eq!(index.find(asked).map(<[_]>::len), Ok(1), "{asked} where {listed} is listed");
            }
        }
    }
}

#[test]
fn the_same_bytes_are_another_address_where_they_stand_for_something_else() {
    // A key's hash and a script's; a key's hash as Bitcoin, as Litecoin and in a segregated-witness address.
    let key = payload("1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu");
    let litecoin = bs58::encode([&[0x30][..], &key[1..]].concat()).with_check().into_string();
    let program = [&[0_u8][..], &key[1..]].concat();
    let witness = bech32::segwit::encode_v0(bech32::hrp::BC, &program[1..]).unwrap();
    let all =
        ["1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu", "3CWFddi6m4ndiGyKqzYvsFYagqDLPVMTzC", &litecoin, &witness];
    for (at, listed) in all.iter().enumerate() {
        let index = index(&line(listed, "XBT", 7));
        for (other, asked) in all.iter().enumerate() {
            assert_eq!(index.find(asked).map(|found| !found.is_empty()), Ok(at == other), "{asked}");
        }
        let account = format!("0x{}", hex::encode(&key[1..]));
        assert_eq!(index.find(&account), Ok(&[][..]));
    }
}

#[test]
fn the_callers_address_must_be_able_to_be_right() {
    // EIP-55, BIP 173, BIP 350 and the CashAddr specification give these.
    let right = [
        ("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", Form::Evm),
        ("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", Form::Evm),
        ("BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", Form::Bech32),
        ("bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", Form::Bech32),
        ("bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a", Form::CashAddr),
        ("1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", Form::Base58Check),
        ("3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy", Form::Base58Check),
        ("rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", Form::RippleBase58Check),
        ("So11111111111111111111111111111111111111112", Form::Base58),
        ("5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", Form::Evm),
        ("5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED", Form::Evm),
        ("eip155:1:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", Form::Evm),
        ("Ethereum:0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", Form::Evm),
        ("bitcoin:1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", Form::Base58Check),
        ("litecoin:3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy", Form::Base58Check),
        ("tron:TA3941uFAvmVibSkQ6fMJXxmaSNovX86mz", Form::Base58Check),
        ("0x02a1c5e0b6f3d84719a2c5e0b6f3d84719a2c5e0b6f3d84719a2c5e0b6f3d847", Form::Other),
        ("xdc5aaeb6053f3e94c9b9a19f33669435e7ef1beaed", Form::Other),
        ("XDC5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", Form::Other),
        ("415aaeb6053f3e94c9b9a09f33669435e7ef1beaed", Form::Other),
        ("0x415AAEB6053f3e94c9b9a09f33669435e7ef1beaed", Form::Other),
        ("one103q7qe5t2505lypvltkqtddaef5tzfxwsse4z7", Form::Bech32),
        ("bitcoincash:zr6m7j9njldwwzlg9v7v53unlr4jkmx6eycnjehshe", Form::CashAddr),
    ];
    for (address, expected) in right {
        assert_eq!(form(address), Ok(expected), "{address}");
    }
    let wrong = [
        ("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD", AddressError::Checksum("EIP-55")),
        ("0x5aaeb6053f3e94c9b9a09f33669435e7ef1bea", AddressError::Malformed),
        ("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beazz", AddressError::Malformed),
        ("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5", AddressError::Checksum("bech32")),
        ("bc1Qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", AddressError::Checksum("bech32")),
        ("qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6q", AddressError::Checksum("CashAddr")),
        ("1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3", AddressError::Checksum("base58check")),
        ("1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN0", AddressError::Checksum("base58check")),
        ("TA3941uFAvmVibSkQ6fMJXxmaSNovX86my", AddressError::Checksum("base58check")),
        ("rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTi", AddressError::Checksum("base58check")),
        ("5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD", AddressError::Checksum("EIP-55")),
        ("Bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", AddressError::Checksum("bech32")),
        ("BC1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", AddressError::Checksum("bech32")),
        ("eip155:1:0x5aaeb6053f3e94c9b9a09f33669435e7ef1bea", AddressError::Malformed),
        ("0x0000000000000000000000005aaeb6053f3e94c9b9a09f33669435e7ef1beaed", AddressError::Malformed),
        ("eth:0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", AddressError::Unknown),
        ("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed:1", AddressError::Malformed),
        ("xdc5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD", AddressError::Checksum("EIP-55")),
        ("xdc5aaeb6053f3e94c9b9a19f33669435e7ef1beae", AddressError::Unknown),
        ("425aaeb6053f3e94c9b9a09f33669435e7ef1beaed", AddressError::Unknown),
        ("415aaeb6053f3e94c9b9a09f33669435e7ef1beae", AddressError::Unknown),
        ("0x425aaeb6053f3e94c9b9a09f33669435e7ef1beaed", AddressError::Malformed),
        ("bchtest:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a", AddressError::Unknown),
        ("vitalik.eth", AddressError::Unknown),
        ("ethereum:vitalik.eth", AddressError::Unknown),
        ("EOSIO.TOKEN", AddressError::Unknown),
        ("", AddressError::Malformed),
        ("a b", AddressError::Malformed),
        ("bc1é", AddressError::Malformed),
    ];
    for (address, expected) in wrong {
        assert_eq!(form(address), Err(expected), "{address}");
    }
    assert_eq!(form(&"a".repeat(257)), Err(AddressError::Malformed));
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic(text in ".{0,300}", tail in "[0-9a-zA-Z:]{0,120}") {
        for text in [text.clone(), format!("0x{text}"), format!("bc1{text}"), format!("r{tail}"), format!("q{tail}")] {
            let _ = form(&text);
            let _ = wallet_address::normalise(&text);
        }
    }
}
