//! A Chromium without a window, spoken to over two pipes: its `DevTools` protocol as far as a test of a page needs it.
//!
//! Keys, clicks and typed text are the browser's own, not events that a script makes up: what a test reaches by
//! keyboard, a person does.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// How long the browser may take over anything.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Chromium {
    process: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    session: Option<String>,
    sent: u64,
    /// What the browser said unasked.
    pub(crate) events: Vec<Value>,
    folder: TempDir,
}

/// The browser: what `CHROME` names, or one of the usual names on the path. Without one, nothing is tested, which is
/// said aloud, and is an error where `NORMATIVE_DEMAND_CHROMIUM` is set.
fn found() -> Option<PathBuf> {
    let named = std::env::var_os("CHROME").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let usual = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let on_path = std::env::split_paths(&path).flat_map(|folder| usual.map(|name| folder.join(name)));
    let found = named.or_else(|| on_path.into_iter().find(|path| path.is_file()));
    if found.is_none() {
        let demanded = std::env::var_os("NORMATIVE_DEMAND_CHROMIUM").is_some_and(|value| value != "0");
        assert!(!demanded, "NORMATIVE_DEMAND_CHROMIUM is set, and there is no Chromium");
        // Not `eprintln!`, which a test that passes keeps to itself.
        let words = "NOT RUN: no Chromium; CHROME names one, NORMATIVE_DEMAND_CHROMIUM=1 demands one\n";
        std::io::stderr().write_all(words.as_bytes()).unwrap();
    }
    found
}

impl Chromium {
    /// Starts one over a page of this text; `None` where there is no Chromium.
    pub(crate) fn over(page: &str) -> Option<Self> {
        let program = found()?;
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("page.html"), page).unwrap();
        // The protocol's pipes are descriptors 3 and 4, which only a shell can tie to what a child has. Containers
        // run tests as root, whom Chromium gives no sandbox; the page is ours.
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

    /// The page's address.
    pub(crate) fn address(&self) -> String {
        format!("file://{}", Path::new(self.folder.path()).join("page.html").display())
    }

    /// Opens the page at a fragment, and waits until it is there.
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

    /// Asks the browser to do something.
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

    /// The value of an expression on the page.
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

    /// Types a text into what has the focus.
    pub(crate) fn write(&mut self, text: &str) {
        self.call("Input.insertText", &json!({ "text": text }));
    }

    /// Clicks in the middle of an element.
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

    /// What went wrong on the page: exceptions, and whatever was logged.
    pub(crate) fn complaints(&self) -> Vec<&Value> {
        let names = ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"];
        self.events.iter().filter(|event| names.iter().any(|name| event["method"] == *name)).collect()
    }

    /// The addresses that were asked for.
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
