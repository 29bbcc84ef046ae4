//! The server: pages come in, events go out.

use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anchormatch::{Error, Result};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::header::{CONTENT_DISPOSITION, HeaderValue};
use axum::http::{StatusCode, Uri};
use axum::middleware::from_fn_with_state;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt as _;
use futures_util::stream::{self, Stream, StreamExt};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::oneshot;

use crate::assets;
use crate::decisions::Which;
use crate::export;
use crate::guard::{Guard, Token, guarded, typed};
use crate::room::{Act, Room};

/// The longest request, in bytes.
const MOST_BYTES: usize = 64 << 10;

/// A server at work; it stops when this is dropped.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    token: Token,
    stop: Mutex<Option<oneshot::Sender<()>>>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    /// Where the page is, with its token.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/?token={}", self.address, self.token.as_str())
    }

    /// The port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Ends the server.
    pub fn stop(&self) {
        let mut stop = self.stop.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stop) = stop.take() {
            let _ = stop.send(());
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[derive(Clone)]
struct Shared {
    room: Arc<Room>,
    guard: Guard,
}

/// Serves `room` at `listener`.
pub(crate) fn start(room: Arc<Room>, listener: TcpListener, token: Token) -> Result<Running> {
    let failed = |error| Error::io("the server", error);
    let address = listener.local_addr().map_err(failed)?;
    if !address.ip().is_loopback() || !address.is_ipv4() {
        let expected = "127.0.0.1, which other machines cannot reach";
        return Err(Error::parameter("address", address.ip(), expected));
    }
    listener.set_nonblocking(true).map_err(failed)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("studio server")
        .enable_all()
        .build()
        .map_err(failed)?;
    let guard = Guard::new(token.clone(), address.port());
    let router = router(Shared { room, guard });
    let (stop, stopped) = oneshot::channel();
    let listener = {
        let _inside = runtime.enter();
        let listener = tokio::net::TcpListener::from_std(listener).map_err(failed)?;
        // Events are short: one must not wait until the page has confirmed the one before.
        listener.tap_io(|stream| {
            let _ = stream.set_nodelay(true);
        })
    };
    let serve = move || {
        runtime.block_on(async move {
            tokio::select! {
                _ = async { axum::serve(listener, router).await } => {}
                _ = stopped => {}
            }
        });
        // Streams of events never end by themselves.
        runtime.shutdown_background();
    };
    let thread = thread::Builder::new()
        .name("studio server".to_owned())
        .spawn(serve);
    Ok(Running {
        address,
        token,
        stop: Mutex::new(Some(stop)),
        thread: Some(thread.map_err(failed)?),
    })
}

fn router(shared: Shared) -> Router {
    let guard = shared.guard.clone();
    Router::new()
        .route("/", get(page))
        .route("/api/about", get(about))
        .route("/api/graph/{side}", get(graph))
        .route("/api/labels/{side}", get(labels))
        .route("/api/image/{side}", get(image))
        .route("/api/places", get(places))
        .route("/api/left-out", get(left_out))
        .route("/api/match", get(matched))
        .route("/api/node", get(node))
        .route("/api/question", get(question))
        .route("/api/events", get(events))
        .route("/api/act", post(act))
        .route("/export/{name}", get(exported))
        .fallback(asset)
        .layer(DefaultBodyLimit::max(MOST_BYTES))
        .layer(from_fn_with_state(guard, guarded))
        .with_state(shared)
}

/// An error of ours, in words.
fn refused(status: StatusCode, message: &str) -> Response {
    let mut response = json_of(&json!({ "error": message }));
    *response.status_mut() = status;
    response
}

fn json_of(value: &Value) -> Response {
    typed("application/json", value.to_string())
}

fn told(result: std::result::Result<Value, String>) -> Response {
    match result {
        Ok(value) => json_of(&value),
        Err(message) => refused(StatusCode::CONFLICT, &message),
    }
}

/// Work that takes more than a moment, away from the threads that answer.
async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> std::result::Result<T, String> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| "an internal failure; the command's terminal has more".to_owned())
}

async fn page(State(shared): State<Shared>) -> Response {
    let page = assets::PAGE.replace(assets::TOKEN, shared.guard.token());
    typed("text/html; charset=utf-8", page)
}

async fn asset(uri: Uri) -> Response {
    match assets::ALL.iter().find(|asset| asset.path == uri.path()) {
        Some(asset) => typed(asset.kind, asset.bytes),
        None => refused(StatusCode::NOT_FOUND, "there is no such page"),
    }
}

async fn about(State(shared): State<Shared>) -> Response {
    json_of(&shared.room.about())
}

/// The number of a side by its name.
fn side_of(name: &str) -> Option<usize> {
    ["source", "target"].iter().position(|side| *side == name)
}

