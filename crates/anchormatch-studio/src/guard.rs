//! Who may ask: requests with the token, to this machine by its own name, from its own page.
//!
//! A page of another site can make a browser send requests to this machine, and by a name whose address changes
//! (DNS rebinding) even read the answers. It cannot know the token, which is compared in a time that does not tell how
//! much of it is right; it cannot name this machine as its host; and its browser says where it comes from.

use std::fmt;

use anchormatch::{Error, Result};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, HeaderName, HeaderValue, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// The header that carries the token; links carry it as the parameter `token`.
const TOKEN: &str = "x-anchormatch-token";

/// Scripts, styles and images of our own, and nothing else; nobody frames the page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

/// A word that nobody can guess, which every request has to carry.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

impl Token {
    /// Bytes that a token is made of, at least.
    pub const BYTES: usize = 24;

    /// The token of random bytes.
    ///
    /// # Errors
    /// When they are fewer than [`BYTES`](Self::BYTES).
    pub fn new(random: &[u8]) -> Result<Self> {
        if random.len() < Self::BYTES {
            let found = format!("{} bytes", random.len());
            let expected = format!("{} random bytes or more", Self::BYTES);
            return Err(Error::parameter("token", found, expected));
        }
        Ok(Self(
            random.iter().map(|byte| format!("{byte:02x}")).collect(),
        ))
    }

    /// The token in letters and digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `given` is the token; takes as long for every word of the same length.
    fn is(&self, given: &str) -> bool {
        let (ours, theirs) = (self.0.as_bytes(), given.as_bytes());
        let differing = ours
            .iter()
            .zip(theirs)
            .fold(0u8, |sum, (a, b)| sum | (a ^ b));
        std::hint::black_box(differing) == 0 && ours.len() == theirs.len()
    }
}

/// What requests are compared with.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    token: Token,
    hosts: [String; 2],
}

impl Guard {
    pub(crate) fn new(token: Token, port: u16) -> Self {
        let hosts = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}"));
        Self { token, hosts }
    }

    pub(crate) fn token(&self) -> &str {
        self.token.as_str()
    }

    /// Why a request is refused.
    fn refusal(&self, request: &Request) -> Option<(StatusCode, &'static str)> {
        let headers = request.headers();
        let forbidden = |why| Some((StatusCode::FORBIDDEN, why));
        let is_host = |host: &str| self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host));
        match single(headers, &HOST) {
            Ok(Some(host)) if is_host(host) => {}
            _ => return forbidden("this is not the host that you are looking for"),
        }
        if request
            .uri()
            .authority()
            .is_some_and(|host| !is_host(host.as_str()))
        {
            return forbidden("this is not the host that you are looking for");
        }
        let is_origin = |origin: &str| origin.strip_prefix("http://").is_some_and(is_host);
        match single(headers, &ORIGIN) {
            Ok(None) => {}
            Ok(Some(origin)) if is_origin(origin) => {}
            _ => return forbidden("requests of other pages are not answered"),
        }
        let site = HeaderName::from_static("sec-fetch-site");
        match single(headers, &site) {
            Ok(None | Some("same-origin" | "none")) => {}
            // A link in a notebook or in a mail may open the page itself.
            Ok(Some("same-site" | "cross-site")) if is_visit(request) => {}
            _ => return forbidden("requests of other pages are not answered"),
        }
        if !self.has_token(request) {
            let why = "the address lacks the token, or has that of another run: take the address that the \
                       command printed";
            return Some((StatusCode::UNAUTHORIZED, why));
        }
        if request.method() != Method::GET && request.method() != Method::POST {
            return Some((StatusCode::METHOD_NOT_ALLOWED, "expected GET or POST"));
        }
        None
    }

    fn has_token(&self, request: &Request) -> bool {
        let header = HeaderName::from_static(TOKEN);
        match single(request.headers(), &header) {
            Ok(Some(given)) => self.token.is(given),
            Ok(None) => {
                let parts = request.uri().query().unwrap_or_default().split('&');
                let mut given = parts.filter_map(|part| part.strip_prefix("token="));
                match (given.next(), given.next()) {
                    (Some(given), None) => self.token.is(given),
                    _ => false,
                }
            }
            Err(()) => false,
        }
    }
}

