//! Who may speak.

use crate::fixture::{at, person};
use countersign_domain::principal::{Kind, Role};
use countersign_domain::{Digest, Principal};
use countersign_runtime::ports::{NewToken, Store, StoreError, TokenEntry, TokenForm};

fn token(id: &str, form: TokenForm) -> NewToken {
    let principal = Principal {
        groups: vec!["finance".into(), "日本".into()],
        acts_for: Some("ann".into()),
        ..Principal::new(Kind::Agent, "builder", Role::Viewer)
    };
    let entry = TokenEntry {
        id: id.into(),
        form,
        principal,
        parent: None,
        created_at: at(0),
        expires_at: None,
        ended_at: None,
    };
    NewToken { entry, hash: Digest::of(id.as_bytes()), by: None, receipt: None }
}

pub async fn a_token_is_whose_it_is(store: &dyn Store) {
    let token = token("t1", TokenForm::Token);
    store.add_token(token.clone()).await.unwrap();
    for _ in 0..2 {
        assert_eq!(store.principal(token.hash, at(1)).await.unwrap(), Some(token.entry.clone()));
    }
    assert_eq!(store.principal(Digest::of(b"another"), at(1)).await.unwrap(), None);
}

pub async fn a_sign_in_link_works_once(store: &dyn Store) {
    for n in 0..10 {
        let link = token(&format!("l{n}"), TokenForm::Link);
        store.add_token(link.clone()).await.unwrap();
        let (one, two) = tokio::join!(store.principal(link.hash, at(1)), store.principal(link.hash, at(1)));
        let winners: Vec<_> = [one.unwrap(), two.unwrap()].into_iter().flatten().collect();
        assert_eq!(winners, [TokenEntry { ended_at: Some(at(1)), ..link.entry }]);
        assert_eq!(store.principal(link.hash, at(2)).await.unwrap(), None);
    }
    let link = token("late", TokenForm::Link);
    let late = NewToken { entry: TokenEntry { expires_at: Some(at(10)), ..link.entry }, ..link };
    store.add_token(late).await.unwrap();
    assert_eq!(store.principal(link.hash, at(10)).await.unwrap(), None, "it came too late");
}

pub async fn an_ended_token_holds_no_more(store: &dyn Store) {
    let kept = token("kept", TokenForm::Session);
    let short = token("short", TokenForm::Session);
    let short = NewToken { entry: TokenEntry { expires_at: Some(at(10)), ..short.entry }, ..short };
    store.add_token(kept.clone()).await.unwrap();
    store.add_token(short.clone()).await.unwrap();
    assert!(store.principal(short.hash, at(9)).await.unwrap().is_some());
    assert_eq!(store.principal(short.hash, at(10)).await.unwrap(), None);
    assert!(store.revoke("kept", None, at(5)).await.unwrap());
    assert!(store.revoke("kept", None, at(6)).await.unwrap());
    assert!(!store.revoke("never", None, at(6)).await.unwrap());
    assert_eq!(store.principal(kept.hash, at(6)).await.unwrap(), None);
}

pub async fn only_tokens_are_listed(store: &dyn Store) {
    for (id, form) in
        [("a", TokenForm::Token), ("b", TokenForm::Session), ("c", TokenForm::Link), ("d", TokenForm::Token)]
    {
        store.add_token(token(id, form)).await.unwrap();
    }
    store.revoke("a", None, at(3)).await.unwrap();
    store.revoke("a", None, at(4)).await.unwrap();
    let listed: Vec<_> = store.tokens().await.unwrap().into_iter().map(|token| (token.id, token.ended_at)).collect();
    assert_eq!(listed, [("a".to_owned(), Some(at(3))), ("d".to_owned(), None)]);
}

pub async fn a_secret_is_kept_once(store: &dyn Store) {
    let first = token("a", TokenForm::Token);
    store.add_token(first.clone()).await.unwrap();
    let same_id = NewToken { hash: Digest::of(b"other"), ..first.clone() };
    let same_hash = NewToken { entry: TokenEntry { id: "b".into(), ..first.entry.clone() }, ..first.clone() };
    for again in [same_id, same_hash] {
        let error = store.add_token(again).await.unwrap_err();
        assert!(matches!(error, StoreError::Inconsistent { table: "tokens", .. }), "{error:?}");
    }
    assert_eq!(store.tokens().await.unwrap(), [first.entry]);
}

pub async fn a_store_is_fresh_until_somebody_has_a_token(store: &dyn Store) {
    assert!(store.is_fresh().await.unwrap());
    let link = token("l", TokenForm::Link);
    let link = NewToken { entry: TokenEntry { principal: person("ann"), ..link.entry }, ..link };
    store.add_token(link.clone()).await.unwrap();
    assert!(store.is_fresh().await.unwrap(), "nobody has used the link");
    store.principal(link.hash, at(1)).await.unwrap().unwrap();
    assert!(!store.is_fresh().await.unwrap());
}
