//! Romanisation of scripts other than Latin.
//!
//! Alphabets and syllabaries are romanised to lower-case ASCII. Arabic and Hebrew leave most vowels out, so their
//! words are kept as one ASCII byte a letter, never a lower-case one ([`abjad`]), and compared with romanised words
//! by rules of their own.

pub mod abjad;
pub mod arabic;
pub mod cyrillic;
pub mod greek;
pub mod han;
pub mod hangul;

/// The scripts that are distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// Latin letters and digits.
    Latin,
    /// Cyrillic letters.
    Cyrillic,
    /// Greek letters.
    Greek,
    /// Arabic letters, those of Persian, Urdu and Pashto among them.
    Arabic,
    /// Hebrew letters.
    Hebrew,
    /// Chinese characters; each is a word.
    Han,
    /// Korean syllables; each is a word.
    Hangul,
    /// Any other letters.
    Other,
}

impl Script {
    /// Returns the script of a letter or digit.
    pub fn of(letter: char) -> Self {
        match u32::from(letter) {
            0..=0x24f | 0x1e00..=0x1eff | 0x2c60..=0x2c7f | 0xa720..=0xa7ff => Self::Latin,
            0x370..=0x3ff | 0x1f00..=0x1fff => Self::Greek,
            0x400..=0x52f | 0x1c80..=0x1c8f | 0x2de0..=0x2dff | 0xa640..=0xa69f => Self::Cyrillic,
            0x590..=0x5ff | 0xfb1d..=0xfb4f => Self::Hebrew,
            0x600..=0x6ff | 0x750..=0x77f | 0x8a0..=0x8ff | 0xfb50..=0xfdff | 0xfe70..=0xfeff => Self::Arabic,
            0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff => Self::Han,
            0xac00..=0xd7a3 => Self::Hangul,
            _ => Self::Other,
        }
    }

    /// Returns true if each character of the script is a word.
    pub fn is_syllabic(self) -> bool {
        matches!(self, Self::Han | Self::Hangul)
    }
}
