//! Walks a text through the tokens of a glob, all ways at once: a bit for each place in the glob that the text read so far
//! can have led to. A character moves all of them by a few operations on 64 places at a time, so the longest pattern
//! there is costs a few dozen steps a character, however many wildcards it has.

use super::glob::Token;

/// A walk through a glob, and where it has come to.
pub(super) struct Walker {
    here: Vec<u64>,
    masks: Vec<Masks>,
    /// The characters that the glob names, in order, and for each the places that take it; last the places of none.
    letters: Vec<char>,
    rows: Vec<u64>,
    /// The place behind the last token.
    end: usize,
}

/// The kinds of 64 tokens.
#[derive(Debug, Clone, Copy, Default)]
struct Masks {
    one: u64,
    many: u64,
    /// What takes any character and stays: [`Token::Deep`] and [`Token::Folders`].
    any: u64,
    folders: u64,
    perhaps: u64,
    /// What may match nothing.
    empty: u64,
}

/// What is read: a character of a text, or a token of another glob.
#[derive(Debug, Clone, Copy)]
pub(super) enum Letter {
    /// A character.
    Char(char),
    /// The character that [`Token::One`] and [`Token::Many`] stop at.
    Separator(char),
    /// Any one character.
    One,
    /// Any characters.
    Many,
}

const WIDTH: usize = u64::BITS as usize;

impl Walker {
    pub(super) fn new(tokens: &[Token]) -> Self {
        let words = tokens.len() / WIDTH + 1;
        let letter = |token: &Token| if let Token::Char(c) = token { Some(*c) } else { None };
        let mut letters: Vec<char> = tokens.iter().filter_map(letter).collect();
        letters.sort_unstable();
        letters.dedup();
        let mut rows = vec![0; (letters.len() + 1) * words];
        let mut masks = vec![Masks::default(); words];
        for (i, token) in tokens.iter().enumerate() {
            let (word, bit) = (i / WIDTH, 1 << (i % WIDTH));
            if let Token::Char(c) = token {
                let row = letters.binary_search(c).unwrap_or(letters.len());
                rows.iter_mut().skip(row * words + word).take(1).for_each(|places| *places |= bit);
            }
            masks.iter_mut().skip(word).take(1).for_each(|masks| masks.add(*token, bit));
        }
        let mut here = vec![0; words];
        here.iter_mut().take(1).for_each(|places| *places = 1);
        let mut carry = Carry::default();
        for (places, masks) in here.iter_mut().zip(&masks) {
            *places = carry.skip_empty(*places, masks);
        }
        Self { here, masks, letters, rows, end: tokens.len() }
    }

    /// Reads one letter. `false`: no way is left.
    pub(super) fn step(&mut self, letter: Letter) -> bool {
        let (one, many, separates) = match letter {
            Letter::Char(_) | Letter::One => (u64::MAX, u64::MAX, 0),
            Letter::Separator(_) => (0, 0, u64::MAX),
            Letter::Many => (0, u64::MAX, 0),
        };
        let row = match letter {
            Letter::Char(c) | Letter::Separator(c) => self.letters.binary_search(&c).unwrap_or(self.letters.len()),
            Letter::One | Letter::Many => self.letters.len(),
        };
        let words = self.here.len();
        let row = self.rows.get(row * words..(row + 1) * words).unwrap_or_default();
        let (mut carry, mut left) = (Carry::default(), 0);
        for ((places, masks), row) in self.here.iter_mut().zip(&self.masks).zip(row) {
            let moving = *places & (row | masks.one & one | masks.folders & separates);
            let staying = *places & (masks.any | masks.many & many);
            let reached = staying | carry.move_on(moving);
            *places = carry.skip_empty(reached, masks);
            left |= *places;
        }
        left != 0
    }

    /// Whether the walk may have come to the place `back` tokens before the end.
    pub(super) fn is_at(&self, back: usize) -> bool {
        self.end.checked_sub(back).is_some_and(|place| {
            self.here.get(place / WIDTH).is_some_and(|places| places & (1 << (place % WIDTH)) != 0)
        })
    }
}

/// What goes on from 64 places to the next 64.
#[derive(Debug, Default)]
struct Carry {
    moved: u64,
    left_out: u64,
    skipped: bool,
}

impl Carry {
    /// To the places behind these.
    fn move_on(&mut self, places: u64) -> u64 {
        let moved = places << 1 | self.moved;
        self.moved = places >> (WIDTH - 1);
        moved
    }

    /// These places, and those behind tokens that may match nothing.
    fn skip_empty(&mut self, places: u64, masks: &Masks) -> u64 {
        // The folders behind a `Perhaps` may be left out. What follows them is never another `Perhaps`.
        let perhaps = places & masks.perhaps;
        let places = places | perhaps << 2 | self.left_out;
        self.left_out = perhaps >> (WIDTH - 2);
        // Adding to a run of ones carries through to the end of the run: all of it is reached, and the place behind.
        let (sum, over) = (places & masks.empty).overflowing_add(masks.empty);
        let (sum, again) = sum.overflowing_add(u64::from(self.skipped));
        self.skipped = over || again;
        places | (sum ^ masks.empty)
    }
}

impl Masks {
    fn add(&mut self, token: Token, bit: u64) {
        match token {
            Token::Char(_) => {}
            Token::One => self.one |= bit,
            Token::Many => (self.many, self.empty) = (self.many | bit, self.empty | bit),
            Token::Deep => (self.any, self.empty) = (self.any | bit, self.empty | bit),
            Token::Folders => (self.any, self.folders) = (self.any | bit, self.folders | bit),
            Token::Perhaps => (self.perhaps, self.empty) = (self.perhaps | bit, self.empty | bit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_costs_as_many_steps_as_there_are_groups_of_64_tokens() {
        for (tokens, words) in [(0, 1), (63, 1), (64, 2), (4096, 65)] {
            assert_eq!(Walker::new(&vec![Token::Many; tokens]).here.len(), words, "{tokens} tokens");
        }
    }

    #[test]
    fn ways_go_on_from_one_group_to_the_next() {
        for before in 60..70 {
            let mut tokens = vec![Token::Char('a'); before];
            tokens.extend([Token::Perhaps, Token::Folders, Token::Many, Token::Deep, Token::Many, Token::Char('b')]);
            let mut walker = Walker::new(&tokens);
            assert!((0..before).all(|_| walker.step(Letter::Char('a'))));
            assert!(walker.is_at(6) && walker.is_at(1) && !walker.is_at(0));
            assert!(walker.step(Letter::Separator('/')) && walker.step(Letter::Char('b')) && walker.is_at(0));
        }
    }
}
