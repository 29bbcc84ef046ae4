//! Requests that should get nothing, over real sockets.

mod support;

use support::Served;

fn served() -> (tempfile::TempDir, Served) {
    let folder = tempfile::tempdir().expect("a folder");
    let served = Served::new(folder.path(), 12);
    (folder, served)
}

const PATHS: [&str; 14] = [
    "/",
    "/studio.js",
    "/studio.css",
    "/icon.svg",
    "/api/about",
    "/api/graph/source",
    "/api/labels/target",
    "/api/match",
    "/api/places",
    "/api/node?side=source&node=0",
    "/api/question?source=0",
    "/api/events",
    "/export/pairs.csv",
    "/export/report.html",
];

#[test]
fn nothing_is_answered_without_the_token() {
    let (_folder, served) = served();
    let host = served.host();
    let wrong = "0".repeat(64);
    for path in PATHS {
        let ask = |headers: &[(&str, &str)]| served.ask("GET", path, headers, "");
        let plain = ask(&[("Host", &host)]);
        assert_eq!(plain.status, 401, "{path}");
        assert!(plain.text().contains("token"), "{path}");
        let guessed = ask(&[("Host", &host), ("X-Anchormatch-Token", &wrong)]);
        assert_eq!(guessed.status, 401, "{path}");
        let cookie = format!("token={}", served.token());
        assert_eq!(
            ask(&[("Host", &host), ("Cookie", &cookie)]).status,
            401,
            "{path}"
        );
    }
    let change = r#"{"act":"say","change":{"do":"anchor","source":0,"target":0}}"#;
    assert_eq!(
        served
            .ask("POST", "/api/act", &[("Host", &host)], change)
            .status,
        401
    );
    assert!(served.studio.anchors().unwrap().is_empty());
}

#[test]
fn other_hosts_and_origins_get_nothing_even_with_the_token() {
    let (_folder, served) = served();
    let (host, token) = (served.host(), served.token());
    let port = served.running.port();
    let rebound = format!("evil.example:{port}");
    let near = format!("127.0.0.1.evil.example:{port}");
    let own = format!("http://{host}");
    let foreign = [
        "http://evil.example",
        "null",
        "https://127.0.0.1",
        "http://127.0.0.1:1",
        "file://",
    ];
    let change = r#"{"act":"say","change":{"do":"anchor","source":0,"target":0}}"#;
    for (method, path) in [
        ("GET", "/api/about"),
        ("GET", "/api/events"),
        ("POST", "/api/act"),
    ] {
        for host in [rebound.as_str(), near.as_str(), "127.0.0.1", "[::1]", ""] {
            let headers = [("Host", host), ("X-Anchormatch-Token", token)];
            let answer = served.ask(method, path, &headers, change);
            assert!([400, 403].contains(&answer.status), "{host}: {answer:?}");
        }
        for origin in foreign {
            let headers = [
                ("Host", host.as_str()),
                ("Origin", origin),
                ("X-Anchormatch-Token", token),
            ];
            let answer = served.ask(method, path, &headers, change);
            assert_eq!(answer.status, 403, "{origin}");
        }
        let sites = [
            ("Host", host.as_str()),
            ("Sec-Fetch-Site", "cross-site"),
            ("X-Anchormatch-Token", token),
        ];
        assert_eq!(served.ask(method, path, &sites, change).status, 403);
    }
    // A proxy's form of the address names its host as well.
    let absolute = format!("http://{rebound}/api/about");
    let headers = [("Host", host.as_str()), ("X-Anchormatch-Token", token)];
    assert_eq!(served.ask("GET", &absolute, &headers, "").status, 403);
    assert!(served.studio.anchors().unwrap().is_empty());
    let headers = [
        ("Host", host.as_str()),
        ("Origin", own.as_str()),
        ("X-Anchormatch-Token", token),
    ];
    assert_eq!(served.ask("POST", "/api/act", &headers, change).status, 200);
}

