//! The studio: two graphs side by side on a local page, where a click makes an anchor and the match follows.
//!
//! A front door reads two graphs and what is known of them into a [`Setup`], opens a [`Studio`] with a token that
//! nobody can guess, and [serves](Studio::serve) it on a port of this machine. What a person says is written at once
//! into an anchors file and a journal beside it (`journal`); every change starts a match on a thread of its own and
//! cancels the one before (`worker`); pages hear of both as it happens (`room`).
//!
//! The page is part of the program (`assets`). The server answers requests that carry the token, name this machine as
//! their host and come from its own page, and nothing else (`guard`); it serves what is embedded and the two images of
//! the setup, and reads no file by the name that a request gives.

mod answer;
mod assets;
mod choices;
mod decisions;
mod export;
mod guard;
mod journal;
mod near;
mod room;
mod scene;
mod server;
mod setup;
mod worker;

pub use choices::{Base, Choices};
pub use guard::Token;
pub use scene::Side;
pub use server::Running;
pub use setup::{Kept, Setup, Wording};

use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use anchormatch::{Anchors, Error, Result};

use room::Room;

/// Two graphs, what was said of them, and the matches that follow.
#[derive(Debug)]
pub struct Studio {
    room: Arc<Room>,
}

impl Studio {
    /// Opens the studio on two graphs and what was said before; `found` is what the anchors file of the setup says,
    /// `None` when there is no such file.
    ///
    /// # Errors
    /// When anchors or facts do not go with the graphs, or the journal cannot be read or written.
    pub fn open(setup: Setup, found: Option<&Anchors>) -> Result<Self> {
        let room = Arc::new(Room::open(setup, found)?);
        let thread = |name: &str, work: fn(&Room)| {
            let room = Arc::clone(&room);
            let spawned = thread::Builder::new()
                .name(name.to_owned())
                .spawn(move || work(&room));
            spawned.map(drop).map_err(|error| Error::io(name, error))
        };
        thread("studio matches", worker::matches)?;
        thread("studio layouts", worker::follows)?;
        Ok(Self { room })
    }

    /// What is to be said about the beginning.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        self.room.notes().to_vec()
    }

    /// The anchors file.
    #[must_use]
    pub fn anchors_file(&self) -> &Path {
        &self.room.setup().anchors_file
    }

    /// The anchors as they are now.
    ///
    /// # Errors
    /// When they do not go with the graphs, which changes see to.
    pub fn anchors(&self) -> Result<Anchors> {
        self.room.anchors()
    }

    /// Answers requests at `listener`, which has to be of this machine alone, on threads of its own.
    ///
    /// # Errors
    /// When the listener is open to other machines, or no thread can be started.
    pub fn serve(&self, listener: TcpListener, token: Token) -> Result<Running> {
        server::start(Arc::clone(&self.room), listener, token)
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        self.room.close();
    }
}
