//! Medians, and how numbers read.

/// The value in the middle; of none, no number.
pub fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    percentile(&all, 50)
}

/// The value below which so many of a hundred lie.
pub fn percentile(ascending: &[f64], percent: usize) -> f64 {
    let at = (ascending.len() * percent / 100).min(ascending.len().saturating_sub(1));
    ascending.get(at).copied().unwrap_or(f64::NAN)
}

/// A whole number, its thousands apart.
pub fn thousands(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A ratio, to three digits or so.
pub fn times(ratio: f64) -> String {
    match ratio {
        ratio if ratio >= 100.0 => thousands(ratio),
        ratio if ratio >= 10.0 => format!("{ratio:.1}"),
        ratio => format!("{ratio:.2}"),
    }
}
