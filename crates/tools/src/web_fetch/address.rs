//! Which addresses may be reached: those of the whole internet, and what the configuration adds.

use ipnet::IpNet;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

/// An address that may not be reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Private(pub IpAddr);

impl std::error::Error for Private {}

impl std::fmt::Display for Private {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the address {} is not one of the public internet", self.0)
    }
}

/// Looks names up, and gives only addresses that may be reached: what is checked is what is connected to.
#[derive(Debug, Clone)]
pub struct Resolver(pub Arc<[IpNet]>);

impl Resolver {
    /// Whether `address` may be reached.
    pub fn check(&self, address: IpAddr) -> Result<(), Private> {
        // An IPv4 address inside an IPv6 one leads to the same machine.
        let address = address.to_canonical();
        let is_allowed = self.0.iter().any(|net| net.contains(&address));
        if is_allowed || is_public(address) { Ok(()) } else { Err(Private(address)) }
    }
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            // A name that leads to a public and to a private address is not honest: none of them is reached.
            found.iter().try_for_each(|found| resolver.check(found.ip()))?;
            let found: Addrs = Box::new(found.into_iter());
            Ok(found)
        })
    }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// After the IANA registry of special-purpose addresses.
fn is_public_v4(address: Ipv4Addr) -> bool {
    !matches!(
        address.octets(),
        // This host, private, loopback, multicast and reserved.
        [0 | 10 | 127 | 224..=255, ..]
            // Shared by carriers, link-local, private.
            | [100, 64..=127, ..]
            | [169, 254, ..]
            | [172, 16..=31, ..]
            // Protocols, documentation, relays from IPv6, private.
            | [192, 0, 0 | 2, _]
            | [192, 88, 99, _]
            | [192, 168, ..]
            // Benchmarks, documentation.
            | [198, 18 | 19, ..]
            | [198, 51, 100, _]
            | [203, 0, 113, _]
    )
}

/// Only the part that is given out to the internet, without what stands for IPv4 addresses, protocols and documentation.
fn is_public_v6(address: Ipv6Addr) -> bool {
    match address.segments() {
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x2002, ..] | [0x3fff, 0..=0xfff, ..] => false,
        [first, ..] => (0x2000..=0x3fff).contains(&first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_internet_are_public() {
        let none = Resolver(Arc::from([]));
        let check = |text: &str| none.check(text.parse().unwrap()).is_ok();
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "2606:4700::1",
            "2a00:1450::1",
            "::ffff:8.8.8.8",
        ] {
            assert!(check(text), "{text}");
        }
        for text in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "::7f00:1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:2::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!check(text), "{text}");
        }
    }

    #[test]
    fn what_the_configuration_names_is_reached() {
        let some = Resolver(Arc::from(["127.0.0.1/32".parse().unwrap(), "fd00::/8".parse().unwrap()]));
        assert!(
            ["127.0.0.1", "::ffff:127.0.0.1", "fd00::1"].iter().all(|text| some.check(text.parse().unwrap()).is_ok())
        );
        assert!(["127.0.0.2", "10.0.0.1", "fc00::1"].iter().all(|text| some.check(text.parse().unwrap()).is_err()));
    }
}