#[test]
fn no_path_leads_to_a_file() {
    let (folder, served) = served();
    std::fs::write(folder.path().join("secret.txt"), "secret").unwrap();
    let place = folder.path().join("secret.txt").display().to_string();
    let mut paths: Vec<String> = [
        "/../../../../etc/passwd",
        "/..%2f..%2f..%2fetc%2fpasswd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/studio.js/../../../etc/passwd",
        "/api/image/source",
        "/api/image/..%2f..%2fetc%2fpasswd",
        "/api/image/../../etc/passwd",
        "/export/..%2fanchors.csv.journal",
        "/export/anchors.csv.journal",
        "/export/%2fetc%2fpasswd",
        "/api/graph/..%2fsource",
        "/studio.js%00.css",
        "/.git/config",
        "/src/lib.rs",
    ]
    .map(str::to_owned)
    .to_vec();
    paths.push(place.clone());
    paths.push(format!("/export/{}", place.replace('/', "%2f")));
    for path in paths {
        let answer = served.get(&path);
        assert!([400, 404].contains(&answer.status), "{path}: {answer:?}");
        let text = answer.text();
        assert!(
            !text.contains("root:") && !text.contains("secret\n"),
            "{path}"
        );
    }
}

#[test]
fn requests_are_bounded_and_understood_or_refused() {
    let (_folder, served) = served();
    let huge = "x".repeat(1 << 20);
    let answer = served.act(&huge);
    assert!([0, 413].contains(&answer.status), "{}", answer.status);
    let deep = "[".repeat(60_000);
    for body in [
        "",
        "{}",
        "null",
        &deep,
        r#"{"act":"say"}"#,
        r#"{"act":"shutdown"}"#,
        r#"{"act":"say","change":{"do":"anchor","source":-1,"target":0}}"#,
        r#"{"act":"say","change":{"do":"anchor","source":0}}"#,
        r#"{"act":"say","change":{"do":"anchor","source":1e99,"target":0}}"#,
        r#"{"act":"say","change":{"do":"anchor","source":0,"target":0,"file":"/etc/passwd"}}"#,
    ] {
        let answer = served.act(body);
        assert_eq!(answer.status, 400, "{body:.80}");
        assert!(answer.json()["error"].is_string());
    }
    for (body, words) in [
        (
            r#"{"act":"say","change":{"do":"anchor","source":12,"target":0}}"#,
            "found node 12",
        ),
        (
            r#"{"act":"say","change":{"do":"read","rows":[]}}"#,
            "expected one change",
        ),
        (r#"{"act":"undo"}"#, "nothing to undo"),
        (
            r#"{"act":"choose","choices":{"preset":"no","allow_unmatched":false,"points_model":"auto","attributes":true}}"#,
            "`no`",
        ),
    ] {
        let answer = served.act(body);
        assert_eq!(answer.status, 409, "{body}");
        let error = answer.json()["error"].as_str().unwrap().to_owned();
        assert!(error.contains(words), "{error}");
    }
    for method in ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"] {
        let host = served.host();
        let headers = [
            ("Host", host.as_str()),
            ("X-Anchormatch-Token", served.token()),
        ];
        let answer = served.ask(method, "/api/about", &headers, "");
        assert_eq!(answer.status, 405, "{method}");
    }
    assert!(served.get("/api/node?side=source&node=99").status >= 400);
    assert!(served.get("/api/node?side=middle&node=1").status >= 400);
    // After all of this it still works.
    assert_eq!(served.get("/api/about").status, 200);
}

#[test]
fn every_answer_says_what_a_browser_may_do() {
    let (_folder, served) = served();
    for path in ["/", "/studio.js", "/api/about", "/nothing", "/api/act"] {
        let answer = served.get(path);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
        assert!(
            !policy.contains("unsafe") && !policy.contains('*'),
            "{policy}"
        );
        assert_eq!(
            answer.header("x-content-type-options"),
            Some("nosniff"),
            "{path}"
        );
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
    let page = served.get("/").text();
    assert!(page.contains(served.token()) && !page.contains("{{token}}"));
}

#[test]
fn ids_travel_as_data() {
    let (_folder, served) = served();
    let labels = served.get("/api/labels/source");
    assert_eq!(labels.header("content-type"), Some("application/json"));
    assert_eq!(labels.json()[1], "<img src=x onerror=alert(1)>");
    assert!(!served.get("/").text().contains("onerror"));
    served.events().matched(0);
    let report = served.get("/export/report.html");
    assert!(
        report
            .header("content-disposition")
            .unwrap()
            .starts_with("attachment")
    );
    let text = report.text();
    assert!(!text.contains("<img src=x") && !text.contains("<script>alert"));
}
