//! Whose trace it is: ids, and what a request says of the one that it belongs to (W3C Trace Context).

use countersign_domain::audit::hex;

/// The id of a trace; never all zeroes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceId(pub [u8; 16]);

/// The id of a span; never all zeroes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanId(pub [u8; 8]);

/// Where something stands in a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context {
    pub trace: TraceId,
    pub span: SpanId,
    pub sampled: bool,
}

impl TraceId {
    pub fn draw() -> Option<Self> {
        drawn().map(Self)
    }

    pub fn hex(self) -> String {
        hex(&self.0)
    }
}

impl SpanId {
    pub fn draw() -> Option<Self> {
        drawn().map(Self)
    }

    pub fn hex(self) -> String {
        hex(&self.0)
    }
}

fn drawn<const N: usize>() -> Option<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes).filter(|bytes| bytes != &[0; N])
}

impl Context {
    /// Reads the header `traceparent`. Of a version that is not known yet, as much as is known of all.
    pub fn read(header: &str) -> Option<Self> {
        let mut parts = header.trim().split('-');
        let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let version: [u8; 1] = bytes(version)?;
        if version == [0xff] || (version == [0] && parts.next().is_some()) {
            return None;
        }
        let [flags] = bytes(flags)?;
        let (trace, span) = (bytes(trace)?, bytes(span)?);
        let is_valid = trace != [0; 16] && span != [0; 8];
        is_valid.then_some(Self { trace: TraceId(trace), span: SpanId(span), sampled: flags & 1 == 1 })
    }
}

/// Lower case, and neither more nor fewer.
fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    if digits.len() != 2 * N {
        return None;
    }
    let mut read = [0; N];
    for (byte, pair) in read.iter_mut().zip(digits.chunks_exact(2)) {
        let [high, low] = pair else { return None };
        *byte = digit(*high)? << 4 | digit(*low)?;
    }
    Some(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_or_passed_over_as_a_whole() {
        let good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let read = Context::read(good).unwrap();
        assert_eq!(
            (read.trace.hex(), read.span.hex(), read.sampled),
            ("0af7651916cd43dd8448eb211c80319c".into(), "b7ad6b7169203331".into(), true)
        );
        assert!(!Context::read("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00").unwrap().sampled);
        assert!(Context::read(&good.replacen("00-", "01-", 1).replace("-01", "-01-more")).is_some());
        for bad in [
            "",
            "00",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319ä-b7ad6b7169203331-01",
        ] {
            assert_eq!(Context::read(bad), None, "{bad}");
        }
    }
}
