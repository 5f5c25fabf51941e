//! What the environment says about traces. The variables are those of OpenTelemetry's specification.

use super::sampler::{NAMES, Sampler};
use crate::failure::Failure;
use std::fmt;
use std::time::Duration;

/// How traces are sent.
#[derive(Clone)]
pub struct Settings {
    /// Where to. It may hold a password, so it is never printed.
    pub endpoint: String,
    /// What to send along. Values are secret.
    pub headers: Vec<(String, String)>,
    pub protocol: Protocol,
    pub timeout: Duration,
    /// What is said of this process.
    pub resource: Vec<(String, String)>,
    pub sampler: Sampler,
    /// The most spans that wait to be sent, and the most that are sent at once.
    pub queue: usize,
    pub batch: usize,
    /// How long they wait for others.
    pub delay: Duration,
}

/// How spans are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    Protobuf,
    Json,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Settings({:?})", self.protocol)
    }
}

impl Settings {
    /// What `variable` says; nothing where there is no endpoint, or somebody said that there are to be no traces.
    pub fn read(variable: &dyn Fn(&str) -> Option<String>) -> Result<Option<Self>, Failure> {
        let set = |name: &str| variable(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let of_traces = |name: &str| {
            set(&format!("OTEL_EXPORTER_OTLP_TRACES_{name}")).or_else(|| set(&format!("OTEL_EXPORTER_OTLP_{name}")))
        };
        let is_off = set("OTEL_SDK_DISABLED").is_some_and(|word| word.eq_ignore_ascii_case("true"))
            || set("OTEL_TRACES_EXPORTER").is_some_and(|exporter| exporter == "none");
        let whole = set("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
        let base =
            || set("OTEL_EXPORTER_OTLP_ENDPOINT").map(|base| format!("{}/v1/traces", base.trim_end_matches('/')));
        let Some(endpoint) = whole.or_else(base).filter(|_| !is_off) else { return Ok(None) };
        if !endpoint.starts_with("http://") && !endpoint.starts_with("https://") {
            return Err(Failure::new("`OTEL_EXPORTER_OTLP_ENDPOINT` must be an address as `http://localhost:4318`"));
        }
        let protocol = match of_traces("PROTOCOL").as_deref() {
            None | Some("http/protobuf") => Protocol::Protobuf,
            Some("http/json") => Protocol::Json,
            Some(other) => {
                return Err(Failure::new(format!(
                    "`OTEL_EXPORTER_OTLP_PROTOCOL` is `{other}`: expected `http/protobuf` or `http/json`"
                )));
            }
        };
        let number = |text: Option<String>, usual: u64| text.and_then(|text| text.parse().ok()).unwrap_or(usual);
        let count =
            |name: &str, usual: u64| usize::try_from(number(set(name), usual).clamp(1, MOST)).unwrap_or(usize::MAX);
        Ok(Some(Self {
            endpoint,
            headers: of_traces("HEADERS").map(|text| pairs(&text)).unwrap_or_default(),
            protocol,
            timeout: Duration::from_millis(number(of_traces("TIMEOUT"), 10_000)),
            resource: resource(set("OTEL_SERVICE_NAME"), set("OTEL_RESOURCE_ATTRIBUTES")),
            sampler: sampler(set("OTEL_TRACES_SAMPLER"), set("OTEL_TRACES_SAMPLER_ARG"))?,
            queue: count("OTEL_BSP_MAX_QUEUE_SIZE", 2048),
            batch: count("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512),
            delay: Duration::from_millis(number(set("OTEL_BSP_SCHEDULE_DELAY"), 5_000)),
        }))
    }
}

/// The most spans that can be made to wait.
const MOST: u64 = 1_000_000;

fn sampler(name: Option<String>, share: Option<String>) -> Result<Sampler, Failure> {
    let name = name.unwrap_or_else(|| "parentbased_always_on".to_owned());
    let share = share.map(|text| text.parse().ok().filter(|share| (0.0..=1.0).contains(share)));
    let Some(share) = share.unwrap_or(Some(1.0)) else {
        return Err(Failure::new("`OTEL_TRACES_SAMPLER_ARG` must be a number from 0 to 1"));
    };
    Sampler::named(&name, share).ok_or_else(|| {
        Failure::new(format!("`OTEL_TRACES_SAMPLER` is `{name}`: expected one of `{}`", NAMES.join("`, `")))
    })
}

/// What is said of this process. A name of its own counts before one among the attributes.
fn resource(name: Option<String>, attributes: Option<String>) -> Vec<(String, String)> {
    let mut said = attributes.map(|text| pairs(&text)).unwrap_or_default();
    if let Some(name) = name {
        said.retain(|(key, _)| key != SERVICE);
        said.insert(0, (SERVICE.to_owned(), name));
    } else if !said.iter().any(|(key, _)| key == SERVICE) {
        said.insert(0, (SERVICE.to_owned(), "countersign".to_owned()));
    }
    if !said.iter().any(|(key, _)| key == VERSION) {
        said.push((VERSION.to_owned(), env!("CARGO_PKG_VERSION").to_owned()));
    }
    said
}

const SERVICE: &str = "service.name";
const VERSION: &str = "service.version";

/// `a=1,b=two%20words`.
fn pairs(text: &str) -> Vec<(String, String)> {
    let pair = |one: &str| one.split_once('=').map(|(key, value)| (key.trim().to_owned(), decoded(value.trim())));
    text.split(',').filter_map(pair).filter(|(key, _)| !key.is_empty()).collect()
}

fn decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let digits = part.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            bytes.push(byte);
            bytes.extend_from_slice(part.get(2..).unwrap_or_default().as_bytes());
        } else {
            bytes.push(b'%');
            bytes.extend_from_slice(part.as_bytes());
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Option<Settings>, Failure> {
        let found = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        Settings::read(&found)
    }

    #[test]
    fn without_an_endpoint_or_where_they_are_switched_off_there_are_none() {
        let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318/");
        assert!(read(&[]).unwrap().is_none());
        assert!(read(&[("OTEL_EXPORTER_OTLP_ENDPOINT", " ")]).unwrap().is_none());
        assert!(read(&[endpoint, ("OTEL_SDK_DISABLED", "TRUE")]).unwrap().is_none());
        assert!(read(&[endpoint, ("OTEL_TRACES_EXPORTER", "none")]).unwrap().is_none());
        assert_eq!(read(&[endpoint]).unwrap().unwrap().endpoint, "http://localhost:4318/v1/traces");
        let own = read(&[endpoint, ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://elsewhere/t")]).unwrap().unwrap();
        assert_eq!(own.endpoint, "http://elsewhere/t");
    }

    #[test]
    fn what_is_said_of_this_process_and_sent_along_is_read_as_the_specification_says() {
        let settings = read(&[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Basic%20abc=, x-team = a%2Cb,odd=%zz"),
            ("OTEL_RESOURCE_ATTRIBUTES", "service.name=other,deployment.environment.name=prod"),
            ("OTEL_SERVICE_NAME", "mine"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
        ]);
        let settings = settings.unwrap().unwrap();
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(settings.headers, [pair("authorization", "Basic abc="), pair("x-team", "a,b"), pair("odd", "%zz")]);
        let said = [pair("service.name", "mine"), pair("deployment.environment.name", "prod")];
        assert_eq!(settings.resource.get(..2), Some(&said[..]));
        assert_eq!(settings.protocol, Protocol::Json);
        assert!(!format!("{settings:?}").contains("Basic"));
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318");
        for (name, value) in [
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
            ("OTEL_TRACES_SAMPLER", "sometimes"),
            ("OTEL_TRACES_SAMPLER_ARG", "2"),
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "localhost:4318"),
        ] {
            let told = read(&[endpoint, (name, value)]).unwrap_err().to_string();
            assert!(told.contains("OTEL_"), "{told}");
        }
    }
}
