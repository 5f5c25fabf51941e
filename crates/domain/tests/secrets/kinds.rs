//! Forty and more kinds of secrets, each made anew from a seed, so that none stands in the repository.

/// Numbers that are the same for the same seed.
pub(crate) struct Dice(u64);

const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const HEX: &str = "0123456789abcdef";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const WORD: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
const DIGIT: &str = "0123456789";

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn of(&mut self, letters: &str, count: usize) -> String {
        (0..count).map(|_| char::from(letters.as_bytes()[self.below(letters.len())])).collect()
    }

    /// What a careful person takes for a password: letters, a digit, a sign.
    fn password(&mut self) -> String {
        let sign = self.of("!#%*+~^", 1);
        format!("{}{}{sign}{}", self.of(ALNUM, 5), self.of(DIGIT, 1), self.of(ALNUM, 6))
    }
}

/// A secret as it is written down.
pub(crate) struct Planted {
    pub(crate) kind: &'static str,
    /// What must not be left over.
    pub(crate) secret: String,
    pub(crate) way: Way,
}

/// By what it is known.
pub(crate) enum Way {
    /// By its looks alone.
    Looks,
    /// By the name before it: in English, in Japanese and Chinese.
    Name(&'static str, &'static str, &'static str),
    /// By what stands around it: all of it.
    Around(String),
}

pub(crate) const KINDS: usize = LOOKS.len() + NAMED.len() + AROUND.len();

/// The secret of the kind with this number.
pub(crate) fn plant(number: usize, dice: &mut Dice) -> Planted {
    if let Some((kind, make)) = LOOKS.get(number) {
        return Planted { kind, secret: make(dice), way: Way::Looks };
    }
    let number = number - LOOKS.len();
    if let Some((name, japanese, chinese, make)) = NAMED.get(number) {
        return Planted { kind: name, secret: make(dice), way: Way::Name(name, japanese, chinese) };
    }
    let (kind, make, around) = AROUND[number - NAMED.len()];
    let secret = make(dice);
    let whole = around.replace('@', &secret).replace("AT", "@");
    Planted { kind, secret, way: Way::Around(whole) }
}

type Make = fn(&mut Dice) -> String;

const LOOKS: [(&str, Make); 39] = [
    ("countersign user", |d| format!("cs_user_{}", d.of(HEX, 64))),
    ("countersign agent", |d| format!("cs_agent_{}", d.of(HEX, 64))),
    ("countersign service", |d| format!("cs_service_{}", d.of(HEX, 64))),
    ("aws key id", |d| format!("AKIA{}", d.of(UPPER, 16))),
    ("aws session key id", |d| format!("ASIA{}", d.of(UPPER, 16))),
    ("github personal", |d| format!("ghp_{}", d.of(ALNUM, 36))),
    ("github oauth", |d| format!("gho_{}", d.of(ALNUM, 36))),
    ("github app", |d| format!("ghs_{}", d.of(ALNUM, 36))),
    ("github fine-grained", |d| format!("github_pat_{}_{}", d.of(ALNUM, 22), d.of(ALNUM, 59))),
    ("gitlab", |d| format!("glpat-{}", d.of(WORD, 20))),
    ("slack bot", |d| format!("xoxb-{}-{}-{}", d.of(DIGIT, 12), d.of(DIGIT, 12), d.of(ALNUM, 24))),
    ("slack app", |d| format!("xapp-1-A{}-{}-{}", d.of(UPPER, 10), d.of(DIGIT, 12), d.of(HEX, 64))),
    ("slack webhook", |d| {
        format!("https://hooks.slack.com/services/T{}/B{}/{}", d.of(UPPER, 8), d.of(UPPER, 8), d.of(ALNUM, 24))
    }),
    ("stripe live", |d| format!("sk_live_{}", d.of(ALNUM, 24))),
    ("stripe restricted", |d| format!("rk_live_{}", d.of(ALNUM, 24))),
    ("stripe webhook", |d| format!("whsec_{}", d.of(ALNUM, 32))),
    ("openai", |d| format!("sk-{}T3Blbk{}{}", d.of(ALNUM, 20), "FJ", d.of(ALNUM, 20))),
    ("openai project", |d| format!("sk-proj-{}", d.of(WORD, 64))),
    ("anthropic", |d| format!("sk-ant-api03-{}AA", d.of(WORD, 93))),
    ("google api", |d| format!("AIza{}", d.of(WORD, 35))),
    ("google oauth", |d| format!("ya29.{}", d.of(WORD, 60))),
    ("google client secret", |d| format!("GOCSPX-{}", d.of(WORD, 28))),
    ("npm", |d| format!("npm_{}", d.of(ALNUM, 36))),
    ("pypi", |d| format!("pypi-AgEIcHlwaS5vcmc{}", d.of(WORD, 80))),
    ("hugging face", |d| format!("hf_{}", d.of(ALNUM, 34))),
    ("sendgrid", |d| format!("SG.{}.{}", d.of(WORD, 22), d.of(WORD, 43))),
    ("twilio", |d| format!("SK{}", d.of(HEX, 32))),
    ("telegram", |d| format!("{}:AA{}", d.of("123456789", 10), d.of(WORD, 33))),
    ("discord", |d| format!("MT{}.{}.{}", d.of(ALNUM, 22), d.of(WORD, 6), d.of(WORD, 38))),
    ("digitalocean", |d| format!("dop_v1_{}", d.of(HEX, 64))),
    ("databricks", |d| format!("dapi{}", d.of(HEX, 32))),
    ("shopify", |d| format!("shpat_{}", d.of(HEX, 32))),
    ("vault", |d| format!("hvs.{}", d.of(WORD, 90))),
    ("docker", |d| format!("dckr_pat_{}", d.of(WORD, 27))),
    ("linear", |d| format!("lin_api_{}", d.of(ALNUM, 40))),
    ("grafana", |d| format!("glsa_{}_{}", d.of(ALNUM, 32), d.of(HEX, 8))),
    ("age", |d| format!("AGE-SECRET-KEY-1{}", d.of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58))),
    ("json web token", |d| {
        // {"alg":"HS256","typ":"JWT"}
        format!("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ{}.{}", d.of(WORD, 40), d.of(WORD, 43))
    }),
    ("azure client secret", |d| format!("{}8Q~{}", d.of(ALNUM, 3), d.of(ALNUM, 34))),
];

