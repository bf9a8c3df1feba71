//! A stub resolver that leaves the authority section out.

use std::net::SocketAddr;
use std::sync::Arc;

use hickory_resolver::proto::op::Message;
use tokio::net::UdpSocket;

/// Passes questions on to a server, and answers back without what is in their authority section.
pub(crate) async fn stub(server: SocketAddr) -> SocketAddr {
    let socket = Arc::new(UdpSocket::bind(("127.0.0.1", 0)).await.unwrap());
    let address = socket.local_addr().unwrap();
    tokio::spawn(async move {
        let mut bytes = vec![0; 4096];
        while let Ok((length, client)) = socket.recv_from(&mut bytes).await {
            let (question, socket) = (bytes[..length].to_vec(), Arc::clone(&socket));
            tokio::spawn(async move {
                let upstream = UdpSocket::bind(("127.0.0.1", 0)).await.unwrap();
                upstream.connect(server).await.unwrap();
                upstream.send(&question).await.unwrap();
                let mut bytes = vec![0; 4096];
                let length = upstream.recv(&mut bytes).await.unwrap();
                let mut answer = Message::from_vec(&bytes[..length]).unwrap();
                answer.authorities.clear();
                socket.send_to(&answer.to_vec().unwrap(), client).await.unwrap();
            });
        }
    });
    address
}