async fn graph(State(shared): State<Shared>, Path(side): Path<String>) -> Response {
    let Some(which) = side_of(&side) else {
        return refused(StatusCode::NOT_FOUND, "expected source or target");
    };
    let room = Arc::clone(&shared.room);
    let made = apart(move || room.scene.graph_bytes(&room.setup().sides, which)).await;
    bytes(made.and_then(|made| made))
}

async fn places(State(shared): State<Shared>) -> Response {
    let room = Arc::clone(&shared.room);
    let made = apart(move || room.scene.target_bytes(&room.setup().sides)).await;
    bytes(made.and_then(|made| made))
}

/// What is not drawn of either side, in words.
async fn left_out(State(shared): State<Shared>) -> Response {
    let room = Arc::clone(&shared.room);
    let words = move || -> std::result::Result<Value, String> {
        let of = |which| room.scene.edges(&room.setup().sides, which);
        Ok(json!([of(0)?.left_out, of(1)?.left_out]))
    };
    told(apart(words).await.and_then(|made| made))
}

fn bytes(made: std::result::Result<Vec<u8>, String>) -> Response {
    match made {
        Ok(bytes) => typed("application/octet-stream", bytes),
        Err(message) => refused(StatusCode::CONFLICT, &message),
    }
}

async fn labels(State(shared): State<Shared>, Path(side): Path<String>) -> Response {
    let Some(which) = side_of(&side) else {
        return refused(StatusCode::NOT_FOUND, "expected source or target");
    };
    let labels = shared.room.labels()[which];
    let all: Vec<_> = labels.iter().collect();
    json_of(&json!(all))
}

async fn image(State(shared): State<Shared>, Path(side): Path<String>) -> Response {
    let image = side_of(&side).and_then(|which| shared.room.setup().sides[which].image.as_ref());
    match image {
        Some(image) => {
            let (bytes, kind) = image.file();
            typed(kind, bytes.to_vec())
        }
        None => refused(StatusCode::NOT_FOUND, "there is no image"),
    }
}

async fn matched(State(shared): State<Shared>) -> Response {
    bytes(shared.room.latest().map(|(answer, _)| answer.bytes()))
}

#[derive(Deserialize)]
struct OfNode {
    side: Which,
    node: usize,
}

async fn node(State(shared): State<Shared>, Query(of): Query<OfNode>) -> Response {
    let room = Arc::clone(&shared.room);
    told(
        apart(move || room.node(of.side, of.node))
            .await
            .and_then(|made| made),
    )
}

#[derive(Deserialize)]
struct OfSource {
    source: usize,
}

async fn question(State(shared): State<Shared>, Query(of): Query<OfSource>) -> Response {
    let room = Arc::clone(&shared.room);
    told(
        apart(move || room.question(of.source))
            .await
            .and_then(|made| made),
    )
}

async fn act(State(shared): State<Shared>, body: Bytes) -> Response {
    let asked: Act = match serde_json::from_slice(&body) {
        Ok(asked) => asked,
        Err(error) => {
            let message = format!("the request is not understood: {error}");
            return refused(StatusCode::BAD_REQUEST, &message);
        }
    };
    let room = Arc::clone(&shared.room);
    let done = apart(move || room.act(asked)).await.and_then(|done| done);
    told(done.map(|change| json!({ "change": change })))
}

async fn events(
    State(shared): State<Shared>,
) -> Sse<impl Stream<Item = std::result::Result<Event, Infallible>>> {
    let room = Arc::clone(&shared.room);
    // Listening begins before the greeting, so that nothing falls in between.
    let heard = room.listen();
    let greeting = stream::iter(room.greeting()).map(|event| event.to_string());
    let later = stream::unfold(
        (room, heard, Vec::new()),
        |(room, mut heard, mut due)| async move {
            loop {
                if let Some(event) = due.pop() {
                    return Some((event, (room, heard, due)));
                }
                match heard.recv().await {
                    Ok(event) => return Some((event.to_string(), (room, heard, due))),
                    Err(RecvError::Lagged(_)) => {
                        due = room.greeting().iter().rev().map(Value::to_string).collect();
                    }
                    Err(RecvError::Closed) => return None,
                }
            }
        },
    );
    let all = greeting
        .chain(later)
        .map(|text| Ok(Event::default().data(text)));
    Sse::new(all).keep_alive(KeepAlive::new().interval(Duration::from_secs(15)))
}

async fn exported(State(shared): State<Shared>, Path(name): Path<String>) -> Response {
    let room = Arc::clone(&shared.room);
    let wanted = name.clone();
    match apart(move || export::file(&room, &wanted)).await {
        Ok(Some(Ok(file))) => {
            let mut response = typed(file.kind, file.bytes);
            // The name is one of ours: no other is made.
            let kept = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""));
            if let Ok(kept) = kept {
                response.headers_mut().insert(CONTENT_DISPOSITION, kept);
            }
            response
        }
        Ok(None) => refused(StatusCode::NOT_FOUND, "there is no such file"),
        Ok(Some(Err(message))) | Err(message) => refused(StatusCode::CONFLICT, &message),
    }
    .into_response()
}