const NAMED: [(&str, &str, &str, Make); 9] = [
    ("password", "パスワード", "密码", Dice::password),
    ("db_password", "パスワード", "口令", Dice::password),
    ("api_key", "APIキー", "API密钥", |d| d.of(ALNUM, 32)),
    ("client_secret", "シークレット", "密钥", |d| d.of(WORD, 40)),
    ("aws_secret_access_key", "アクセスキー", "访问密钥", |d| format!("w{}", d.of(BASE64, 39))),
    ("access_token", "トークン", "令牌", |d| d.of(ALNUM, 40)),
    ("twilio_auth_token", "トークン", "令牌", |d| d.of(HEX, 32)),
    ("storage_account_key", "アクセスキー", "密钥", |d| format!("{}==", d.of(BASE64, 86))),
    ("heroku_api_key", "APIキー", "API密钥", |d| {
        format!("{}-{}-{}-{}-{}", d.of(HEX, 8), d.of(HEX, 4), d.of(HEX, 4), d.of(HEX, 4), d.of(HEX, 12))
    }),
];

/// `@` stands for the secret, `AT` for an at sign.
const AROUND: [(&str, Make, &str); 9] = [
    ("url", |d| d.of(ALNUM, 14), "postgres://app:@ATdb.example.com:5432/shop"),
    ("git url", |d| d.of(ALNUM, 20), "https://oauth2:@ATgit.example.com/acme/shop.git"),
    ("bearer", |d| d.of(ALNUM, 40), "Authorization: Bearer @"),
    ("basic", |d| d.of(ALNUM, 28), "Authorization: Basic @"),
    ("cookie", |d| d.of(HEX, 32), "Cookie: session=@; theme=dark"),
    ("azure signature", |d| d.of(ALNUM, 42), "https://acme.blob.example.net/c/f?sv=2027-01-01&sig=@%3D&se=2027"),
    ("connection string", |d| d.of(ALNUM, 14), "Server=db;User Id=app;Password=@;Encrypt=true"),
    ("mysql", |d| d.of(ALNUM, 12), "mysql -u root -p@ shop"),
    ("curl", |d| d.of(ALNUM, 16), "curl -u deploy:@ https://api.example.com/v1/items"),
];
