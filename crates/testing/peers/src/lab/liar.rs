//! Name servers that do wrong, over UDP.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::thread::{self, JoinHandle};

use hickory_resolver::proto::op::{Message, ResponseCode};
use hickory_resolver::proto::rr::rdata::{A, SOA};
use hickory_resolver::proto::rr::{Name, RData, Record, RecordType};

/// The fault of the server's answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    /// It refuses every question.
    Refused,
    /// It answers with the address of `elsewhere.test`, whatever was asked.
    OtherName,
    /// It says that the answer is longer, and does not speak TCP.
    Truncated,
    /// It fails at CAA, and knows one address for everything else.
    CaaFails,
    /// It says that nothing exists, not even the root.
    DeniesAll,
    /// It knows the root and says truly that nothing below it exists.
    RootAlone,
}

/// Such a server on a port of its own, for as long as it is kept.
pub struct Liar {
    address: SocketAddr,
    thread: Option<JoinHandle<()>>,
}

impl Liar {
    /// Starts one.
    #[must_use]
    pub fn start(lie: Lie) -> Self {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = socket.local_addr().unwrap();
        let thread = thread::spawn(move || {
            let mut bytes = vec![0; 4096];
            while let Ok((length, client)) = socket.recv_from(&mut bytes) {
                // Of no length: from its owner, who goes.
                if length == 0 {
                    return;
                }
                let question = Message::from_vec(&bytes[..length]);
                let answer = question.ok().and_then(|question| answer(lie, &question).to_vec().ok());
                // A client that went away is no fault of ours.
                let _ = answer.map(|answer| socket.send_to(&answer, client));
            }
        });
        Self { address, thread: Some(thread) }
    }

    /// The address at which the server is asked.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Liar {
    fn drop(&mut self) {
        let goes =
            UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|socket| socket.send_to(&[], self.address));
        if goes.is_ok() {
            let _ = self.thread.take().map(JoinHandle::join);
        }
    }
}

fn answer(lie: Lie, question: &Message) -> Message {
    let mut answer = Message::response(question.metadata.id, question.metadata.op_code);
    answer.queries.clone_from(&question.queries);
    answer.metadata.authoritative = true;
    answer.metadata.recursion_desired = question.metadata.recursion_desired;
    answer.metadata.recursion_available = true;
    let Some(query) = question.queries.first() else { return answer };
    let is_root = query.name().is_root() && query.query_type() == RecordType::SOA;
    let address = |owner: Name| Record::from_rdata(owner, 300, RData::A(A(Ipv4Addr::LOCALHOST)));
    match (lie, query.query_type()) {
        (Lie::CaaFails | Lie::RootAlone, _) if is_root => {
            let mut soa = nothing_of_the_kind();
            soa.name = Name::root();
            answer.add_answer(soa);
        }
        (Lie::DeniesAll | Lie::RootAlone, _) => answer.metadata.response_code = ResponseCode::NXDomain,
        (Lie::Refused, _) => answer.metadata.response_code = ResponseCode::Refused,
        (Lie::CaaFails, RecordType::CAA) => answer.metadata.response_code = ResponseCode::ServFail,
        (Lie::Truncated, _) => answer.metadata.truncation = true,
        (Lie::OtherName, _) => {
            answer.add_answer(address(Name::from_ascii("elsewhere.test.").unwrap()));
        }
        (Lie::CaaFails, RecordType::A) => {
            answer.add_answer(address(query.name().clone()));
        }
        (Lie::CaaFails, _) => {
            answer.add_authority(nothing_of_the_kind());
        }
    }
    answer
}

fn nothing_of_the_kind() -> Record {
    let name = |text| Name::from_ascii(text).unwrap();
    let soa = SOA::new(name("ns.test."), name("h.test."), 1, 600, 300, 86_400, 60);
    Record::from_rdata(name("caa-servfail.test."), 60, RData::SOA(soa))
}

/// One of each, and a server that never answers.
pub struct Liars {
    /// It refuses.
    pub refused: Liar,
    /// It answers for another name.
    pub other_name: Liar,
    /// It truncates, and has no TCP.
    pub truncated: Liar,
    /// It fails at CAA.
    pub caa_fails: Liar,
    silent: UdpSocket,
    _silent_stream: TcpListener,
}

impl Liars {
    pub(super) fn start() -> Self {
        let (silent, stream) = loop {
            let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            // The same port must be free for both.
            if let Ok(stream) = TcpListener::bind(socket.local_addr().unwrap()) {
                break (socket, stream);
            }
        };
        Self {
            refused: Liar::start(Lie::Refused),
            other_name: Liar::start(Lie::OtherName),
            truncated: Liar::start(Lie::Truncated),
            caa_fails: Liar::start(Lie::CaaFails),
            silent,
            _silent_stream: stream,
        }
    }

    /// The server that takes questions and never answers: nobody reads what the kernel keeps for it.
    #[must_use]
    pub fn silent_address(&self) -> SocketAddr {
        self.silent.local_addr().unwrap()
    }
}
