//! Random and adversarial command lines, the same for the same seed.

/// A small generator of numbers (xorshift).
pub struct Random(u64);

impl Random {
    /// For the line with this number of the campaign with this seed: whoever draws it, it is the same.
    pub fn of(seed: u64, number: usize) -> Self {
        let mixed = |bits: u64| (bits ^ (bits >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self(mixed(mixed(seed).wrapping_add(u64::try_from(number).unwrap())) | 1)
    }

    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % end
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const COMMANDS: &[&str] = &[
    "aa",
    "bb",
    "rm",
    "git",
    "npm",
    "'cc'",
    "\"dd\"",
    "e\\e",
    "f''f",
    "$'gg'",
    "$'\\x68h'",
    "time",
    "echo",
    "true",
    "if",
    "!",
    "{",
    "}",
    "then",
    "fi",
    "do",
    "done",
    "while",
    "for",
    "x=1",
    "X=a aa",
    "sudo",
    "env",
    "eval",
    "coproc",
    "function",
    "case",
    "esac",
    "in",
    "[[",
    "[",
    "select",
    "until",
    "else",
    "elif",
];
/// What everyday lines are made of.
const PLAIN_WORDS: &[&str] = &[
    "x",
    "-rf",
    "--opt=v",
    "'a b'",
    "\"a b\"",
    "a\\ b",
    "*.z",
    "{a,b}",
    "~",
    "$V",
    "\"$V\"",
    "${V:-w}",
    "\"${V%.z}\"",
    "$(q)",
    "\"$(q r)\"",
    "`q`",
    "<(q)",
    "$((1+2))",
    "$'a\\nb'",
    "é",
];
const WORDS: &[&str] = &[
    "x",
    "-rf",
    "--opt=v",
    "'a b'",
    "\"a b\"",
    "\"a;b\"",
    "'$(q)'",
    "\"\\$(q)\"",
    "a\\ b",
    "\\;",
    "\\&",
    "\\|",
    "\"a\\\"b\"",
    "''",
    "\"\"",
    "a=b",
    "#x",
    "x#y",
    "~",
    "~/x",
    "*",
    "*.z",
    "?",
    "[ab]",
    "{a,b}",
    "{1..3}",
    "{}",
    "$V",
    "\"$V\"",
    "${V}",
    "${V:-w}",
    "$1",
    "\"$@\"",
    "$(q)",
    "\"$(q r)\"",
    "`q`",
    "$((1+2))",
    "<(q)",
    ">(q)",
    "$'a\\nb'",
    "$'\\''",
    "\"a\nb\"",
    "'a\nb'",
    "a\\\nb",
    "!",
    "^",
    "%",
    "@",
    "+",
    ":",
    ",",
    "é",
    "日本",
    "then",
    "done",
    "}",
    "{",
    "]",
    "]]",
    "$",
    "\"$\"",
    "a$",
    "=x",
    "2",
    "1",
    "\\\\",
    "\"\\\\\"",
    "\"`q`\"",
    "$\"t\"",
    "!!",
    "$((1 + (2 * 3)))",
    "\"$((7))\"",
    "$((x))",
    "$((a[$(q)]))",
    "$((1) + (2))",
    "${V%.z}",
    "\"${V##*x}\"",
    "${#V}",
    "${V:1:2}",
    "${V/a/b}",
    "${V:=w}",
    "${!V}",
    "${V:-$(q)}",
    "${1:-x}",
    "${V^^}",
    "`q r`",
    "\"`q`\"",
    "`q | r`",
    "`q \\`r\\``",
    "`q 'r'`",
    "`q",
    "&&",
    "||",
    "-f",
    "-eq",
    "==",
    "=~",
    "-v",
    "in",
    "for",
    "if",
    "[[",
    "(",
    ")",
];
const JOINTS: &[&str] = &[
    " ", " ", " ", " ", "  ", "\t", "", ";", " ; ", "&&", " && ", " || ", "|", " | ", " |& ", "&", " & ", "\n", "\n\n",
    " \\\n ", "(", ")", " ( ", " ) ", ";;", " # c\n", " #c", "{ ", " }", "; }", " &> f", " >& f", "\r", "\u{b}",
    "\u{a0}",
];
const REDIRECTIONS: &[&str] = &[
    " > f",
    " >> f",
    " < f",
    " 2>&1",
    " 2>f",
    " >&2",
    " <&-",
    " >| f",
    " <> f",
    " 3< f",
    " <<< w",
    " <<< \"$(q)\"",
    " > \"f g\"",
    " >f",
    "2>f",
    " {v}>f",
    " <<E\nbody\nE\n",
    " <<'E'\n$(q)\nE\n",
    " <<E\n$(q)\nE\n",
    " <<-E\n\tb\n\tE\n",
    " <<E <<F\na\nE\nb\nF\n",
    " << \"E F\"\nx\nE F\n",
];
const WHOLE: &[&str] = &[
    "if aa; then bb; fi",
    "while aa; do bb; done",
    "for i in a b; do aa $i; done",
    "for i in $(q); do aa; done",
    "for i do aa; done",
    "for ((i=0;i<2;i++)); do aa; done",
    "case x in x) aa;; esac",
    "f() { aa; }; f",
    "function f { aa; }; f",
    "( aa; bb )",
    "{ aa; bb; }",
    "aa \"$(bb \"$(cc)\")\"",
    "aa $(bb; cc)",
    "aa $(bb\ncc)",
    "aa \"$(cat <<'E'\nbody )\nE\n)\"",
    "aa \"$(cat <<E\nb\nE\n)\" x",
    "x=1; aa",
    "x=$(bb) aa",
    "[ -f x ] && aa",
    "[[ -f x ]] && aa",
    "! aa",
    "time aa",
    "time -p aa",
    "aa | time bb",
    "coproc aa",
    "aa & bb",
    "aa\\\nbb",
    "aa \\\n bb",
    "((aa))",
    "$(aa) bb",
    "aa <<E\n`bb`\nE",
    "aa <<\\E\n$(bb)\nE",
    "until aa; do bb; done",
    "if ! aa; then bb; elif cc; then dd; else ee; fi",
    "{ aa; } > f",
    "( aa ) 2>&1 | bb",
    "aa $( ( bb ) )",
    "aa $((bb))",
    "aa${x}bb cc",
    "\\\naa",
    "aa #bb\ncc",
    "aa'#'bb",
    "a=(b c); aa",
    "a[0]=1 aa",
    "aa() (bb)",
    "aa;\nbb",
    ";aa",
    "&aa",
    "|aa",
    "aa ||\n bb",
    "aa |\nbb",
    "aa &&\n\n bb",
    "[[ -f x && -n \"$(q)\" ]] && aa",
    "[[ $V == *.z ]] || aa",
    "[[ $V =~ ^[0-9]+$ ]] && aa",
    "[[ a && ( b || c ) ]] && aa",
    "[[ $(q) -eq 1 ]]; aa",
    "[[ -v a[$(q)] ]]; aa",
    "[[ x ]]&&aa",
    "[[ x ]];aa",
    "[[ x ]] aa",
    "[[ x &&\n y ]]; aa",
    "[[ x < y ]]; aa",
    "[[ x # y ]]; aa",
    "[[ -n ]] && aa ]]",
    "[[ \"]]\" ]] && aa",
    "[[ x ]",
    "if [[ -n $V ]]; then aa; fi",
    "! [[ x ]] && aa",
    "aa | [[ x ]]",
    "x=1 [[ x ]]",
    "x=1 for i in a",
    "> f for i in a; aa",
    "x=1 if aa",
    "for i in a b\ndo aa\ndone",
    "for i in a b; do aa; done > f",
    "for i in \"$(q)\" `r`; do aa; done",
    "for i\nin a; do aa; done",
    "for 'i' in a; do aa; done",
    "for i in do; do aa; done",
    "aa <<E\n$V ${V} ${V:-w} $\nE\n",
    "aa <<E\n$(q) $V\nE\n",
    "aa <<E <<F\n$V\nE\n$(q)\nF\n",
    "aa \"$(cat <<E\n$V\nE\n)\"",
    "aa `bb; cc`",
    "aa `bb | cc` `dd`",
    "`aa` bb",
    "x=`aa` bb",
    "aa $(bb `cc`)",
    "aa `bb $(cc)`",
    "aa \"`bb \"cc\"`\"",
    "while aa; do bb; done < f",
    "{ aa; bb; } 2>&1 | cc",
    "x=1; y=$(aa); bb \"$x\"",
    "(( 1 )) && aa",
    "aa $((1",
    "aa $((1)",
    "aa $(( (bb) ))",
    "aa $(((1)))",
    "aa $((1))) bb",
];

/// Joints that seldom make sense.
const ODD_JOINTS: &[&str] = &[" ]] ", " ]]; ", " [[ ", "; then ", "; do ", "; done", "; fi", "`", "[", "] "];

/// A line.
pub fn line(random: &mut Random) -> String {
    let mut line = String::new();
    for _ in 0..=random.below(4) {
        match random.below(8) {
            0 => line.push_str(random.pick(WHOLE)),
            _ => simple(random, &mut line),
        }
        let joints = if random.below(12) > 0 { JOINTS } else { ODD_JOINTS };
        line.push_str(random.pick(joints));
    }
    if random.below(6) == 0 {
        mutate(random, &mut line);
    }
    line
}

fn simple(random: &mut Random, line: &mut String) {
    // Mostly plain ones: lines that are not understood prove nothing.
    let command = if random.below(4) > 0 { &COMMANDS[..11] } else { COMMANDS };
    line.push_str(random.pick(command));
    for _ in 0..random.below(4) {
        line.push_str(random.pick(&[" ", " ", " ", "", "\t"]));
        let words = if random.below(2) > 0 { PLAIN_WORDS } else { WORDS };
        line.push_str(random.pick(words));
    }
    if random.below(5) == 0 {
        line.push_str(random.pick(REDIRECTIONS));
    }
}

/// Takes a character away, doubles one or puts one in.
fn mutate(random: &mut Random, line: &mut String) {
    let mut chars: Vec<char> = line.chars().collect();
    for _ in 0..=random.below(2) {
        let at = random.below(chars.len().max(1)).min(chars.len().saturating_sub(1));
        match random.below(4) {
            // A line that goes on, also in the middle of a sign.
            3 => drop(chars.splice(at..at, ['\\', '\n'])),
            0 if !chars.is_empty() => drop(chars.remove(at)),
            1 if !chars.is_empty() => chars.insert(at, chars[at]),
            _ => chars.insert(
                at.min(chars.len()),
                random
                    .pick(&[
                        "'", "\"", "\\", "$", "`", "(", ")", "{", "}", "<", ">", "&", "|", ";", "\n", "#", "!", "=",
                        " ",
                    ])
                    .chars()
                    .next()
                    .unwrap(),
            ),
        }
    }
    *line = chars.into_iter().collect();
}

/// Whether a line may be run in the cage: no path as a command word, no device.
pub fn may_be_run(line: &str) -> bool {
    !line.contains('/')
        || !line
            .split(['\n', ';', '&', '|', '(', ')', '`', ' ', '\t', '{'])
            .any(|word| word.contains('/') && !word.starts_with('~'))
}
