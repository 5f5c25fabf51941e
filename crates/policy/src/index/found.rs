//! One pattern that an index found, and how much is certain of it.

/// The place of a pattern that may fit. Packed so that the order of their bits is the order of their places.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Found(u32);

/// All that the pattern says was compared.
const SURE: u32 = 1;
/// It has brackets with a wildcard.
const OPEN: u32 = 2;
/// What was noted on it.
const NOTE: u32 = 12;
const MARKS: u32 = SURE | OPEN | NOTE;

/// A small number that whoever files a pattern notes on it, to have it at hand when the pattern is found: what is kept
/// elsewhere is not in the processor's caches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Note(u8);

const NOTES: u32 = 3;

impl Note {
    /// One of the few that there is room for.
    pub(crate) fn new(number: u32) -> Option<Self> {
        let note = number.checked_add(1).filter(|&note| note <= NOTES)?;
        Some(Self(u8::try_from(note).ok()?))
    }

    /// The number, if one was noted.
    pub(crate) fn number(self) -> Option<u32> {
        u32::from(self.0).checked_sub(1)
    }
}

impl Found {
    /// A pattern that may fit.
    pub(super) const fn perhaps(place: u32) -> Self {
        Self(place << MARKS.count_ones())
    }

    /// The same, with a note on it.
    pub(super) const fn noted(self, note: Note) -> Self {
        Self(self.0 | (note.0 as u32) << NOTE.trailing_zeros())
    }

    /// The same, where all that it says is compared before it is found.
    pub(super) const fn sure(self) -> Self {
        Self(self.0 | SURE)
    }

    /// The same, where it has brackets with a wildcard in them.
    pub(super) const fn open(self) -> Self {
        Self(self.0 | OPEN)
    }

    /// The same, where not all of it was compared.
    pub(super) const fn unsure(self) -> Self {
        Self(self.0 & !(SURE | OPEN))
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

    /// What was noted on the pattern.
    pub(crate) const fn note(self) -> Note {
        Note((self.0 >> NOTE.trailing_zeros() & NOTES) as u8)
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
