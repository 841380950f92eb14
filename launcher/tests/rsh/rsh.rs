//! A remote shell over TCP, so that a test can cut the network between oshrun and its agents. It has no authentication: it is for networks
//! that a test has made.
//!
//! `test-rsh --serve ADDRESS` runs the commands that it receives; `test-rsh ADDRESS COMMAND...` sends one.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

const PORT: u16 = 7707;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match &words[..] {
        [serve, address] if serve == "--serve" => serve_at(address),
        [address, command @ ..] => ask(address, command),
        [] => panic!("test-rsh --serve ADDRESS, or test-rsh ADDRESS COMMAND..."),
    }
}

fn serve_at(address: &str) {
    let door = TcpListener::bind((address, PORT)).unwrap();
    println!("ready");
    for guest in door.incoming() {
        let mut guest = guest.unwrap();
        let mut length = [0; 4];
        guest.read_exact(&mut length).unwrap();
        let mut words = vec![0; u32::from_le_bytes(length) as usize];
        guest.read_exact(&mut words).unwrap();
        let words: Vec<&str> = str::from_utf8(&words).unwrap().split('\0').collect();
        let stream = || Stdio::from(OwnedFd::from(guest.try_clone().unwrap()));
        let mut child = Command::new(words[0]).args(&words[1..]).stdin(stream()).stdout(stream()).spawn().unwrap();
        std::thread::spawn(move || {
            child.wait().unwrap();
            let _ = guest.shutdown(Shutdown::Both);
        });
    }
}

fn ask(address: &str, command: &[String]) {
    let mut host = TcpStream::connect((address, PORT)).unwrap();
    let words = command.join("\0");
    host.write_all(&(words.len() as u32).to_le_bytes()).unwrap();
    host.write_all(words.as_bytes()).unwrap();
    let mut to = host.try_clone().unwrap();
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut std::io::stdin(), &mut to);
        let _ = to.shutdown(Shutdown::Write);
    });
    let mut out = std::io::stdout();
    let mut chunk = [0; 16 << 10];
    while let Ok(got @ 1..) = host.read(&mut chunk) {
        out.write_all(&chunk[..got]).unwrap();
        out.flush().unwrap();
    }
}
