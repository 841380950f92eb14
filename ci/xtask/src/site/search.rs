//! The index that the search looks through.

use serde_json::json;

/// The pages that can be found.
#[derive(Default)]
pub struct Index {
    pages: Vec<serde_json::Value>,
}

impl Index {
    /// Add a page.
    pub fn add(&mut self, title: &str, path: &str, text: &str) {
        self.pages.push(json!({ "title": title, "path": path, "text": text }));
    }

    /// The index as a script: a page of a local file may read no other kind.
    pub fn script(&self) -> String {
        let pages: Vec<String> = self.pages.iter().map(ToString::to_string).collect();
        format!("const searchIndex = [\n{}\n];\n", pages.join(",\n"))
    }
}
