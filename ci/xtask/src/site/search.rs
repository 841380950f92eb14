//! The index for the search.

use serde_json::json;

#[derive(Default)]
pub struct Index {
    pages: Vec<serde_json::Value>,
}

impl Index {
    pub fn add(&mut self, title: &str, path: &str, text: &str) {
        self.pages.push(json!({ "title": title, "path": path, "text": text }));
    }

    /// The index as a script: a page from a local file cannot read other kinds of files.
    pub fn script(&self) -> String {
        let pages: Vec<String> = self.pages.iter().map(ToString::to_string).collect();
        format!("const searchIndex = [\n{}\n];\n", pages.join(",\n"))
    }
}
