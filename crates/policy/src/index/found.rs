//! One pattern that an index found, and how much is certain of it.

/// The place of a pattern that may fit. Packed so that the order of their bits is the order of their places.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Found(u32);

/// All that the pattern says was compared.
const SURE: u32 = 1;
/// It has brackets with a wildcard.
const OPEN: u32 = 2;
const MARKS: u32 = SURE | OPEN;

impl Found {
    /// A pattern that may fit.
    pub(super) const fn perhaps(place: u32) -> Self {
        Self(place << MARKS.count_ones())
    }

    /// A pattern of which all that it says is compared before it is found.
    pub(super) const fn sure(place: u32) -> Self {
        Self(Self::perhaps(place).0 | SURE)
    }

    /// The same, where it has brackets with a wildcard in them.
    pub(super) const fn open(self) -> Self {
        Self(self.0 | OPEN)
    }

    /// The same, where not all of it was compared.
    pub(super) const fn unsure(self) -> Self {
        Self(self.0 & !MARKS)
    }

    pub(super) const fn bits(self) -> u32 {
        self.0
    }

    pub(super) const fn of_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The pattern's place.
    pub(crate) const fn place(self) -> usize {
        (self.0 >> MARKS.count_ones()) as usize
    }

    /// Whether the pattern is certain to fit, as a denial. Nothing but its place need be looked at then.
    ///
    /// What allows fits too if it is for every server, or names one, or the call has none; and if the text hides
    /// nothing where the pattern [is open](Self::is_open).
    pub(crate) const fn is_sure(self) -> bool {
        self.0 & SURE != 0
    }

    /// Whether the pattern has a wildcard in its brackets, which covers no text that hides something.
    pub(crate) const fn is_open(self) -> bool {
        self.0 & OPEN != 0
    }
}