/// Whether a person opens the page, as the browser says.
fn is_visit(request: &Request) -> bool {
    let is = |name: &'static str, value: &str| {
        single(request.headers(), &HeaderName::from_static(name)) == Ok(Some(value))
    };
    request.method() == Method::GET
        && request.uri().path() == "/"
        && is("sec-fetch-mode", "navigate")
        && is("sec-fetch-dest", "document")
}

/// The value of a header that stands once at most.
fn single<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> std::result::Result<Option<&'a str>, ()> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(drop),
        _ => Err(()),
    }
}

/// Refuses what may not ask, and says to browsers what the answer may do.
pub(crate) async fn guarded(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let mut response = match guard.refusal(&request) {
        Some((status, why)) => (status, why).into_response(),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    let fixed = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-store"),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// An answer of bytes of a known kind.
pub(crate) fn typed(kind: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    let kind = HeaderValue::from_static(kind);
    response
        .headers_mut()
        .insert(axum::http::header::CONTENT_TYPE, kind);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard() -> Guard {
        Guard::new(Token::new(&[7; 24]).unwrap(), 4000)
    }

    fn request(path: &str, headers: &[(&str, &str)]) -> Request {
        let mut builder = Request::builder().uri(path);
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        builder.body(Body::empty()).unwrap()
    }

    fn status(path: &str, headers: &[(&str, &str)]) -> u16 {
        let refusal = guard().refusal(&request(path, headers));
        refusal.map_or(200, |(status, _)| status.as_u16())
    }

    #[test]
    fn only_our_page_with_the_token_is_answered() {
        let good = format!("/?token={}", guard().token());
        let host = ("host", "127.0.0.1:4000");
        assert_eq!(status(&good, &[host]), 200);
        assert_eq!(status(&good, &[("host", "localhost:4000")]), 200);
        assert_eq!(
            status(&good, &[host, ("origin", "http://127.0.0.1:4000")]),
            200
        );
        let header = [host, (TOKEN, guard().token())].map(|(k, v)| (k, v.to_owned()));
        let header: Vec<(&str, &str)> = header.iter().map(|(k, v)| (*k, v.as_str())).collect();
        assert_eq!(status("/", &header), 200);
        for wrong in [
            vec![],
            vec![("host", "127.0.0.1")],
            vec![("host", "127.0.0.1:4001")],
            vec![("host", "evil.example:4000")],
            vec![("host", "127.0.0.1:4000.evil.example")],
            vec![host, ("host", "evil.example")],
            vec![host, ("origin", "http://evil.example")],
            vec![host, ("origin", "null")],
            vec![host, ("origin", "https://127.0.0.1:4000")],
            vec![host, ("origin", "http://127.0.0.1:4001")],
            vec![host, ("sec-fetch-site", "cross-site")],
            vec![host, ("sec-fetch-site", "same-site")],
        ] {
            assert_eq!(status(&good, &wrong), 403, "{wrong:?}");
        }
        let visit = [
            host,
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "navigate"),
            ("sec-fetch-dest", "document"),
        ];
        assert_eq!(status(&good, &visit), 200);
        assert_eq!(status(&good.replace("/?", "/api/state?"), &visit), 403);
        let token = guard().token().to_owned();
        for wrong in [
            "/".to_owned(),
            "/?token=".to_owned(),
            format!("/?token={}", &token[..47]),
            format!("/?token={token}0"),
            format!("/?token={token}&token=0"),
            format!("/?TOKEN={token}"),
        ] {
            assert_eq!(status(&wrong, &[host]), 401, "{wrong}");
        }
    }

    #[test]
    fn tokens_are_long_and_not_shown() {
        assert!(Token::new(&[1; 8]).is_err());
        let token = Token::new(&(0..32).collect::<Vec<u8>>()).unwrap();
        assert_eq!(token.as_str().len(), 64);
        assert!(!format!("{token:?}").contains("0102"));
    }
}
