//! Drives a headless Chromium over two pipes, with the part of its `DevTools` protocol that the tests of the
//! page need.
//!
//! Keys, clicks and typed text are the browser's own, not script events, so the tests work as a user does.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// The longest time for any browser action.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Chromium {
    process: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    session: Option<String>,
    sent: u64,
    /// The events that the browser sent.
    pub(crate) events: Vec<Value>,
    folder: TempDir,
}

/// Returns the browser: `CHROME`, or a usual name on the path. Without one, the tests report that and pass,
/// or fail if `NORMATIVE_DEMAND_CHROMIUM` is set.
fn found() -> Option<PathBuf> {
    let named = std::env::var_os("CHROME").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let usual = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let on_path = std::env::split_paths(&path).flat_map(|folder| usual.map(|name| folder.join(name)));
    let found = named.or_else(|| on_path.into_iter().find(|path| path.is_file()));
    if found.is_none() {
        let demanded = std::env::var_os("NORMATIVE_DEMAND_CHROMIUM").is_some_and(|value| value != "0");
        assert!(!demanded, "NORMATIVE_DEMAND_CHROMIUM is set, and there is no Chromium");
        // `eprintln!` is captured in passing tests, so write directly.
        let words = "NOT RUN: no Chromium; CHROME names one, NORMATIVE_DEMAND_CHROMIUM=1 demands one\n";
        std::io::stderr().write_all(words.as_bytes()).unwrap();
    }
    found
}

impl Chromium {
    /// Starts one with a page of this text; `None` without a Chromium.
    pub(crate) fn over(page: &str) -> Option<Self> {
        let program = found()?;
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("page.html"), page).unwrap();
        // The protocol uses descriptors 3 and 4, which only a shell can connect to the child's pipes.
        // Containers run tests as root, where Chromium has no sandbox; the page is ours.
        let mut process = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 1>&2"])
            .arg(program)
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--remote-debugging-pipe",
                "--no-first-run",
            ])
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (to, out) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let (sender, from) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(out).split(0).map_while(Result::ok) {
                if sender.send(serde_json::from_slice(&message).unwrap()).is_err() {
                    break;
                }
            }
        });
        let mut chromium = Self { process, to, from, session: None, sent: 0, events: Vec::new(), folder };
        let targets = chromium.call("Target.getTargets", &json!({}));
        let page = targets["targetInfos"].as_array().unwrap().iter().find(|target| target["type"] == "page");
        let target = page.unwrap()["targetId"].clone();
        let attached =
            chromium.call("Target.attachToTarget", &json!({ "targetId": target, "flatten": true }));
        chromium.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            chromium.call(&format!("{domain}.enable"), &json!({}));
        }
        chromium.size(1280, 900);
        Some(chromium)
    }

    /// Returns the page's address.
    pub(crate) fn address(&self) -> String {
        format!("file://{}", Path::new(self.folder.path()).join("page.html").display())
    }

    /// Opens the page at a fragment, and waits until it has loaded.
    pub(crate) fn open(&mut self, fragment: &str) {
        self.call("Page.navigate", &json!({ "url": "about:blank" }));
        let url = format!("{}{fragment}", self.address());
        self.call("Page.navigate", &json!({ "url": url }));
        self.until("location.protocol === 'file:' && document.readyState === 'complete'");
    }

    pub(crate) fn size(&mut self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Calls a method of the browser.
    pub(crate) fn call(&mut self, method: &str, params: &Value) -> Value {
        self.sent += 1;
        let mut message = json!({ "id": self.sent, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(&serde_json::to_vec(&message).unwrap()).unwrap();
        self.to.write_all(&[0]).unwrap();
        loop {
            let answer = self.from.recv_timeout(PATIENCE).unwrap();
            if answer["id"] == self.sent {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    /// Returns the value of an expression on the page.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", &params);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    pub(crate) fn text(&mut self, expression: &str) -> String {
        self.value(expression).as_str().unwrap_or_default().to_owned()
    }

    /// Waits until an expression is true.
    pub(crate) fn until(&mut self, expression: &str) {
        let started = Instant::now();
        while self.value(expression) != true {
            assert!(started.elapsed() < PATIENCE, "never: {expression}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Presses and releases a key: `Tab`, `Enter`, or ` `.
    pub(crate) fn press(&mut self, key: &str) {
        let (code, number, text) = match key {
            "Tab" => ("Tab", 9, ""),
            "Enter" => ("Enter", 13, "\r"),
            " " => ("Space", 32, " "),
            other => panic!("no key {other}"),
        };
        for kind in [if text.is_empty() { "rawKeyDown" } else { "keyDown" }, "keyUp"] {
            let text = if kind == "keyUp" { "" } else { text };
            let press = json!({ "type": kind, "key": key, "code": code, "text": text,
                "windowsVirtualKeyCode": number });
            self.call("Input.dispatchKeyEvent", &press);
        }
    }

    /// Types a text into the focused element.
    pub(crate) fn write(&mut self, text: &str) {
        self.call("Input.insertText", &json!({ "text": text }));
    }

    /// Clicks the middle of an element.
    pub(crate) fn click(&mut self, selector: &str) {
        let at = self.value(&format!(
            "(() => {{ const one = document.querySelector({selector:?}); one.scrollIntoView({{ block: 'center', \
             behavior: 'instant' }}); const box = one.getBoundingClientRect(); \
             return [box.x + box.width / 2, box.y + box.height / 2]; }})()"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let click = json!({ "type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", &click);
        }
    }

    /// Returns the errors of the page: exceptions, and all log entries.
    pub(crate) fn complaints(&self) -> Vec<&Value> {
        let names = ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"];
        self.events.iter().filter(|event| names.iter().any(|name| event["method"] == *name)).collect()
    }

    /// Returns the requested addresses.
    pub(crate) fn requests(&self) -> Vec<&str> {
        let sent = self.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        sent.filter_map(|event| event["params"]["request"]["url"].as_str()).collect()
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
