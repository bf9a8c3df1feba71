//! Servers of TLS that let some of their clients wait, and pass the others on to the sites.
//!
//! Whoever looks at a certificate offers HTTP/2 or nothing; whoever asks for a page offers HTTP/1.1 alone. So a server can
//! show itself to one and not to the other.

use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use super::site::Speaks;

/// `http/1.1` alone, as the extension ALPN (RFC 7301) has it.
const ASKS_FOR_A_PAGE: &[u8] = b"\0\x09\x08http/1.1";

/// The clients that have to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waits {
    /// Whoever looks at the certificate.
    Probe,
    /// Whoever asks for a page.
    Page,
}

impl Waits {
    pub(super) const ALL: [Self; 2] = [Self::Probe, Self::Page];

    pub(super) fn address(self) -> Ipv4Addr {
        match self {
            Self::Probe => Ipv4Addr::new(127, 0, 0, 8),
            Self::Page => Ipv4Addr::new(127, 0, 0, 10),
        }
    }
}

/// Such a server, for as long as it is kept.
pub(super) struct Choosy {
    address: SocketAddr,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Choosy {
    /// Starts one on this port; the sites have it too, at their own address.
    pub(super) fn start(waits: Waits, port: u16) -> io::Result<Self> {
        let address = SocketAddr::from((waits.address(), port));
        let sites = SocketAddr::from((Speaks::Modern.address(), port));
        let listener = TcpListener::bind(address)?;
        let is_over = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&is_over);
        let thread = thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if ends.load(Ordering::Relaxed) {
                    return;
                }
                // A client that goes away is no fault of ours.
                thread::spawn(move || drop(serve(waits, client, sites)));
            }
        });
        Ok(Self { address, is_over, thread: Some(thread) })
    }
}

impl Drop for Choosy {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if TcpStream::connect(self.address).is_ok() {
            let _ = self.thread.take().map(JoinHandle::join);
        }
    }
}

/// Serves one client until it goes.
fn serve(waits: Waits, mut client: TcpStream, sites: SocketAddr) -> io::Result<()> {
    let hello = hello(&client)?;
    let asks_for_a_page = hello.windows(ASKS_FOR_A_PAGE.len()).any(|part| part == ASKS_FOR_A_PAGE);
    if asks_for_a_page == (waits == Waits::Page) {
        return io::copy(&mut client, &mut io::sink()).map(drop);
    }
    let mut site = TcpStream::connect(sites)?;
    let (mut from_client, mut to_site) = (client.try_clone()?, site.try_clone()?);
    let sent = thread::spawn(move || {
        let _ = io::copy(&mut from_client, &mut to_site);
        to_site.shutdown(Shutdown::Write)
    });
    let _ = io::copy(&mut site, &mut client);
    let _ = client.shutdown(Shutdown::Write);
    sent.join().expect("copying does not panic")
}

/// The client's first record, which it will send again to whom it is passed on.
fn hello(client: &TcpStream) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; 16 << 10];
    loop {
        let length = client.peek(&mut bytes)?;
        let whole = match bytes[..length] {
            [_, _, _, high, low, ..] => usize::from(u16::from_be_bytes([high, low])) + 5,
            _ => 5,
        };
        // All that there is to see where it is no hello, or one that ends early.
        if length == 0 || length >= whole {
            bytes.truncate(length);
            return Ok(bytes);
        }
        thread::yield_now();
    }
}
