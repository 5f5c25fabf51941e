//! The web page, out of the binary.

use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Response};
use rust_embed::RustEmbed;

/// What `make web` built; nothing, if it was not run.
#[derive(RustEmbed)]
#[folder = "../../web/dist"]
#[allow_missing = true]
struct Files;

/// Whether the page is part of this build.
pub fn has_page() -> bool {
    Files::get("index.html").is_some()
}

/// Where the page was not built.
const NOT_BUILT: &str = "<!doctype html><meta charset=utf-8><title>Countersign</title><h1>Countersign is running</h1>\
    <p>The web page is not part of this build. Build it with <code>make web</code> and start Countersign again.</p>\
    <p>The API is described at <a href=\"/api/docs\">/api/docs</a>.</p>";

/// A file of the page; for any other address the page itself, which knows its own addresses.
pub async fn serve(method: Method, uri: Uri) -> Response {
    if !matches!(method, Method::GET | Method::HEAD) {
        return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "GET, HEAD")]).into_response();
    }
    let path = uri.path().trim_start_matches('/');
    if let Some(file) = Files::get(path).filter(|_| path != "index.html") {
        let kind = HeaderValue::from_str(file.metadata.mimetype())
            .unwrap_or(HeaderValue::from_static("application/octet-stream"));
        // Names of built files change with their content.
        let keep = if path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
        let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, HeaderValue::from_static(keep))];
        return (headers, file.data).into_response();
    }
    if path.starts_with("assets/") {
        return StatusCode::NOT_FOUND.into_response();
    }
    match Files::get("index.html") {
        Some(page) => {
            let headers = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "no-cache")];
            (headers, page.data).into_response()
        }
        None => Html(NOT_BUILT).into_response(),
    }
}
